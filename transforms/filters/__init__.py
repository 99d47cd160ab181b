"""The filters that drop a question: its words contain the answer, it is a duplicate, or a solver
answers it without its picture or a search.

The filters run from `answer_in_question` to `solvable`, cheapest first. Each filter stores its
verdict on the questions that it keeps."""
