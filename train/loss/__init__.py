"""Losses as sums over tokens, and the count by which all ranks divide the sums."""
