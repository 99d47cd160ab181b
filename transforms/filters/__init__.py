"""The filters drop bad questions: questions whose words contain the answer, duplicates, and
questions that a solver answers without the picture or without a search.

The filters run from `answer_in_question` to `solvable`, cheapest first. Each filter stores its
verdict on the questions that it keeps."""
