"""The trust model in numbers: columns in, columns out; no clock, no randomness, no input or output."""
