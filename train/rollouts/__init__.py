"""Plays and judges questions with the current policy."""
