"""Data sets of the Hub: rows of structured-wikipedia and of entities give what dumps give; a field that is not there is named."""

import bz2
import gzip
import json
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from questloom.knowledge.readers.data_sets import is_data_set, plan_rows, read_rows
from questloom.knowledge.readers.entity_rows import plan_entity_rows, read_entity_rows
from questloom.knowledge.readers.structured_wikipedia import (
    plan_article_rows,
    read_article_rows,
    read_row_site,
)
from questloom.knowledge.readers.wikidata_json import parse_entity
from questloom.records.errors import InputError
from questloom.records.outcomes import Reason, Rejection
from tests.pipeline.commands.hub_server import TOKEN, hub_environment, served
from tests.shared_data import SHARED, needs
from tests.small_data_sets import (
    article_row,
    dump_articles,
    entity_row,
    write_lines,
    write_parquet,
)
from tests.small_dumps import write_dumps

DAY = "2021-02-01"
WRITERS = {"rows.jsonl": write_lines, "rows.parquet": write_parquet}


def row_articles(path):
    site = read_row_site(path)
    return [a for part in plan_article_rows(path) for a in read_article_rows(part, site)]


def row_entities(path):
    return [e for part in plan_entity_rows(path) for e in read_entity_rows(part, snapshot=DAY)]


@pytest.fixture
def article(tmp_path):
    dumps = write_dumps(tmp_path / "in")
    return next(a for a in dump_articles(dumps["articles"][0]) if a.title == "Lamp 1")


@needs("slice")
@pytest.mark.parametrize("name", WRITERS)
def test_articles_of_rows_are_those_of_the_dump(tmp_path, name):
    pages = dump_articles(str(SHARED / "data" / "slice" / "articles.xml.bz2"))
    dump = [a.replace(item=f"Q{a.page_id}") for a in pages if a.lead][:60]
    found = row_articles(WRITERS[name](tmp_path / name, map(article_row, dump)))
    assert [(a.title, a.page_id, a.revision) for a in found] == [
        (a.title, a.page_id, a.revision) for a in dump
    ]
    said = sum(len(a.links) for a in dump)
    same = 0
    for ours, theirs in zip(found, dump, strict=True):
        assert [" ".join(s.text.split()) for s in ours.sections] == [
            " ".join(s.text.split()) for s in theirs.sections
        ]
        assert [s.title for s in ours.sections] == [s.title for s in theirs.sections]
        assert [(f.name, f.targets) for f in ours.infobox] == [
            (f.name, f.targets) for f in theirs.infobox if f.text.strip()
        ]
        told = {(k.target, k.anchor, ours.sentence(k)) for k in ours.links}
        same += sum((k.target, k.anchor, theirs.sentence(k)) in told for k in theirs.links)
    assert said > 500 and same >= 0.98 * said


@needs("slice")
@pytest.mark.parametrize("name", WRITERS)
def test_entities_of_rows_are_those_of_the_dump(tmp_path, name):
    with gzip.open(SHARED / "data" / "slice" / "entities-sitelinked.json.gz") as file:
        lines = [line.strip().rstrip(b",") for line in islice(file, 300)]
    dump = [json.loads(line) for line in lines if line.startswith(b"{")]
    found = row_entities(WRITERS[name](tmp_path / name, map(entity_row, dump)))
    assert len(found) == len(dump) > 250
    for (entity, claims), data in zip(found, dump, strict=True):
        theirs, their_claims = parse_entity(data, snapshot=DAY)
        assert (entity.id, entity.labels, entity.classes, entity.sitelinks) == (
            theirs.id,
            theirs.labels,
            theirs.classes,
            theirs.sitelinks,
        )
        assert [(c.property, c.value, c.rank, c.qualifiers, c.best) for c in claims] == [
            (c.property, c.value, c.rank, c.qualifiers, c.best) for c in their_claims
        ]


def test_a_row_gives_text_links_infobox_picture_and_item(tmp_path, article):
    row = article_row(article.replace(item="Q1"))
    row["image"]["content_url"] = (
        "https://upload.wikimedia.org/wikipedia/commons/thumb/a/a8/Caf%C3%A9_lamp.png/500px-Caf%C3%A9_lamp.png"
    )
    row["sections"][0]["has_parts"].append({"type": "table", "value": "no text"})
    row["sections"][0]["has_parts"].append(
        {"type": "list", "has_parts": [{"type": "list_item", "value": "an item"}]}
    )
    (found,) = row_articles(write_lines(tmp_path / "rows.jsonl", [row]))
    assert (found.item, found.pictures[0].file) == ("Q1", "Café lamp.png")
    assert found.lead == article.lead + "\nan item"
    assert [(k.target, found.sentence(k)) for k in found.links] == [
        (k.target, article.sentence(k)) for k in article.links
    ]
    assert [f.name for f in found.infobox] == [f.name for f in article.infobox]


def test_a_page_that_redirects_is_none(tmp_path, article):
    row = article_row(article.replace(item="Q1"))
    row["sections"] = [
        {"type": "section", "name": "Abstract", "has_parts": [{"type": "paragraph", "value": t}]}
        for t in ("#REDIRECT Norhaven",)
    ]
    (found,) = row_articles(write_lines(tmp_path / "rows.jsonl", [row]))
    assert isinstance(found, Rejection) and found.reason == Reason.REDIRECT


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("field", ["identifier", "sections", "main_entity", "infoboxes"])
def test_a_renamed_field_of_an_article_is_named_with_the_one_that_may_be_meant(
    tmp_path, article, name, field
):
    row = article_row(article.replace(item="Q1"))
    row[f"{field}s"] = row.pop(field)
    with pytest.raises(InputError) as caught:
        row_articles(WRITERS[name](tmp_path / name, [row]))
    said = str(caught.value)
    assert f"has no field '{field}' ('{field}s' may be meant)" in said
    assert name in caught.value.where and "Rename the field" in caught.value.fix


