"""The audit sheet: people judge random kept and rejected questions without knowing which are which.
The filled-in sheet gives the precision with its interval.

```
RUN/audit/sheet.html   the sheet as a page with pictures; the marks are saved as CSV
          sheet.csv    the sheet as a table to fill in by hand
          key.json     which items were kept; hide this file from the judges
```

Half of the items are kept questions, and half were rejected after they were worded and got a
picture. The draw of items and their order depend only on the seed and the questions' ids.
"""

import base64
import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from questloom.files.locations import Location, check_locations, location
from questloom.files.parquet import write_whole
from questloom.knowledge.readers.titles import is_invented
from questloom.knowledge.store.store import Store
from questloom.pipeline.report.gallery import hop_words
from questloom.pipeline.report.people_names import Names, Sources
from questloom.pipeline.report.run_reader import Run, find_questions, open_run, store_of
from questloom.pipeline.report.thumbnails import Picture, picture_reader, shrunk
from questloom.records.errors import InputError
from questloom.records.identity import priority
from questloom.records.outcomes import Rejection
from questloom.records.share import Share
from questloom.records.synthesis import Hop, Question
from questloom.transforms.certificate.evidence import evidence
from questloom.transforms.certificate.execute import binding_of

CRITERIA = {
    "natural": "A person could have written it.",
    "clear": "It is plain what is asked and what kind of answer is wanted.",
    "fair": "Picture and search lead to the answer; nothing is given away and nothing is out of reach.",
    "right": "The answer is right.",
    "unique": "No other answer would be right as well.",
}
COLUMNS = ("code", *CRITERIA, "remark")
MARKS = {"yes": True, "y": True, "1": True, "no": False, "n": False, "0": False, "": None}
PICTURE_EDGE, PICTURE_QUALITY = 1024, 85
"""Pictures on the sheet are larger than the report's thumbnails, since details must be readable
close up."""


@dataclass(frozen=True)
class AuditResult:
    """The judgements on a sheet. An item is good if all five marks are yes; a single no makes it bad."""

    precision: Share
    """The share of good items among the kept items."""
    wrongly_rejected: Share
    """The share of good items among the rejected items."""
    by_reason: tuple[tuple[str, str, Share], ...]
    """For each reason a tuple (stage, reason, share of good items); reasons with the most judged
    items come first."""
    by_criterion: tuple[tuple[str, Share, Share], ...]
    """For each criterion a tuple (criterion, share of yes among the kept items, share of yes among
    the rejected items)."""
    num_open: int
    """The number of items that the shares leave out, because they have no mark or no line on the
    sheet."""

    def as_json(self) -> dict[str, Any]:
        return {
            "precision": self.precision.as_json(),
            "wrongly_rejected": self.wrongly_rejected.as_json(),
            "open": self.num_open,
            "by_reason": [
                {"stage": stage, "reason": reason, **share.as_json()}
                for stage, reason, share in self.by_reason
            ],
            "by_criterion": {
                name: {"kept": k.as_json(), "rejected": r.as_json()}
                for name, k, r in self.by_criterion
            },
        }

    def __str__(self) -> str:
        lines = [
            f"precision of what was kept: {self.precision}",
            f"wrongly rejected: {self.wrongly_rejected}",
            f"left open: {self.num_open}",
            "",
            "rejected for (good ones):",
            *(f"  {stage} {reason}: {share}" for stage, reason, share in self.by_reason),
            "",
            "by criterion (kept | rejected):",
            *(f"  {name}: {kept} | {rejected}" for name, kept, rejected in self.by_criterion),
        ]
        return "\n".join(lines)


