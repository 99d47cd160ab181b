"""The trained model: loading it, running it on packed rows, optimising it."""
