"""The three axes over which a round's tasks are spread: domain, ability profile and level (ODE,
arXiv 2605.10832, section 2). The function `balanced` chooses questions evenly over these axes."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from questloom.records.form import ClaimClause, Compare, Compute, SentenceClause
from questloom.records.identity import priority
from questloom.records.synthesis import Question


def profile_of(question: Question) -> str:
    """The ability profile that a question needs: one of `questloom.records.synthesis.ABILITIES`.
    Every question needs the picture. A question that rests on claims needs a search. A question
    with a computation or a comparison needs reasoning. A question without a formal query is assumed
    to need a search."""
    form = question.logical_form
    search = form is None or bool(form.of(ClaimClause) or form.of(SentenceClause))
    reasoning = form is not None and bool(form.of(Compute) or form.of(Compare))
    return "+".join(
        ["perception", *(["search"] if search else []), *(["reasoning"] if reasoning else [])]
    )


def axes_of(question: Question) -> dict[str, str]:
    """The question's place on each axis: its domain, its ability profile and its level."""
    return {
        "domain": question.topic or question.domain,
        "profile": profile_of(question),
        "level": question.level,
    }


def balanced(
    questions: Iterable[Question], num: int, *, levels: Mapping[str, float], seed: int
) -> list[Question]:
    """Chooses up to the given number of questions. In each step the function takes a question of
    the kind that it has chosen least so far. The levels are chosen in proportion to their weights.

    Args:
        levels: the weight of each level; levels without a weight come last.
        seed: the random seed that decides between equally good questions.
    """
    left = sorted(questions, key=lambda q: (priority(seed, q.id, "balance"), q.id))
    taken: Counter[tuple[str, str]] = Counter()
    chosen: list[Question] = []
    while left and len(chosen) < num:
        best = min(
            left,
            key=lambda q: sum(
                taken[axis, at] / (max(levels.get(at, 0.0), 1e-6) if axis == "level" else 1.0)
                for axis, at in axes_of(q).items()
            ),
        )
        left.remove(best)
        chosen.append(best)
        taken.update(axes_of(best).items())
    return chosen


def counts(questions: Sequence[Question]) -> dict[str, dict[str, int]]:
    """The number of chosen questions for each value of each axis, and for each combination of the
    three axes.
    """
    found: dict[str, Counter[str]] = {
        axis: Counter() for axis in ("domain", "profile", "level", "cell")
    }
    for question in questions:
        at = axes_of(question)
        for axis, place in at.items():
            found[axis][place] += 1
        found["cell"][" / ".join(at.values())] += 1
    return {axis: dict(sorted(counter.items())) for axis, counter in found.items()}
