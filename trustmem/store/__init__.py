"""The store: rows, reads, the chain of lines, and rows to columns and back. The only floor with models."""