def write_sheet(
    run: str | Location,
    items: int = 300,
    seed: int = 0,
    *,
    sources: Sources | None = None,
    picture: Picture | None = None,
) -> Location:
    """Draws items and writes sheet and key into `RUN/audit`. Returns the path of `sheet.html`.

    Args:
        run: the run's folder.
        items: the total number of items; fewer if the run has fewer.
        seed: the random seed of the draw.
        sources: a store for names and pictures, by default the one that `run.json` names.
        picture: a function that returns the bytes of a picture that is not in `run/pictures`; by
            default, the store gives them.

    Raises:
        InputError: there is no run, no question to judge, or a sheet exists already.
    """
    if items < 1:
        raise InputError("--items", f"{items} is too few", "Ask for at least one item.")
    check_locations(writes=[run])
    opened, folder = open_run(location(run)), location(run, "audit")
    if (folder / "sheet.csv").exists():
        raise InputError(
            str(folder / "sheet.csv"),
            "is there already and may hold marks",
            "Read it, then move or remove the folder.",
        )
    sources = sources or store_of(opened)
    read = picture_reader(opened.folder, picture or (sources.image_bytes if sources else None))
    kept_ids = {q for q, _ in _ids(opened, last_only=True)}
    reasons = _rejected(opened, kept_ids)
    names = Names(sources, opened.language)
    drawn = _draw(opened, kept_ids, reasons.keys(), items, seed, read)
    if not drawn:
        raise InputError(
            str(run),
            "has no question with words and a picture",
            "Run `questloom synth` on more seeds first.",
        )
    key, shown = {}, []
    for question, image in drawn:
        code = priority(seed, question.id, "audit code")[:8]
        rejection = reasons.get(question.id) if question.id not in kept_ids else None
        key[code] = {
            "question": question.id,
            "kept": rejection is None,
            "stage": rejection.stage if rejection else "",
            "reason": rejection.reason if rejection else "",
        }
        evidence = [_line(hop_words(hop, question, names)) for hop in _hops(question, sources)]
        shown.append(
            {
                "code": code,
                "question": question.text,
                "answer": question.answer.text,
                "evidence": evidence,
                "picture": base64.b64encode(image).decode(),
            }
        )
    write_whole(
        folder / "key.json",
        (json.dumps({"seed": seed, "items": key}, indent=1, sort_keys=True) + "\n").encode(),
    )
    write_whole(
        folder / "sheet.html", _page(opened.name, shown, invented=is_invented(opened.base)).encode()
    )
    write_whole(
        folder / "sheet.csv", _csv(shown).encode("utf-8-sig")
    )  # with a byte order mark, spreadsheets recognise UTF-8
    return folder / "sheet.html"


def _hops(question: Question, sources: Sources | None) -> Sequence[Hop]:
    """The question's hops (steps from one thing to the next) with their evidence. Hops and evidence
    are not taken from the certificate, because a missing certificate would reveal that the question
    was rejected."""
    form = question.logical_form
    found = (
        evidence(form, sources, binding_of(question.bindings))
        if form is not None and isinstance(sources, Store)
        else None
    )
    return found or question.hops


def _line(hop: dict[str, Any]) -> str:
    """A hop as a judge reads it: the text of a page, or else the claim in words."""
    if hop["evidence"]:
        return f"“{hop['evidence']}”" + (f" ({hop['article']})" if hop["article"] else "")
    return f"{hop['from']} — {hop['label']} — {hop['to']} (a claim; no page says it in words that are known)"


def _ids(run: Run, *, last_only: bool) -> Iterator[tuple[str, bool]]:
    """Yields a pair for each question: its id, and whether the question had words and a picture. If
    `last_only` is true, only the questions that the last stage kept count; otherwise those of every
    stage count."""
    for stage in ((run.last,) if run.last else ()) if last_only else run.question_stages:
        yield from stage.question_ids()


def _rejected(run: Run, kept: set[str]) -> dict[str, Rejection]:
    """The rejection of each rejected question that had words and a picture, so that people can
    judge it."""
    showable = {question for question, whole in _ids(run, last_only=False) if whole}
    rejections = sorted(
        (r for stage in run.stages for r in stage.rejections()),
        key=lambda r: (r.item_id, r.stage, r.reason),
    )
    return {r.item_id: r for r in rejections if r.item_id in showable and r.item_id not in kept}


