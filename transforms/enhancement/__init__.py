"""Enhancement: a random share of the kept questions gets a degraded picture, which a named tool can
repair."""
