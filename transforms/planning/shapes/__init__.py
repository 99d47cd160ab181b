"""The shapes of plans, one a file: each grows whole forms from a seed."""
