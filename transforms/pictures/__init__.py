"""Pictures of a question: which pictures may be shown, what they show, and what must not be in them."""
