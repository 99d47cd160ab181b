"""Makes plans. A plan states what a question asks, over which steps, and at which price, before a
writer puts the question into words."""
