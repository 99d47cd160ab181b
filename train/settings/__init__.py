"""The settings of a training run, and the file that they are read from."""
