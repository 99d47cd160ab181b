"""From a seed to a draft: which entities may be seeds, what a question asks about them, and how a
plan becomes a question.

Reading order: `README.md`.
"""
