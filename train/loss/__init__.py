"""Losses as sums over tokens, and the one count that divides them."""
