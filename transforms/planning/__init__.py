"""Plans: what is asked, over which steps, and at which price, before any word."""
