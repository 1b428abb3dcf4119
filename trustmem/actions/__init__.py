"""Every write: an action is one transaction, takes `by=` and `now=`, and leaves its lines on the chain."""
