"""What a training run stores, prints, and shares between its processes."""
