"""Pictures of the world's things, drawn from their attributes."""
