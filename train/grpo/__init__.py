"""GRPO: its steps, its loop and its command."""
