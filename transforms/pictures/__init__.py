"""Pictures of a question: which may be shown, what they show, and what may not be in them."""
