"""The replies of models. Each role has one pydantic model. The descriptions of the fields tell the
language model what to reply.

The field for the reasoning comes before the field for the decision, because a language model writes
the fields in this order. Unknown fields in a reply are ignored. If a field is missing or has the
wrong type, the reply counts as bad.
"""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

MAX_TEXT_CHARS = 1_500


class Reply(BaseModel):
    """The base class of all replies."""


def _text(description: str, max_chars: int = MAX_TEXT_CHARS):
    return Field(description=description, min_length=1, max_length=max_chars)


def _why(description: str = "one or two sentences"):
    return Field(description=description, max_length=MAX_TEXT_CHARS)


def _named(value: str | None) -> str | None:
    """A name that a model wrote into a field; None if the model wrote a word that means "no
    value"."""
    said = (value or "").strip()
    return (
        None
        if said.strip(".").casefold() in ("", "none", "null", "n/a", "unknown", "no rival")
        else said
    )


MaybeName = Annotated[str | None, AfterValidator(_named)]


def _as_it_stands(phrase: str, question: str) -> str:
    """A phrase with the same capitals as in the question. A reply with a wrong capital letter is
    corrected here, so that the model need not be asked again."""
    found = re.search(re.escape(phrase), question, re.IGNORECASE)
    if found is None:
        raise ValueError(
            f"phrase must be copied from the question; {phrase!r} does not stand in it"
        )
    return found[0]


class Worded(Reply):
    question: str = _text("the question, with the sentences that stand before it")
    phrase: str = _text(
        "the words that point to the picture, copied exactly from the question", 120
    )

    @model_validator(mode="after")
    def _copied(self) -> Self:
        self.phrase = _as_it_stands(self.phrase, self.question)
        return self


class SaidLine(BaseModel):
    line: int = Field(description="number of the line")
    words: str = _text("the words of the question that say it, copied exactly", 400)


class WordsRead(Reply):
    said: list[SaidLine] = Field(
        max_length=20,
        description="for each line that the question says or asks for, the words that do",
    )
    precision: Literal["", "century", "year", "month", "day"] = Field(
        default="", description="if it asks for a date, how exactly; else empty"
    )
    beyond: list[str] = Field(
        default=[],
        max_length=10,
        description="words of the question that say something which no line says; empty if there are none",
    )
    wrong: MaybeName = Field(
        default=None,
        max_length=400,
        description=(
            "the first place where the question says something else than the line: another relation, the other direction, another thing; null if none"
        ),
    )
    why: str = _why("what you compared, one or two sentences")
    holds: bool = Field(description="true if the question says all the lines and nothing else")


class Statement(BaseModel):
    sentence: str = _text("the whole sentence, copied exactly", 600)
    subject: str = _text("the name of the thing that the page is about", 200)
    relation: str = _text("the words that say what the object is to the subject, copied", 120)
    object: str = _text("the name of the other thing, copied", 200)
    single: bool = Field(
        description="true only if nothing else can be the same to the subject, as with a birthplace; false if others may be"
    )


class FactsTaken(Reply):
    statements: list[Statement] = Field(
        max_length=6, description="empty if there are none that are sure"
    )


class Solved(Reply):
    reasoning: str = _why("how you got there, at most four sentences")
    answer: MaybeName = Field(
        max_length=300,
        description="the answer alone, a word or a short phrase; null if you do not know",
    )


class PictureJudged(Reply):
    shows: str = _why("what is to be seen, one sentence, without naming it")
    kind: Literal[
        "photograph",
        "artwork",
        "drawing",
        "flag_or_emblem",
        "logo",
        "map",
        "diagram_or_chart",
        "icon",
        "text",
    ] = Field(
        description="drawing for whatever is drawn to show a thing: an illustration, a sketch, a flat or computer-made picture; "
        "artwork where a painting or print, photographed or not, is the whole picture; photograph for other photographs, a sculpture's among them"
    )
    too_simple: bool = Field(description="the verdict")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.too_simple and self.kind not in ("photograph", "artwork", "drawing"):
            raise ValueError(f"a picture of the kind {self.kind} is too simple")
        return self


