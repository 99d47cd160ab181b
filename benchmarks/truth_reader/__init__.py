"""An independent reader of questions: English in, all answers that the truth of the fictional world gives out."""
