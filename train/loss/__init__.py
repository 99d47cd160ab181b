"""Losses as sums over tokens, and the common count that divides the sums."""