@pytest.mark.parametrize(
    ("outer", "inner"),
    [("version", "identifier"), ("main_entity", "identifier"), ("image", "content_url")],
)
def test_a_renamed_inner_field_is_named_with_its_row(tmp_path, article, outer, inner):
    row = article_row(article.replace(item="Q1"))
    row[outer] = {"other": 1}
    with pytest.raises(InputError, match=rf"row 2: has no field '{outer}.{inner}'"):
        row_articles(
            write_lines(tmp_path / "rows.jsonl", [article_row(article.replace(item="Q1")), row])
        )


@pytest.mark.parametrize("name", WRITERS)
def test_a_missing_field_of_an_entity_is_named(tmp_path, name):
    row = entity_row({"id": "Q1", "claims": {}})
    row.pop("aliases")
    with pytest.raises(InputError, match="has no field 'aliases'; it has id, labels"):
        row_entities(WRITERS[name](tmp_path / name, [row]))


def test_a_value_whose_type_nothing_tells_is_refused(tmp_path):
    snak = {"property": "P1", "datavalue": "x", "datatypes": "string"}
    row = entity_row({"id": "Q1"}) | {"claims": {"P1": [{"mainsnak": snak, "rank": "normal"}]}}
    with pytest.raises(InputError, match=r"no field 'claims.datatype' .'datatypes' may be meant"):
        row_entities(write_lines(tmp_path / "rows.jsonl", [row]))


@pytest.mark.parametrize(
    ("line", "said"),
    [("{broken", "is no JSON"), ("[1]", "is no JSON object"), ("", "holds no row")],
)
def test_lines_that_are_none_are_refused_with_their_place(tmp_path, line, said):
    (tmp_path / "rows.jsonl").write_text(line + "\n")
    with pytest.raises(InputError, match=said):
        list(plan_rows(str(tmp_path / "rows.jsonl"), ("id",)))


def test_a_damaged_parquet_file_and_a_folder_without_data_are_one_error_each(tmp_path):
    (tmp_path / "rows.parquet").write_bytes(b"PAR1 no parquet")
    with pytest.raises(InputError, match="cannot be read as a data set"):
        plan_rows(str(tmp_path / "rows.parquet"), ("id",))
    with pytest.raises(InputError, match="no such"):
        plan_rows(str(tmp_path / "none.parquet"), ("id",))


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress)])
def test_packed_lines_and_a_folder_of_files_are_read_too(tmp_path, ending, pack):
    rows = [entity_row({"id": f"Q{n}"}) for n in range(1, 8)]
    whole = Path(write_lines(tmp_path / "rows.jsonl", rows))
    (tmp_path / "set").mkdir()
    for n in (1, 2):
        (tmp_path / "set" / f"{n}.jsonl.{ending}").write_bytes(pack(whole.read_bytes()))
    folder = f"{tmp_path}/set/"
    assert is_data_set(folder) and len(plan_entity_rows(folder)) == 2
    assert [e.id for e, _ in row_entities(folder)] == [r["id"] for r in rows] * 2


def test_each_row_group_is_a_range_and_together_they_are_all_rows(tmp_path):
    rows = [entity_row({"id": f"Q{n}", "claims": {}}) for n in range(1, 12)]
    parts = plan_entity_rows(write_parquet(tmp_path / "rows.parquet", rows, row_group_size=4))
    assert len(parts) == 3
    assert [row["id"] for part in parts for _, row in read_rows(part)] == [r["id"] for r in rows]


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("hf://datasets/wikimedia/structured-wikipedia/enwiki", True),
        ("rows.jsonl.gz", True),
        ("wikidata-20260101-all.json.gz", False),
        ("enwiki.xml.bz2", False),
    ],
)
def test_a_data_set_is_known_by_its_address_or_ending(path, is_one):
    assert is_data_set(path) == is_one


READ = """
import sys
from questloom.knowledge.readers.entity_rows import plan_entity_rows, read_entity_rows
for part in plan_entity_rows(sys.argv[1]):
    for entity, claims in read_entity_rows(part, snapshot="2021-02-01"):
        print(entity.id, len(claims))
"""


@pytest.mark.parametrize("name", WRITERS)
def test_rows_of_the_hub_are_streamed(tmp_path, name):
    rows = [entity_row({"id": f"Q{n}", "claims": {}}) for n in range(1, 8)]
    WRITERS[name](tmp_path / name, rows)
    with served() as hub:
        hub.files = {f"data/{name}": (tmp_path / name).read_bytes(), "README.md": b"a card"}
        done = subprocess.run(
            [sys.executable, "-c", READ, "hf://datasets/lab/small/data"],
            env=hub_environment(hub, tmp_path, TOKEN),
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.stdout.split("\n")[:-1] == [f"Q{n} 0" for n in range(1, 8)], done.stderr[-2000:]
    kept = [p for p in (tmp_path / "hf").rglob("*") if p.is_file() and p.suffix in (".parquet", "")]
    assert not any(p.stat().st_size == (tmp_path / name).stat().st_size for p in kept)


def test_a_hub_that_cannot_be_reached_is_one_error(tmp_path):
    with served() as hub:
        environment = {**hub_environment(hub, tmp_path, TOKEN), "HF_ENDPOINT": "http://127.0.0.1:9"}
    done = subprocess.run(
        [sys.executable, "-c", READ, "hf://datasets/lab/small/data"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert "cannot be read as a data set" in done.stderr.splitlines()[-1] or (
        "InputError" in done.stderr and "hf://datasets/lab/small/data" in done.stderr
    )
