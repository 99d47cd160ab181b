"""Enhancement: a seeded share of kept questions gets a degraded picture that a named tool repairs."""
