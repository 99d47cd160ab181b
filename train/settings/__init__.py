"""A training run's settings, and the file that they are read from."""
