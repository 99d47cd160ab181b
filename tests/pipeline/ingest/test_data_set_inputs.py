"""Ingest of data sets as the Hub has them: the same store as from dumps, refused fields before work starts, and memory that does not grow."""

import json
from pathlib import Path

import pytest

from benchmarks.data_sets import peak_of, write_articles
from questloom.knowledge.store import Store
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.records.errors import InputError
from questloom.transforms.ingest import read_stage
from tests.small_data_sets import article_row, dump_articles, entity_row, write_lines, write_parquet
from tests.small_dumps import write_dumps

WRITERS = {"jsonl": write_lines, "parquet": write_parquet}


def row_files(tmp_path, kind: str, dumps: dict) -> dict:
    """Articles and entities of dumps as data sets of one kind."""
    articles = [a for a in dump_articles(dumps["articles"][0]) if ":" not in a.title]
    found = [
        json.loads(line.rstrip(",\n"))
        for line in Path(dumps["entities"][0]).read_text().splitlines()
        if line.startswith('{"')
    ]
    entities = [entity_row(e) for e in found if e.get("type") == "item"]
    if kind == "jsonl":  # Parquet has no place for merged ids
        entities += [e for e in found if "redirect" in e]
    write = WRITERS[kind]
    with_item = [a.replace(item=f"Q{900_000 + n}") for n, a in enumerate(articles, 1)]
    return {
        "articles": (write(tmp_path / f"enwiki.{kind}", map(article_row, with_item)),),
        "entities": (write(tmp_path / f"wikidata.{kind}", entities),),
    }


@pytest.mark.parametrize("kind", WRITERS)
def test_data_sets_give_the_entities_and_claims_of_the_dumps(tmp_path, kind):
    dumps = write_dumps(tmp_path / "in")
    del dumps["images"]
    options = {"snapshot": "2026-11-01", "partitions": 2}
    run_ingest(IngestOptions(store=str(tmp_path / "dumps"), **dumps, **options))
    files = row_files(tmp_path, kind, dumps)
    made = run_ingest(IngestOptions(store=str(tmp_path / "rows"), **files, **options))
    first, second = Store.open(str(tmp_path / "dumps")), Store.open(str(tmp_path / "rows"))
    assert second.meta["wiki"] == "enwiki" and second.num_rows("articles") >= 3
    for name in ("Q900001", "Q900011", "Q900020", "Q39715"):
        ours, theirs = second.entity(name), first.entity(name)
        assert (ours.labels, ours.class_closure, ours.sitelinks) == (
            theirs.labels,
            theirs.class_closure,
            theirs.sitelinks,
        )
    if kind == "jsonl":
        assert second.entity("Q800099").id == "Q900011"
        assert second.subjects("P84", "Q900011") == ("Q900001",)
    assert second.article("Q900001").lead == first.article("Q900001").lead
    again = run_ingest(IngestOptions(store=str(tmp_path / "rows"), **files, **options))
    assert again.reused and again.meta["tables"] == made.meta["tables"]


def test_a_folder_of_row_files_stands_for_all_of_them(tmp_path):
    rows = [entity_row({"id": f"Q{n}", "labels": {"en": {"value": str(n)}}}) for n in range(1, 5)]
    (tmp_path / "set").mkdir()
    write_parquet(tmp_path / "set" / "a.parquet", rows[:2])
    write_parquet(tmp_path / "set" / "b.parquet", rows[2:])
    made = run_ingest(
        IngestOptions(
            store=str(tmp_path / "s"), entities=(str(tmp_path / "set"),), snapshot="2026-11-01"
        )
    )
    assert made.meta["tables"]["entities"]["rows"] == 4


def test_a_missing_field_stops_ingest_before_any_work(tmp_path):
    path = write_lines(tmp_path / "wikidata.jsonl", [{"id": "Q1", "claims": {}}])
    with pytest.raises(InputError, match=r"wikidata.jsonl: has no field 'labels'"):
        run_ingest(
            IngestOptions(store=str(tmp_path / "s"), entities=(path,), snapshot="2026-11-01")
        )
    assert not (tmp_path / "s" / "meta.json").exists()


def test_a_task_that_writes_several_times_gives_the_same_store(tmp_path, monkeypatch):
    files = row_files(tmp_path, "jsonl", write_dumps(tmp_path / "in"))
    options = {"snapshot": "2026-11-01", "partitions": 2}
    whole = run_ingest(IngestOptions(store=str(tmp_path / "whole"), **files, **options))
    monkeypatch.setattr(read_stage, "ROWS_BYTES", 200)
    parts = run_ingest(IngestOptions(store=str(tmp_path / "parts"), **files, **options))
    assert parts.meta["tables"] == whole.meta["tables"]


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_a_hundred_thousand_rows_take_no_more_memory_than_twenty_thousand(tmp_path, ending):
    peaks = []
    for number in (20_000, 100_000):
        path = tmp_path / f"{number}.{ending}"
        write_articles(path, number)
        kept, peak = peak_of(path, tmp_path / f"out-{number}")
        assert kept == number
        peaks.append(peak)
    assert peaks[1] < peaks[0] + 150, peaks
