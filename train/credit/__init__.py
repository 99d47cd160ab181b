"""Computes the rewards and advantages of rollouts, and selects the tokens that get these
advantages."""
