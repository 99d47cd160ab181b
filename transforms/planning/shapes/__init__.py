"""The shapes of plans, one per file: each shape grows whole forms from a seed."""
