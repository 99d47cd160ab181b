"""Counts the kinds of kept questions in one pass over them."""

from collections import Counter

from questloom.pipeline.report.charts import BarTable, bar_table, matrix
from questloom.records.knowledge import DOMAINS, TOPICS
from questloom.records.synthesis import BASES, LEVELS, METHODS, Question
from questloom.transforms.reason_words import words

LENGTH_STEP = 8
"""The report counts questions by length in words, in classes of this width (such as 8 to 15
words)."""
_TABLES = (
    ("Level", "level", LEVELS),
    ("Method", "method", METHODS),
    ("Domain", "domain", tuple(words(d) for d in DOMAINS)),
    ("Topic", "topic", TOPICS),
    ("Kind of answer", "answer", ()),
    ("What it needs", "needs", ()),
    ("Uniqueness margin", "margin", ("none", *map(str, range(9)), "no rival")),
    ("Basis of uniqueness", "basis", BASES),
    ("Split", "split", ()),
    ("Relations", "relation", ()),
    ("Licence of the picture", "licence", ()),
)
_NOTES = {
    "margin": "Facts that would have to be missing from the store before another entity fitted.",
    "relation": "A question counts for each relation it uses.",
}


class Distributions:
    """Counters over kept questions."""

    def __init__(self) -> None:
        self.num_questions = 0
        self.by_facet: dict[str, Counter[str]] = {facet: Counter() for _, facet, _ in _TABLES}
        self.hops: Counter[tuple[int, int]] = Counter()
        self.lengths: Counter[int] = Counter()

    def add(self, question: Question, facets: dict[str, str | list[str]]) -> None:
        """Adds a question to the counts.

        Args:
            question: a kept question.
            facets: the values that `gallery.facets` returns for the question.
        """
        self.num_questions += 1
        for facet, counter in self.by_facet.items():
            value = facets[facet]
            counter.update(value if isinstance(value, list) else [value])
        if (
            question.certificate and question.certificate.effective_hops is not None
        ):  # rows from outside have no certificate
            self.hops[question.certificate.nominal_hops, question.certificate.effective_hops] += 1
        self.lengths[len(question.text.split()) // LENGTH_STEP] += 1

    def tables(self) -> list[BarTable]:
        """A table with bars for each distribution."""
        found = [
            bar_table(
                title,
                facet,
                self.by_facet[facet],
                self.num_questions,
                order=order,
                note=_NOTES.get(facet, ""),
            )
            for title, facet, order in _TABLES
        ]
        steps = range(min(self.lengths, default=0), max(self.lengths, default=-1) + 1)
        spans = {
            step: f"{step * LENGTH_STEP} to {step * LENGTH_STEP + LENGTH_STEP - 1} words"
            for step in steps
        }
        lengths = Counter({spans[step]: self.lengths[step] for step in steps})
        return [
            *found,
            bar_table(
                "Length of the question", "", lengths, self.num_questions, order=spans.values()
            ),
        ]

    def hop_matrix(self) -> dict:
        """A table of questions: rows by the number of hops in the question's path, columns by the
        number of hops that are really needed."""
        return matrix(self.hops)