class AnswerJudged(Reply):
    given: MaybeName = Field(
        max_length=300,
        description="the final answer that the reply gives, copied from it; null if it gives none",
    )
    why: str = _why(
        "where it agrees with the correct answer and where it differs, one or two sentences"
    )
    correct: bool
    confidence: int | None = Field(
        default=None, ge=0, le=100, description="how sure you are of the verdict, 0 to 100"
    )


class ReportJudged(Reply):
    why: str = _why(
        "where the report says the answer, or what it says instead, one or two sentences"
    )
    contains: bool


class PageRead(Reply):
    evidence: str = Field(
        max_length=4_000,
        description="the sentences of the page that bear on the goal, copied; empty if there are none",
    )
    summary: str = _text(
        "what the page says about the goal, two to four sentences; if it says nothing, that it does not"
    )


Share = Annotated[float, Field(ge=0, le=1)]


class RetrievalJudged(Reply):
    why: str = _why("what the search did well and badly, with step numbers, two or three sentences")
    image_search: Share | None = Field(
        default=None, description="null if the question needs no picture to be found or looked into"
    )
    text_search: Share | None = Field(
        default=None, description="null if the question needs no text to be found"
    )
    progression: Share
    complementarity: Share
    evidence: Share


class ProcessJudged(Reply):
    why: str = _why(
        "the worst thing found, with its step number, one to three sentences; say so if there is none"
    )
    tool_use: Share
    consistency: Share
    progression: Share
    evidence: Share


Dimension = Literal[
    "information_complexity",
    "visual_dependency",
    "shortcut_leakage",
    "verifiability",
    "step_appropriateness",
    "tool_usage_quality",
    "capability",
    "difficulty_match",
    "learning_utility",
]
Cause = Literal[
    "answer_in_question",
    "text_search",
    "image_search",
    "text_only",
    "no_tools",
    "visible_text",
    "not_grounded",
    "rival_fits",
    "ambiguous_answer",
    "unsolved",
    "few_sources",
    "too_easy",
    "too_hard",
]


class DimensionScored(BaseModel):
    """One dimension by which a judge scores."""

    dimension: Dimension
    why: str = _why("what in the task or its rollouts shows it, one sentence")
    score: Annotated[int, Field(ge=-5, le=5, description="-5 to 5")]


class FaultFound(BaseModel):
    """A fault of a task, and the stage of the pipeline that should have prevented the fault."""

    why: str = _why("what shows it, one sentence")
    cause: Cause
    stage: Literal["seeds", "paths", "writer", "pictures", "filters"]
    severity: Annotated[
        int, Field(ge=1, le=5, description="1 (mild) to 5 (the task is worth nothing)")
    ]


class Diagnosed(Reply):
    scores: list[DimensionScored] = Field(min_length=1, max_length=9)
    faults: list[FaultFound] = Field(
        max_length=6, description="empty where nothing is wrong with the task"
    )


class ProposedEdit(BaseModel):
    """One change of one field of the recipe."""

    why: str = _why("which recurring fault it mends and how, one sentence")
    number: int = Field(description="number of the recurring fault")
    path: str = _text("the field, as listed", 100)
    action: Literal["set", "append", "replace", "rewrite"] = Field(
        description="set for numbers, switches and words; the others for texts"
    )
    value: str = _text(
        'the field\'s new value as JSON; for append the words to add, for rewrite the whole text, for replace "old => new"',
        900,
    )


class EditsProposed(Reply):
    edits: list[ProposedEdit] = Field(max_length=8)


class EditReviewed(BaseModel):
    """What the reviewing model says about one edit."""

    number: int
    why: str = _why()
    accept: bool


class EditsReviewed(Reply):
    verdicts: list[EditReviewed] = Field(max_length=12)
