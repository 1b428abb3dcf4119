"""The desk: the pages on which people see every fact and why, and decide."""
