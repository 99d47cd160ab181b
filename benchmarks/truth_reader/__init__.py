"""An independent reader of questions. It takes English text and returns all answers that the truth
gives.
"""