def _draw(
    run: Run, kept: Iterable[str], rejected: Iterable[str], items: int, seed: int, read: Picture
) -> list[tuple[Question, bytes]]:
    """The items with their pictures, in the order of the sheet."""
    pools = [
        sorted(pool, key=lambda q: priority(seed, q, "audit draw")) for pool in (kept, rejected)
    ]
    wanted = items // 2
    sizes = [len(p) for p in pools]
    num_rejected = min(sizes[1], max(wanted, items - sizes[0]))
    chosen = [*pools[0][: items - num_rejected], *pools[1][:num_rejected]]
    questions = find_questions(run, chosen)
    drawn = []
    for question_id in sorted(chosen, key=lambda q: priority(seed, q, "audit order")):
        question = questions[question_id]
        try:
            drawn.append((question, shrunk(read(question.image_id), PICTURE_EDGE, PICTURE_QUALITY)))
        except (KeyError, InputError):  # without the picture nobody can judge the question
            continue
    return drawn


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _page(name: str, shown: list[dict], *, invented: bool) -> str:
    environment = Environment(
        loader=PackageLoader("questloom.pipeline.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    assets = files("questloom.pipeline.report")
    style, script = (
        (assets / kind / f"audit.{kind}").read_text(encoding="utf-8") for kind in ("css", "js")
    )
    sheet = hashlib.sha256("".join(item["code"] for item in shown).encode()).hexdigest()[:16]
    # Only the project's own script and style may run: the policy lists their hashes.
    return environment.get_template("audit.html").render(
        name=name,
        items=shown,
        invented=invented,
        criteria=CRITERIA,
        columns=COLUMNS,
        sheet=sheet,
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
    )


def _cell(text: str) -> str:
    """Changes a text so that no spreadsheet interprets it as a formula."""
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _csv(shown: list[dict]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([*COLUMNS, "question", "answer"])
    for item in shown:
        writer.writerow(
            [
                item["code"],
                *[""] * (len(COLUMNS) - 1),
                _cell(item["question"]),
                _cell(item["answer"]),
            ]
        )
    return out.getvalue()


def read_sheet(path: str | Location, *, key: str | Location | None = None) -> AuditResult:
    """Reads a filled-in sheet.

    Args:
        path: the CSV file, with comma, semicolon or tab between cells.
        key: the sheet's `key.json`, by default beside the sheet.

    Raises:
        InputError: a line is wrong; the message names file, line and fault.
    """
    path = location(path)
    key = location(key) if key else path.with_name("key.json")
    check_locations(reads=[path, key])
    try:
        truth = json.loads(key.read_text(encoding="utf-8"))["items"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            str(key),
            f"cannot be read as the sheet's key ({error})",
            "Name the key.json that was written with the sheet.",
        ) from error
    good: Counter[tuple[str, str, bool]] = Counter()
    judged: Counter[tuple[str, str, bool]] = Counter()
    yes: Counter[tuple[str, bool]] = Counter()
    marked: Counter[tuple[str, bool]] = Counter()
    for code, marks in _rows(path, truth):
        entry = truth[code]
        group = (entry["stage"], entry["reason"], entry["kept"])
        for name, mark in marks.items():
            if mark is not None:
                marked[name, entry["kept"]] += 1
                yes[name, entry["kept"]] += mark
        if False in marks.values() or None not in marks.values():
            judged[group] += 1
            good[group] += all(marks.values())

    def share(kept: bool) -> Share:
        return Share(
            sum(n for g, n in good.items() if g[2] is kept),
            sum(n for g, n in judged.items() if g[2] is kept),
        )

    by_reason = sorted(
        (
            (stage, reason, Share(good[stage, reason, False], n))
            for (stage, reason, kept), n in judged.items()
            if not kept
        ),
        key=lambda row: (-row[2].num, row[0], row[1]),
    )
    return AuditResult(
        share(True),
        share(False),
        tuple(by_reason),
        tuple(
            (
                name,
                Share(yes[name, True], marked[name, True]),
                Share(yes[name, False], marked[name, False]),
            )
            for name in CRITERIA
        ),
        len(truth) - sum(judged.values()),
    )


def _rows(path: Location, truth: dict) -> Iterator[tuple[str, dict[str, bool | None]]]:
    """Yields (code, {criterion: mark or None}) for each line of a filled-in sheet."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            str(path),
            f"cannot be read as text in UTF-8 ({error})",
            "Save the sheet as CSV in UTF-8.",
        ) from error
    first = text.split("\n", 1)[0]
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True
    )
    seen: set[str] = set()

    number = 1
    """The line of the file on which the current row begins. Cells of the sheet may contain line
    breaks."""

    def bad(what: str, fix: str) -> InputError:
        return InputError(f"{path}, line {number}", what, fix)

    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        missing = [c for c in ("code", *CRITERIA) if c not in header]
        if missing:
            raise bad(
                f"has no column {', '.join(missing)}", "Keep the first line as it was written."
            )
        while True:
            number = reader.line_num + 1
            row = next(reader, None)
            if row is None:
                return
            if not any(cell.strip() for cell in row):
                continue
            if len(row) < len(header):
                raise bad(f"has {len(row)} cells, not {len(header)}", "Keep all columns.")
            cells = dict(zip(header, (cell.strip() for cell in row), strict=False))
            code = cells["code"]
            if code not in truth:
                raise bad(
                    f"names an item {code!r} that the sheet did not have",
                    "Keep the codes as they were written, as text.",
                )
            if code in seen:
                raise bad(f"names item {code} a second time", "Leave one line an item.")
            seen.add(code)
            for name in CRITERIA:
                if cells[name].lower() not in MARKS:
                    raise bad(
                        f"has {cells[name]!r} under {name}", "Write yes or no, or leave it empty."
                    )
            yield code, {name: MARKS[cells[name].lower()] for name in CRITERIA}
    except csv.Error as error:
        raise bad(f"is no CSV ({error})", "Save the sheet as CSV again.") from error
