"""A popularity file at ingest: it comes into the store's entities and into the store's identity, and is refused before work starts."""

import dataclasses

import pytest

from questloom.knowledge.store import Store
from questloom.pipeline.ingest.store_job import IngestOptions, IngestSummary, run_ingest
from questloom.records.errors import InputError
from questloom.records.knowledge import Popularity
from tests.small_dumps import write_dumps


def ingested(tmp_path, dumps: dict, name: str, text: str) -> tuple[IngestSummary, Store]:
    (tmp_path / f"{name}.tsv").write_text(text)
    store = str(tmp_path / name)
    made = run_ingest(
        IngestOptions(
            store=store, snapshot="2026-11-01", popularity=str(tmp_path / f"{name}.tsv"), **dumps
        )
    )
    return made, Store.open(store)


@pytest.fixture(scope="module")
def dumps(tmp_path_factory) -> dict:
    return write_dumps(tmp_path_factory.mktemp("dumps") / "in")


def test_stated_figures_come_into_the_store_and_its_digest_and_rows_of_other_things_are_counted(
    tmp_path, dumps
):
    plain = run_ingest(IngestOptions(store=str(tmp_path / "plain"), snapshot="2026-11-01", **dumps))
    made, store = ingested(
        tmp_path,
        dumps,
        "told",
        "id\tsitelinks\tpage_views\nQ900001\t80\t1200\nQ900020\t\t7\nQ77\t3\t3\n",
    )
    assert (
        store.entity("Q900001").popularity == Popularity(sitelinks=80, page_views=1_200)
        and store.entity("Q900001").num_sitelinks == 80
    )
    assert (
        store.entity("Q900020").popularity == Popularity(page_views=7)
        and store.entity("Q900020").num_sitelinks == 1
    )
    assert store.entity("Q900050").popularity is None
    assert made.meta["popularity"] == {"rows": 3, "met": 2} and "popularity" not in plain.meta
    other, _ = ingested(
        tmp_path,
        dumps,
        "other",
        "id\tsitelinks\tpage_views\nQ900001\t81\t1200\nQ900020\t\t7\nQ77\t3\t3\n",
    )
    again, _ = ingested(
        tmp_path,
        dumps,
        "again",
        "sources\tpage_views\tid\tsitelinks\nx\t7\tQ900020\t\n\t1200\tQ900001\t80\n\t4\tQ78\t\n",
    )
    assert (
        again.meta["digest"] == made.meta["digest"]
        and len({made.meta["digest"], other.meta["digest"], plain.meta["digest"]}) == 3
    )
    assert plain.meta["tables"]["claims"] == made.meta["tables"]["claims"]


def test_a_bad_file_is_refused_before_there_is_a_store_and_one_alone_is_no_input(tmp_path, dumps):
    with pytest.raises(InputError, match="line 3"):
        ingested(tmp_path, dumps, "bad", "id\tsitelinks\nQ900001\t80\nQ900020\tmany\n")
    assert (
        not (tmp_path / "bad" / "meta.json").exists() and not (tmp_path / "bad" / "tables").exists()
    )
    with pytest.raises(InputError, match="no-such-file"):
        run_ingest(
            IngestOptions(
                store=str(tmp_path / "none"),
                snapshot="2026-11-01",
                popularity=str(tmp_path / "no-such-file.tsv"),
                **dumps,
            )
        )
    (tmp_path / "alone.tsv").write_text("id\tsitelinks\nQ900001\t80\n")
    with pytest.raises(InputError, match="no input is given"):
        run_ingest(
            IngestOptions(store=str(tmp_path / "alone"), popularity=str(tmp_path / "alone.tsv"))
        )


def test_another_popularity_file_is_another_store(tmp_path, dumps):
    ingested(tmp_path, dumps, "told", "id\tsitelinks\nQ900001\t80\n")
    options = IngestOptions(
        store=str(tmp_path / "told"),
        snapshot="2026-11-01",
        popularity=str(tmp_path / "told.tsv"),
        **dumps,
    )
    assert run_ingest(options).reused
    with pytest.raises(InputError, match="other inputs"):
        run_ingest(dataclasses.replace(options, popularity=""))
    (tmp_path / "told.tsv").write_text("id\tsitelinks\nQ900001\t8\n")
    with pytest.raises(InputError, match="other inputs"):
        run_ingest(options)
