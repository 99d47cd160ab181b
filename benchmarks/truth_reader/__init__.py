"""An independent reader of questions: takes English and returns all answers that the truth gives."""
