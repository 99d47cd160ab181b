"""From a seed (the entity of a future question) to a draft: which entities may be seeds, what a
question asks about them, and how a plan becomes a question.

Reading order: `README.md`.
"""
