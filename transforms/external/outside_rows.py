"""Reads outside rows: (picture, question, answer) rows of other data sets. Outside rows skip the
earlier stages and start at the filters. OpenSearch-VL also merges other data sets: FVQA, WebQA and
more.

Each row becomes a question without a form (the formal query behind a question). The seed of the
question (the item that it starts from) has the rule "external". The certificate of an outside row
has the basis `external`, because no form was executed. Readers of the data set can therefore
recognise outside rows. Sources are JSON lines with paths of pictures, Parquet files, or a data
set's folder in the Hub's format. Sources must lie on this machine or in a bucket; the program does
not download them from other places.
"""

import json
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from questloom.files.data_folders import load_folder
from questloom.files.locations import (
    BucketPath,
    Location,
    check_locations,
    local_copy,
    location,
    open_binary,
)
from questloom.models.picture_file import PictureError, decode
from questloom.records.errors import InputError
from questloom.records.identity import sha256_hex
from questloom.records.knowledge import ImageAsset, Value
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Answer, Certificate, Question, Seed, Verdict
from questloom.records.table import Json
from questloom.transforms.external.external_rules import ExternalRules
from questloom.transforms.pictures.choose import check_metadata, check_picture, perceptual_hash
from questloom.transforms.pictures.ground import not_run
from questloom.transforms.pictures.picture_rules import PictureRules
from questloom.transforms.pictures.shown import ShownPicture, shown
from questloom.transforms.stages.stage import reject

METHOD = "external"
MAX_TEXT = 4_000
"""Maximum number of characters of a question or answer. A row with a longer text is rejected."""
MAX_PICTURE_BYTES = 200_000_000


@dataclass(frozen=True)
class Source:
    """An open source: gives rows by number, and pictures on request."""

    rules: ExternalRules
    rows: Any
    """The rows: a list of dicts, or a memory-mapped `datasets.Dataset`."""

    def __len__(self) -> int:
        return min(len(self.rows), self.rules.limit or len(self.rows))

    def seed(self, number: int) -> Seed:
        """The seed of a row."""
        return Seed(
            entity_id=f"{self.rules.source}:{number}",
            method=METHOD,
            rule=METHOD,
            level=self.rules.level,
            domain="other",
        )

    def text(self, number: int, column: str) -> str:
        """A cell as one line of text; "" where the column has no name or the cell is empty."""
        value = self.rows[number].get(column) if column else None
        return "" if value is None else " ".join(str(value).split())

    def picture(self, number: int) -> bytes | None:
        """The bytes of a row's picture. None where the row has no picture or several pictures. The
        result is also None where the picture's file is too large or lies outside the source's
        folder."""
        value = self.rows[number].get(self.rules.image_column)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict):  # the Image feature, undecoded
            value = value.get("bytes") or value.get("path")
        if isinstance(value, bytes):
            return value
        if not isinstance(value, str) or not value:
            return None
        source = location(self.rules.path)
        # A row may name any path. Only files that came with the source are read.
        if isinstance(source, BucketPath) and source.is_file():
            within = (
                not PurePosixPath(value).is_absolute()
                and ".." not in PurePosixPath(value).parts
                and "://" not in value
            )
            found = source.parent / value
            return (
                found.read_bytes()
                if within and found.is_file() and found.size() <= MAX_PICTURE_BYTES
                else None
            )
        local = local_copy(source).resolve()
        folder = local if local.is_dir() else local.parent
        path = (folder / value).resolve()
        usable = (
            path.is_relative_to(folder)
            and path.is_file()
            and path.stat().st_size <= MAX_PICTURE_BYTES
        )
        return path.read_bytes() if usable else None


def open_source(rules: ExternalRules) -> Source:
    """Opens a source.

    Raises:
        InputError: the path does not exist, the source cannot be read, or a named column is
            missing.
    """
    where = f"recipe key external, {rules.path}"
    path = location(rules.path)
    check_locations(reads=[path])
    if not path.exists():
        raise InputError(
            where, "is not there", "Name a .jsonl or .parquet file, or a data set's folder."
        )
    source = Source(
        rules,
        _json_lines(path) if path.suffix == ".jsonl" else _columns(local_copy(path), rules, where),
    )
    if not len(source):
        raise InputError(where, "holds no row", "Remove it from the recipe, or name another split.")
    named = (
        rules.image_column,
        rules.question_column,
        rules.answer_column,
        rules.licence_column,
        rules.author_column,
        rules.page_column,
    )
    missing = sorted(c for c in named if c and c not in source.rows[0])
    if missing:
        raise InputError(
            where,
            f"has no column {', '.join(missing)}",
            f"Its columns: {', '.join(sorted(source.rows[0]))}.",
        )
    return source


