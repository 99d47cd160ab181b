"""Plans: what a question asks, over which steps and at which price, before any word."""
