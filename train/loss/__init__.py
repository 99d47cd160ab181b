"""Computes losses as sums over tokens, and the count by which all ranks divide these sums."""
