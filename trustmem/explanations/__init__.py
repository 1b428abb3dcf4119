"""What there is to say about one fact: why it is worth what it is, and what happened to it."""
