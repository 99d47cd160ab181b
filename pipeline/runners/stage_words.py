"""The words that the progress display uses for each stage. If a stage has no words here, the
display uses its name."""

from collections.abc import Iterable, Mapping

from questloom.records.table import Record
from questloom.transforms.filters import registry
from questloom.transforms.stages.stage import Stage

DOING = {
    "seeds": "choosing what to ask about",
    "text_facts": "reading pages for what no claim states",
    "plan": "planning what to ask",
    "draft": "writing questions",
    "pictures": "choosing pictures",
    "certify": "proving that each question has one answer and needs its picture",
    **{each.name: each.doing for each in registry.FILTERS},
    "enhance": "degrading some pictures",
    "split": "drawing the splits",
    "tasks": "choosing the questions to play",
    "play": "playing the questions",
    "answer": "judging the answers",
    "process": "judging the way to each answer",
    "keep": "choosing the episodes to keep",
    "solved": "counting what was solved",
    "items": "laying down the questions",
    "mark": "marking the answers",
}
UNITS = {
    "Seed": "seeds",
    "ReadSeed": "seeds",
    "Question": "questions",
    "Trajectory": "episodes",
    "Item": "questions",
    "Attempt": "attempts",
    "Mark": "marks",
}
MAX_REASONS = 2


def doing(stage: Stage) -> str:
    """Words that say what a stage does."""
    return stage.doing or DOING.get(stage.name, stage.name.replace("_", " "))


def units(number: int, record: type[Record]) -> str:
    """A number of records, followed by the word that people use for such records.

    >>> from questloom.records.synthesis import Seed
    >>> units(1, Seed), units(1200, Seed)
    ('1 seed', '1,200 seeds')
    """
    name = UNITS.get(record.__name__, "records")
    return f"{number:,} {name.removesuffix('s') if number == 1 else name}"


def because(reasons: Iterable[tuple[str, int]], own: Mapping[str, str]) -> str:
    """The most frequent reasons in words, each with its count.

    Args:
        reasons: the number of rejections for each reason.
        own: the reasons that individual stages define themselves, each with a sentence that
            explains it.

    >>> because([("not_unique", 3), ("sport", 1)], {"sport": "It is about sport."})
    'more than one answer fits (3); it is about sport (1)'
    """
    from questloom.transforms.reason_words import (
        REASONS,
    )  # imported here: the report's package loads slowly, and no worker needs it

    said = []
    for reason, number in sorted(reasons, key=lambda found: (-found[1], found[0]))[:MAX_REASONS]:
        sentence = (own.get(reason) or REASONS.get(reason) or reason.replace("_", " ")).rstrip(".")
        said.append(f"{sentence[:1].lower()}{sentence[1:]} ({number:,})")
    return "; ".join(said)


def left(seconds: float) -> str:
    """The remaining time, rounded, in words.

    >>> left(8), left(74), left(130), left(9000)
    ('about 10 s left', 'about 70 s left', 'about 2 min left', 'about 2.5 h left')
    """
    if seconds < 90:
        return f"about {max(10, round(seconds / 10) * 10)} s left"
    return (
        f"about {round(seconds / 60)} min left"
        if seconds < 5400
        else f"about {seconds / 3600:.1f} h left"
    )
