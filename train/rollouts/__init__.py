"""Plays questions with the current policy, and judges the answers."""
