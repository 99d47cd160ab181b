"""The audit sheet: drawn blind, filled in, read back as precision with its interval."""

import csv
import io
import json
import re
import shutil

import pytest

from questloom.pipeline.commands.audit import CRITERIA, read_sheet, write_sheet
from questloom.pipeline.report.run_reader import open_run
from questloom.records.errors import InputError
from questloom.records.share import Share
from tests.pipeline.browser import CHROMIUM, Page
from tests.pipeline.hostile_run import HOSTILE, HostileSources, poison
from tests.pipeline.synthetic_run import write_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run with about 55 kept questions."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    folder.parent.mkdir(exist_ok=True)
    write_run(folder, num_seeds=150, num_pictures=10)
    return folder


@pytest.fixture(scope="module")
def drawn(run):
    """A sheet of 40 items, which nobody fills."""
    write_sheet(run, items=40, seed=3)
    return (run / "audit").rename(run.parent / "drawn")


@pytest.fixture
def sheet(drawn, tmp_path):
    """(folder with sheet and key, rows of the CSV, key by code); a copy."""
    copied = shutil.copytree(drawn, tmp_path / "audit")
    with open(copied / "sheet.csv", encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return copied, rows, json.loads((copied / "key.json").read_text())["items"]


def fill(folder, rows, mark):
    """Writes the sheet with mark(row, criterion) under each criterion."""
    with open(folder / "sheet.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows({**row, **{c: mark(row, c) for c in CRITERIA}} for row in rows)
    return folder / "sheet.csv"


# Newcombe 1998, table I, method 3 (score without continuity correction).
@pytest.mark.parametrize(
    ("good", "num", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_intervals_are_those_of_newcombes_table(good, num, low, high):
    assert Share(good, num).interval == pytest.approx((low, high), abs=5e-5)


def test_half_of_the_items_were_kept_and_no_item_stands_twice(run, sheet):
    _, rows, key = sheet
    assert len(rows) == len(key) == 40 and {r["code"] for r in rows} == set(key)
    assert sum(entry["kept"] for entry in key.values()) == 20
    kept = {q.id for q in open_run(run).last.questions()}
    assert all((entry["question"] in kept) is entry["kept"] for entry in key.values())
    assert all(entry["reason"] for entry in key.values() if not entry["kept"])


def test_the_sheet_shows_no_verdict(sheet):
    folder, rows, key = sheet
    page = (folder / "sheet.html").read_text(encoding="utf-8") + (folder / "sheet.csv").read_text(
        encoding="utf-8"
    )
    assert not any(entry["question"] in page for entry in key.values())
    assert not any(entry["reason"] in page for entry in key.values() if entry["reason"])
    verdicts = [key[row["code"]]["kept"] for row in rows]
    assert verdicts != sorted(verdicts) and verdicts != sorted(verdicts, reverse=True)
    assert all(row[c] == "" for row in rows for c in CRITERIA)


def test_the_same_seed_draws_the_same_sheet_and_another_seed_another(run, sheet, tmp_path):
    write_sheet(run, items=40, seed=3)
    again = (run / "audit").rename(tmp_path / "again")
    write_sheet(run, items=40, seed=4)
    other = (run / "audit").rename(tmp_path / "other")
    for name in ("sheet.html", "sheet.csv", "key.json"):
        assert (
            (again / name).read_bytes()
            == (sheet[0] / name).read_bytes()
            != (other / name).read_bytes()
        )


def test_a_filled_sheet_gives_precision_wrong_rejections_and_a_row_for_each_reason(sheet):
    folder, rows, key = sheet
    kept = [r["code"] for r in rows if key[r["code"]]["kept"]]
    bad_kept, good_rejected = (
        set(kept[:2]),
        next(r["code"] for r in rows if not key[r["code"]]["kept"]),
    )

    def mark(row, criterion):
        if row["code"] in kept:
            return "no" if row["code"] in bad_kept and criterion == "unique" else "Yes"
        return "y" if row["code"] == good_rejected or criterion != "clear" else "N"

    result = read_sheet(fill(folder, rows, mark))
    assert (result.precision.num_good, result.precision.num) == (18, 20)
    assert (result.wrongly_rejected.num_good, result.wrongly_rejected.num) == (1, 20)
    assert sum(share.num for _, _, share in result.by_reason) == 20
    entry = key[good_rejected]
    (found,) = [
        s
        for stage, reason, s in result.by_reason
        if (stage, reason) == (entry["stage"], entry["reason"])
    ]
    assert found.num_good == 1
    assert dict((name, k.num_good) for name, k, _ in result.by_criterion)["unique"] == 18
    assert json.loads(json.dumps(result.as_json()))["precision"]["share"] == 0.9
    assert "90.0% (18 of 20; 95 %: 69.9% to 97.2%)" in str(result)


def test_open_items_count_nowhere_but_one_no_is_enough(sheet):
    folder, rows, key = sheet
    first, second = [r["code"] for r in rows if key[r["code"]]["kept"]][:2]

    def mark(row, criterion):
        return {
            first: "" if criterion == "right" else "yes",
            second: "no" if criterion == "right" else "",
        }.get(row["code"], "")

    result = read_sheet(fill(folder, rows, mark))
    assert (result.precision.num_good, result.precision.num, result.num_open) == (0, 1, 39)
    assert result.wrongly_rejected.interval == (0, 1) and "nothing judged" in str(result)


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_sheets_that_a_spreadsheet_saved_are_read(sheet, delimiter):
    folder, rows, _ = sheet
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, ["code", *CRITERIA], delimiter=delimiter, extrasaction="ignore")
    writer.writeheader()
    writer.writerows({**row, **dict.fromkeys(CRITERIA, "yes")} for row in rows)
    (folder / "sheet.csv").write_text(out.getvalue() + delimiter * 5 + "\r\n", encoding="utf-8-sig")
    assert read_sheet(folder / "sheet.csv").precision.num_good == 20


@pytest.mark.parametrize(
    ("spoil", "line", "what"),
    [(lambda lines: [lines[0], lines[1].replace(",yes,", ",perhaps,", 1), *lines[2:]], 2, "'perhaps' under natural"),
     (lambda lines: [lines[0], "zzzzzzzz" + lines[1][8:], *lines[2:]], 2, "'zzzzzzzz'"),
     (lambda lines: [*lines[:2], lines[1], *lines[2:]], 3, "second time"),
     (lambda lines: [lines[0].replace("fair", "fare"), *lines[1:]], 1, "no column fair"),
     (lambda lines: [lines[0], lines[1][:12], *lines[2:]], 2, "cells"),
     (lambda lines: [lines[0], '"' + lines[1], *lines[2:]], 2, "no CSV")],
)  # fmt: skip
def test_a_bad_line_is_named(sheet, spoil, line, what):
    folder, rows, _ = sheet
    path = fill(
        folder,
        [{k: r[k] for k in ("code", *CRITERIA, "remark")} for r in rows],
        lambda row, c: "yes",
    )
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\r\n".join(spoil(lines)) + "\r\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"line {line}: .*{what}"):
        read_sheet(path)


def test_a_missing_key_a_second_sheet_and_a_run_without_questions_are_refused(run, sheet, tmp_path):
    (sheet[0] / "key.json").unlink()
    with pytest.raises(InputError, match=r"key\.json"):
        read_sheet(sheet[0] / "sheet.csv")
    write_sheet(run, items=4)
    with pytest.raises(InputError, match="already"):
        write_sheet(run, items=4)
    (run / "audit").rename(tmp_path / "used")
    write_run(tmp_path / "empty", num_seeds=2, num_pictures=5, waiting=2)
    with pytest.raises(InputError, match="no question"):
        write_sheet(tmp_path / "empty")


def test_more_items_than_questions_gives_all(run, tmp_path):
    write_sheet(run, items=10_000)
    key = json.loads((run / "audit" / "key.json").read_text())["items"]
    (run / "audit").rename(tmp_path / "used")
    assert sum(entry["kept"] for entry in key.values()) == sum(
        1 for _ in open_run(run).last.questions()
    )


def test_hostile_text_neither_runs_in_the_sheet_nor_in_a_spreadsheet(tmp_path):
    sources = write_run(tmp_path, num_seeds=60, num_pictures=5)
    poison(tmp_path)
    path = write_sheet(tmp_path, items=10, sources=HostileSources(sources))
    page = path.read_text(encoding="utf-8")
    assert (
        page.count("<script") == 1
        and len(re.findall(r"<img\b", page)) == 10
        and "&lt;/script&gt;" in page
    )
    with open(tmp_path / "audit" / "sheet.csv", encoding="utf-8-sig", newline="") as file:
        assert all(row["question"].endswith(HOSTILE) for row in csv.DictReader(file))
    if CHROMIUM:
        with Page() as browser:
            browser.open(path.as_uri())
            assert (
                browser.run(
                    "window.hacked === undefined && document.querySelectorAll('article').length"
                )
                == 10
            )
            assert not browser.messages, browser.messages


def test_a_text_that_begins_like_a_formula_is_quoted_in_the_csv():
    from questloom.pipeline.commands.audit import _cell

    assert [_cell(t) for t in ("=1+1", "+1", "@x", "-1", "plain")] == [
        "'=1+1",
        "'+1",
        "'@x",
        "'-1",
        "plain",
    ]


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_marks_made_in_the_browser_are_read_back(sheet):
    folder, rows, key = sheet
    with Page() as page:
        page.open((folder / "sheet.html").as_uri())
        page.run("[...document.querySelectorAll('input[value=yes]')].forEach((i) => i.click())")
        page.run("document.querySelector('input[value=no]').click()")
        page.run(
            "const remark = document.querySelector('.remark input'); remark.value = 'a \"quoted\", remark';"
        )
        page.run("remark.dispatchEvent(new Event('change', {bubbles: true}))")
        assert page.run("document.getElementById('progress').textContent") == "40 of 40 judged"
        (folder / "sheet.csv").write_text(page.run("auditCsv()"), encoding="utf-8", newline="")
        page.open((folder / "sheet.html").as_uri())  # marks outlast the page
        assert page.run("document.getElementById('progress').textContent") == "40 of 40 judged"
        assert not page.messages, page.messages
    result = read_sheet(folder / "sheet.csv")
    first = key[rows[0]["code"]]["kept"]
    assert (result.precision.num_good, result.wrongly_rejected.num_good) == (
        20 - first,
        20 - (not first),
    )
