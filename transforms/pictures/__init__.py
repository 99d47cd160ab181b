"""Chooses the pictures of questions: which pictures may be shown, what they show, and what they
must not reveal."""
