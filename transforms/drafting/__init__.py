"""From a seed to a draft: which entities may be seeds, what they are asked for, and how one of their plans becomes a question.

Reading order: `README.md`.
"""
