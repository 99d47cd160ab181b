"""Rewards and advantages of rollouts, and the tokens that learn from them."""
