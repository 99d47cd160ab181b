"""What a store says, and how far it is believed."""
