"""The trained model: loading, forward passes over packed rows, optimiser."""
