"""The entrances for agents and for the shell: they read the clock and the outside, and ask the floors below."""
