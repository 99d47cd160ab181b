"""What a training run keeps, prints and shares between its processes."""