def _json_lines(path: Location) -> list[dict[str, Any]]:
    rows = []
    with open_binary(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(
                    f"{path}, line {number}",
                    f"is no JSON ({error})"[:300],
                    "Correct the line, or remove it.",
                ) from error
            if not isinstance(row, dict):
                raise InputError(
                    f"{path}, line {number}",
                    "is no JSON object",
                    "Write one object with the named columns a line.",
                )
            rows.append(row)
    return rows


def _columns(path: Path, rules: ExternalRules, where: str) -> Any:
    """Opens a `datasets.Dataset` without decoding its pictures."""
    import datasets  # importing datasets is slow, and only recipes with such a source need it

    try:
        if path.is_file():
            found = datasets.load_dataset("parquet", data_files=str(path), split="train")
        elif (path / "state.json").is_file():
            found = datasets.load_from_disk(str(path))
        else:
            found = load_folder(path, rules.split)
        encoded, kind = datasets.Image(decode=False), found.features.get(rules.image_column)
        if isinstance(kind, datasets.Image):
            found = found.cast_column(rules.image_column, encoded)
        elif isinstance(kind, datasets.List) and isinstance(kind.feature, datasets.Image):
            found = found.cast_column(rules.image_column, datasets.List(encoded))
    except (
        Exception
    ) as error:  # the library raises its own errors, and errors of pyarrow, pandas and the system
        raise InputError(
            where,
            f"cannot be read as a data set ({error})"[:500],
            "Name a .jsonl or .parquet file, or a data set's folder.",
        ) from error
    return found


def question_of(seed: Seed, source: Source, number: int, language: str) -> Question | Rejection:
    """Makes a question of a row, or gives the reason why the row cannot be a question."""
    rules = source.rules
    text, answer = (
        source.text(number, rules.question_column),
        _answer(source.rows[number].get(rules.answer_column)),
    )
    if not text or len(text) > MAX_TEXT:
        return reject(seed, Reason.NO_WORDING, {"characters": len(text), "most": MAX_TEXT})
    if answer is None:
        return reject(seed, Reason.NO_ANSWER)
    provenance = {
        "source": rules.source,
        "row": number,
        "licence": source.text(number, rules.licence_column) or rules.licence,
        "author": source.text(number, rules.author_column),
        "page": source.text(number, rules.page_column),
    }
    return Question(
        seed_id=seed.id,
        seed_entity=seed.entity_id,
        method=METHOD,
        level=seed.level,
        domain=seed.domain,
        text=text,
        language=language,
        writer=METHOD,
        answer=answer,
        provenance=Json(provenance),
    )


def _answer(given: Any) -> Answer | None:
    first, *others = given if isinstance(given, list) and given else [given]
    if isinstance(first, int | float) and not isinstance(first, bool):
        return Answer(
            value=Value(kind="quantity", number=float(first)), text=f"{first:g}", type="quantity"
        )
    words = [" ".join(str(v).split()) for v in (first, *others) if isinstance(v, str | int | float)]
    if not words or not words[0] or len(words[0]) > MAX_TEXT:
        return None
    return Answer(
        value=Value(kind="string", text=words[0]),
        text=words[0],
        type="string",
        aliases=tuple(w for w in words[1:] if w),
    )


def picture_of(
    question: Question, source: Source, number: int, rules: PictureRules, excluded: frozenset[str]
) -> tuple[Question, ShownPicture] | Rejection:
    """The question with its picture, or a rejection. The picture passes the same checks as a
    store's pictures.

    A picture without a licence is never read.
    """
    facts = question.provenance
    assert isinstance(facts, dict)
    image = ImageAsset(
        id="",
        file=question.seed_entity,
        mime="image/*",
        width=rules.min_side,
        height=rules.min_side,
        num_bytes=0,
        licence=facts["licence"],
        author=facts["author"],
        source_page=facts["page"],
    )
    refused = check_metadata(image, rules)  # of its licence only: size and kind are not known yet
    if refused:
        return reject(question, *refused)
    data = source.picture(number)
    if data is None:
        return reject(question, Reason.NO_PICTURE)
    try:
        pixels = decode(data)
        image = image.replace(
            id=sha256_hex(data),
            width=pixels.width,
            height=pixels.height,
            num_bytes=len(data),
            perceptual_hash=perceptual_hash(data),
        )
    except PictureError as error:
        return reject(question, error.reason, str(error))
    checked = check_picture(image, data, rules, excluded=excluded)
    if isinstance(checked, Rejection):
        return reject(question, Reason(checked.reason), checked.evidence)
    picture = shown(pixels)
    return question.replace(
        image_id=picture.id,
        source_image_id=picture.id,
        grounding=Json(not_run("", "outside row").to_row()),
        provenance=Json({**facts, "sha256": image.id}),
    ).with_verdict(Verdict(filter="too_simple", passed=True, solver="statistics")), picture


def certified(question: Question) -> Question:
    """The question with the certificate of an outside row. The certificate of an outside row states
    only the basis `external`."""
    return question.replace(certificate=Certificate(basis=METHOD, margin=-1))
