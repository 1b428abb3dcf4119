"""One module a page: a view fetches what the person may see, acts, answers."""
