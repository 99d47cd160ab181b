"""Rewards and advantages of rollouts, and the tokens to which they apply."""
