"""The columns of the data set's configurations `tasks`, `rl`, `benchmark`, `rejected` and `attribution`.

Nested columns are records; `records/synthesis.py` describes the fields of these records.
"""

from collections.abc import Callable
from typing import Any

from datasets import Features, Image, List, Value

from questloom.pipeline.export.attribution import Attribution
from questloom.pipeline.export.chat import image_cell
from questloom.pipeline.export.scrub import error_kind, without_pictures
from questloom.records.identity import canonical_json
from questloom.records.outcomes import Reason, Rejection
from questloom.records.route import Route
from questloom.records.synthesis import (
    Certificate,
    Check,
    Enhancement,
    Hop,
    Question,
    Verdict,
)
from questloom.records.table import Json, Record

ReadPicture = Callable[[str], bytes]
"""A function that returns the bytes of a picture by its hash."""


def _struct(kind: type[Record], leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    features = Features.from_arrow_schema(kind.schema().remove_metadata())
    return {name: feature for name, feature in features.items() if name not in leave_out}


_IN_COLUMNS_OF_THEIR_OWN = ("evidence", "checks", "nominal_hops", "effective_hops")

TASK = Features(
    {
        "id": Value("string"),
        "question": Value("string"),
        "image": Image(),
        "answer": Value("string"),
        "answer_aliases": List(Value("string")),
        "answer_type": Value("string"),
        "answer_unit": Value("string"),
        "answer_precision": Value("string"),
        "original_image": Image(),
        "image_sha256": Value("string"),
        "original_image_sha256": Value("string"),
        "enhancement": _struct(Enhancement, ("original_image_id",)),
        "subset": Value("string"),
        "level": Value("string"),
        "method": Value("string"),
        "domain": Value("string"),
        "topic": Value("string"),
        "language": Value("string"),
        "writer": Value("string"),
        "nominal_hops": Value("int64"),
        "effective_hops": Value("int64"),
        "interest": Value("float64"),
        "route": _struct(Route),
        "needs_detail": Value("bool"),
        "needs_computation": Value("bool"),
        "form": Value("string"),
        "bindings": Value("string"),
        "anchor": Value("string"),
        "anchor_phrase": Value("string"),
        "evidence": List(_struct(Hop)),
        "certificate": _struct(Certificate, _IN_COLUMNS_OF_THEIR_OWN),
        "checks": List(_struct(Check)),
        "verdicts": List(_struct(Verdict)),
        "grounding": Value("string"),
        "provenance": Value("string"),
        "seed_id": Value("string"),
        "teacher_rollouts": Value("int64"),
        "teacher_correct": Value("int64"),
    }
)
REJECTED = Features({"id": Value("string"), **_struct(Rejection, ("item_id",))})
ATTRIBUTION = Features({"image_sha256": Value("string"), **_struct(Attribution, ("image_id",))})


def task_features(*, enhanced: bool, outside: bool, taught: bool) -> Features:
    """The columns of `tasks`, `rl` and `benchmark`. Columns that this recipe would leave empty in
    every row are left out.

    Args:
        enhanced: whether the recipe makes pictures worse on purpose, such as by blur.
        outside: whether the recipe includes questions from external data sets.
        taught: whether a teacher played the questions.
    """
    there = {
        **dict.fromkeys(("original_image", "original_image_sha256", "enhancement"), enhanced),
        "provenance": outside,
        **dict.fromkeys(("teacher_rollouts", "teacher_correct"), taught),
    }
    return Features({name: feature for name, feature in TASK.items() if there.get(name, True)})


def attribution_row(attribution: Attribution) -> dict[str, Any]:
    """Makes one row of `attribution`. The key column has the same name as in the other
    configurations."""
    row = attribution.to_row()
    return {"image_sha256": row.pop("image_id"), **row}


def task_row(
    question: Question, subset: str, read: ReadPicture, taught: tuple[int, int] | None = None
) -> dict[str, Any]:
    """Makes one row of `tasks`.

    Args:
        question: a kept question.
        subset: the use and split in the data set ("rl/train", "tasks/train", "benchmark/test").
        read: a function that returns the bytes of a picture.
        taught: the pair (number of the teacher's rollouts, number of right rollouts), if the
            teacher played the question.
    """
    certificate, enhancement = question.certificate, question.enhancement
    original = enhancement.original_image_id if enhancement else ""
    stored = certificate.to_row() if certificate else {}
    return {
        "id": question.id,
        "question": question.text,
        "image": image_cell(read(question.image_id), question.image_id),
        "answer": question.answer.text,
        "answer_aliases": list(question.answer.aliases),
        "answer_type": question.answer.type,
        "answer_unit": question.answer.unit,
        "answer_precision": question.answer.precision,
        "original_image": image_cell(read(original), original) if original else None,
        "image_sha256": question.image_id,
        "original_image_sha256": original,
        "enhancement": {k: v for k, v in enhancement.to_row().items() if k != "original_image_id"}
        if enhancement
        else None,
        "subset": subset,
        "level": question.level,
        "method": question.method,
        "domain": question.domain,
        "topic": question.topic,
        "language": question.language,
        "writer": question.writer,
        "nominal_hops": certificate.nominal_hops if certificate else len(question.hops),
        "effective_hops": certificate.effective_hops if certificate else None,
        "interest": question.interest or None,
        "route": question.route.to_row() if question.route else None,
        "needs_detail": question.needs_detail,
        "needs_computation": question.needs_computation,
        "form": _json(question.form),
        "bindings": canonical_json(question.bindings),
        "anchor": question.anchor,
        "anchor_phrase": question.anchor_phrase,
        "evidence": [
            hop.to_row() for hop in (certificate.evidence if certificate else question.hops)
        ],
        "certificate": {k: v for k, v in stored.items() if k not in _IN_COLUMNS_OF_THEIR_OWN}
        or None,
        "checks": [
            c.replace(evidence=Json(without_pictures(c.evidence))).to_row()
            for c in (certificate.checks if certificate else ())
        ],
        "verdicts": [
            v.replace(evidence=Json(without_pictures(v.evidence))).to_row()
            for v in question.verdicts
        ],
        "grounding": _json(without_pictures(question.grounding)),
        "provenance": _json(_source_of(question.provenance)),
        "seed_id": question.seed_id,
        "teacher_rollouts": taught[0] if taught else None,
        "teacher_correct": taught[1] if taught else None,
    }


def _json(value: Any) -> str | None:
    return None if value is None else canonical_json(value)


def _source_of(provenance: Any) -> Any:
    """The name of the external data set, and the number of the row there. Author, licence and page
    of the picture are left out, because `attribution.parquet` holds them."""
    return (
        {k: provenance[k] for k in ("source", "row") if k in provenance}
        if isinstance(provenance, dict)
        else None
    )


def rejected_row(rejection: Rejection) -> dict[str, Any]:
    """Makes one row of `rejected`. The row contains neither a picture nor a picture's name."""
    shown = (
        error_kind(rejection.evidence)
        if rejection.reason == Reason.ERROR
        else without_pictures(rejection.evidence)
    )
    row = rejection.replace(evidence=Json(shown)).to_row()
    return {"id": row.pop("item_id"), **row}
