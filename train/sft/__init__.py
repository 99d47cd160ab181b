"""Supervised fine-tuning: its data, its loop and its command."""
