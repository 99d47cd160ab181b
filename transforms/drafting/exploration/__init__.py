"""Exploration (ODE 3.1): an evidence graph around a seed, and a question taken from a cluster of it."""
