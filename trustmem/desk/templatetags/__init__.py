"""What every template can use without loading it."""
