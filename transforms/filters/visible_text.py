"""The last look at the picture, by OCR: the text in it must not name a node or the answer, and must not be all that there is (`too_simple`)."""

from collections.abc import Callable, Sequence

from questloom.models.ocr import TextBlock
from questloom.models.picture_file import decode
from questloom.records.form import Form, Reads
from questloom.records.knowledge import Value
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Check, Question
from questloom.transforms.certificate.facts import Facts
from questloom.transforms.certificate.leak import answer_names, names_of_value
from questloom.transforms.drafting.accept import binding_of
from questloom.transforms.pictures.simple import covered_by_text
from questloom.transforms.pictures.text_leak import leak_in_picture, text_of
from questloom.transforms.stages.stage import reject


def visible_text(
    question: Question,
    picture: bytes,
    read: Callable[[bytes], Sequence[TextBlock]],
    facts: Facts,
    languages: tuple[str, ...],
) -> Question | Rejection:
    """The question with the check added to its certificate, or the rejection that quotes the picture."""
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
    values = [binding[r.var] for r in form.of(Reads)]
    return [str(v.year) if v.year is not None else v.text for v in values]
