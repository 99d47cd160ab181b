"""A reader of questions that is independent of the code that writes them. The reader takes English
text and returns all answers that the truth gives.
"""
