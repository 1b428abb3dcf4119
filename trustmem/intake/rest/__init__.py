"""The door for agents over HTTP: every route speaks as the token that it is asked with, in that token's space."""
