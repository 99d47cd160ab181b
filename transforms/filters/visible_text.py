"""Reads the text in the picture by OCR. The text must not name the answer or another hidden thing
of the question, and must not fill the picture (`too_simple`)."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from questloom.records.form import Form
from questloom.records.knowledge import Value
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Check, Question
from questloom.transforms.filters.filter import Filter, FilterJob, Measured, Switch, languages
from questloom.transforms.stages.stage import Apply, reject

if TYPE_CHECKING:
    from questloom.models.ocr import TextBlock
    from questloom.transforms.facts.lookups import Facts

CACHED_FILES = 256
"""The number of pictures whose text is kept; each takes about 100 kB."""


def visible_text(
    question: Question,
    picture: bytes,
    read: "Callable[[bytes], Sequence[TextBlock]]",
    facts: "Facts",
    languages: tuple[str, ...],
) -> Question | Rejection:
    """The question with the check added to its certificate, or a rejection that quotes the text in
    the picture."""
    from questloom.models.picture_file import decode
    from questloom.transforms.certificate.execute import binding_of
    from questloom.transforms.certificate.leak import answer_names, names_of_value
    from questloom.transforms.pictures.simple import covered_by_text
    from questloom.transforms.pictures.text_leak import leak_in_picture, text_of

    assert question.certificate is not None
    binding = binding_of(question.bindings)
    nodes = [
        n
        for value in binding.values()
        if value.kind == "entity"
        for n in names_of_value(facts, value, languages)
    ]
    names = [*answer_names(facts, question.answer, languages), *nodes]
    blocks = read(picture)
    page = covered_by_text(blocks, *decode(picture).size)
    if page:
        return reject(question, Reason.PICTURE_TOO_SIMPLE, page)
    hit = leak_in_picture(blocks, names, may_show=_asked_readings(question.logical_form, binding))
    if hit:
        return reject(
            question, Reason.LEAK, {"where": "picture", "name": hit, "text": text_of(blocks)[:300]}
        )
    check = Check(name="no_leak_in_picture", passed=True, score=float(len(blocks)))
    return question.replace(
        certificate=question.certificate.replace(checks=(*question.certificate.checks, check))
    )


def _asked_readings(form: Form | None, binding: dict[str, Value]) -> list[str]:
    if form is None:
        return []
    values = [binding[r.var] for r in form.shown_reads]
    return [str(v.year) if v.year is not None else v.text for v in values]


def make_visible_text(job: FilterJob) -> Apply:
    from questloom.models.ocr import (
        read_text,  # loads an inference engine: only where the stage runs
    )

    store, names = job.store, languages(job.recipe)
    read = functools.lru_cache(CACHED_FILES)(read_text)  # many questions show the same picture

    def check(question: Question) -> Question | Rejection:
        picture = job.run.picture(question.image_id).read_bytes()
        return visible_text(question, picture, read, store, names)

    return check


@dataclass(frozen=True, kw_only=True)
class VisibleTextRules:
    """The setting that switches the filter `visible_text` on or off."""

    visible_text: Switch = True
    """Whether to read the text in the picture (OCR) and search it for leaks."""


VISIBLE_TEXT = Filter(
    name="visible_text",
    help="The text read in the picture names no hidden entity and not the answer, and does not fill the picture.",
    doing="reading the text in the pictures",
    settings=VisibleTextRules,
    measured=Measured(264, 264),
    seconds=(0.3, 0.8, 2.0),
    make=make_visible_text,
)
