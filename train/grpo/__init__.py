"""GRPO (reinforcement learning): its steps, its loop and its command."""
