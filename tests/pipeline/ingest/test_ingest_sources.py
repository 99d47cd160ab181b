"""Ingest from other sources than dumps: ZIM files, the query service, Commons."""

import os
import shutil
import subprocess

import pytest

from questloom.agent.judges.match import match
from questloom.knowledge.store import Store
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.records.errors import InputError
from questloom.records.knowledge import Value, entity_value
from questloom.records.synthesis import Answer
from questloom.transforms.certificate.leak import find_leak
from questloom.transforms.facts.values import best_values
from questloom.transforms.ingest.service_sources import Services
from questloom.transforms.writing.answers import answer_of
from tests.shared_data import SHARED, needs
from tests.small_dumps import write_dumps
from tests.small_services import FILE, STATEMENTS, services


def test_seeds_come_from_the_query_service_and_their_pictures_from_commons(tmp_path, monkeypatch):
    monkeypatch.setenv("QUESTLOOM_CONTACT", "tests@example.org")
    with services() as (address, asked):
        ask = Services(
            cache=str(tmp_path / "cache"),
            sparql_endpoint=f"{address}/sparql",
            sparql_seeds=1,
            commons_endpoint=f"{address}/api",
        )
        options = {
            "entities": ("sparql",),
            "images": ("commons",),
            "snapshot": "2026-11-01",
            "services": ask,
            "partitions": 1,
        }
        summary = run_ingest(IngestOptions(store=str(tmp_path / "store"), **options))
        num_asked = len(asked)
        again = run_ingest(IngestOptions(store=str(tmp_path / "again"), **options))
    store = Store.open(str(tmp_path / "store"))
    assert store.subjects("P84", "Q2") == ("Q1",) and store.label("Q2") == "Ada", (
        "the values of a seed's claims are items too"
    )
    assert store.members("Q12518") == ("Q1",)
    (lamp,) = store.images_of("Q1")
    assert lamp.licence == "CC0" and store.image_bytes(lamp.id) == FILE
    assert summary.reasons == {"bad_entity": 1}, "the service does not know Q404"
    assert again.meta["tables"] == summary.meta["tables"] and len(asked) == num_asked, (
        "what was answered once is not asked again"
    )


def asked_for(tmp_path, monkeypatch, *ids, **more):
    """The store of a query service that was asked for these items."""
    monkeypatch.setenv("QUESTLOOM_CONTACT", "tests@example.org")
    with services() as (address, _):
        ask = Services(
            cache=str(tmp_path / "cache"), sparql_endpoint=f"{address}/sparql", sparql_ids=ids
        )
        run_ingest(
            IngestOptions(
                store=str(tmp_path / "store"),
                entities=("sparql",),
                snapshot="2026-11-01",
                services=ask,
                **more,
            )
        )
    return Store.open(str(tmp_path / "store"))


@pytest.mark.parametrize("ids", [("Q404",), tuple(f"Q5{n:02}" for n in range(50)), ("Q11",)])
def test_a_query_service_that_knows_no_item_is_an_error_with_the_likely_causes(
    tmp_path, monkeypatch, ids
):
    with pytest.raises(InputError, match="knows none of the items") as caught:
        asked_for(tmp_path, monkeypatch, *ids)
    said = str(caught.value)
    assert (
        "/sparql" in said
        and ids[0] in said
        and all(
            cause in said for cause in ("deleted", "redirect", "2025", "--sparql-endpoint", "cache")
        )
    )
    assert not (tmp_path / "store" / "meta.json").exists()


def test_a_query_service_without_rare_items_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.small_services.rows", lambda query: [])
    with pytest.raises(InputError, match="finds no rare item"):
        asked_for(tmp_path, monkeypatch)


def test_items_that_the_service_does_not_know_are_named_counted_and_listed(
    tmp_path, monkeypatch, capfd
):
    store = asked_for(tmp_path, monkeypatch, "Q1", "Q403", "Q404")
    (said,) = (line for line in capfd.readouterr().err.splitlines() if "does not know" in line)
    assert (
        "does not know 2 (Q403, Q404) of the 3 items asked for" in said
        and "2025" in said
        and "read.parquet" in said
    )
    assert store.entity("Q1") is not None and store.meta["reasons"] == {"bad_entity": 2}


def test_where_all_items_are_known_nothing_is_said(tmp_path, monkeypatch, capfd):
    asked_for(tmp_path, monkeypatch, "Q1", "Q2")
    assert "does not know" not in capfd.readouterr().err


def test_an_id_that_was_merged_finds_the_item_that_it_became(tmp_path, monkeypatch, capfd):
    store = asked_for(tmp_path, monkeypatch, "Q10")
    assert (
        store.entity("Q10").id == "Q1"
        and store.entity("Q1").merged_ids == ("Q10",)
        and store.label("Q10") == "Lamp"
    )
    assert "does not know" not in capfd.readouterr().err


def test_a_value_that_was_merged_into_an_item_that_is_there_comes_once(tmp_path, monkeypatch):
    monkeypatch.setitem(
        STATEMENTS, "Q2", (("P31", "WikibaseItem", "Q39715"), ("P40", "WikibaseItem", "Q10"))
    )
    store = asked_for(tmp_path, monkeypatch, "Q1", "Q2")
    assert store.meta["reasons"] == {"bad_entity": 1}, "Q404 alone; no record stands twice"
    assert [v.entity for v in best_values(store, "Q2", "P40")] == ["Q1"]


def test_what_is_no_id_of_an_item_is_refused_before_anything_is_asked(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="--sparql-ids P31: is no id of an item"):
        asked_for(tmp_path, monkeypatch, "Q1", "P31")
    assert not (tmp_path / "cache").exists()


def test_without_a_contact_no_service_is_asked(tmp_path, monkeypatch):
    monkeypatch.delenv("QUESTLOOM_CONTACT", raising=False)
    with pytest.raises(InputError, match="QUESTLOOM_CONTACT"):
        run_ingest(
            IngestOptions(
                store=str(tmp_path / "store"), entities=("sparql",), snapshot="2026-11-01"
            )
        )


REPORTS = SHARED / "data" / "reports"


@needs("reports")
def test_of_the_reported_owners_only_the_second_is_best_and_a_century_is_found_by_its_years(
    tmp_path,
):
    run_ingest(
        IngestOptions(
            store=str(tmp_path / "store"),
            entities=(str(REPORTS / "century.json"),),
            snapshot="2026-01-31",
        )
    )
    store = Store.open(str(tmp_path / "store"))
    assert [v.entity for v in best_values(store, "Q7000001", "P127")] == ["Q7000011"]
    assert store.subjects("P127", "Q7000010") == () and store.subjects("P127", "Q7000011") == (
        "Q7000001",
    )
    chapels, year = ("Q7000002", "Q7000003"), "Q7000004"
    found = {
        said: store.subjects("P571", f"time:+{said}/9")
        for said in ("1900", "1901", "1950", "2000", "2001", "2010")
    }
    assert found == {
        "1900": (),
        "1901": chapels,
        "1950": (*chapels, year),
        "2000": chapels,
        "2001": (),
        "2010": (),
    }
    assert store.subjects("P571", store.claims(chapels[0])[-1].value.key()) == (*chapels, year)
    assert store.profile("P571").num_values == 2


@needs("reports")
@pytest.mark.parametrize("languages", [(), ("en",), ("de",), ("en", "de")])
def test_a_reported_alias_under_mul_leaks_and_is_right(tmp_path, languages):
    dump = str(REPORTS / "mul_aliases.json")
    run_ingest(
        IngestOptions(
            store=str(tmp_path / "store"),
            entities=(dump,),
            snapshot="2026-01-31",
            languages=languages,
        )
    )
    store, house = Store.open(str(tmp_path / "store")), entity_value("Q7100002")
    year = Answer(
        value=Value(kind="time", time="+1832-00-00T00:00:00Z", precision=9),
        text="1832",
        type="date",
    )
    for language in languages or ("en", "de"):
        leak = find_leak(
            store, {"question": "Who built the Lornpalais?"}, {"x0": house}, year, (language,)
        )
        assert leak == {"where": "question", "node": "x0", "name": "Lornpalais"}
        assert store.label("Q7100001", language) == "Ilse Brandt"
    if languages != ("de",):
        answer = answer_of(store, house)
        assert (
            answer.text == "Haus Lorn"
            and match(answer, "Lornpalais")
            and match(answer, "the Lornpalais")
        )


@needs("zim/wikipedia_cr_all_2015-04.zim")
def test_a_zim_gives_articles_with_their_pictures(tmp_path):
    zim = SHARED / "data" / "zim" / "wikipedia_cr_all_2015-04.zim"
    run_ingest(IngestOptions(store=str(tmp_path / "store"), articles=(str(zim),)))
    store = Store.open(str(tmp_path / "store"))
    assert (
        store.meta["wiki"] == "crwiki"
        and store.num_rows("articles") > 200
        and store.num_rows("images") > 100
    )
    shown = [
        image for article in store.scan_articles() for image in store.images_of(article.entity_id)
    ]
    assert shown and all(not image.licence for image in shown), "a ZIM names no licences"


def test_what_is_called_a_zim_and_is_none_is_refused(tmp_path):
    fake = tmp_path / "wiki.zim"
    fake.write_bytes(b"no zim at all")
    with pytest.raises(InputError, match="no ZIM"):
        run_ingest(IngestOptions(store=str(tmp_path / "store"), articles=(str(fake),)))


@pytest.mark.skipif(
    not shutil.which("mount") or os.geteuid() != 0, reason="needs the right to mount a small disk"
)
def test_a_full_disk_is_a_clear_error_and_leaves_no_whole_store(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", str(disk)], capture_output=True
    ).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        with pytest.raises(InputError, match="the disk is full"):
            run_ingest(
                IngestOptions(
                    store=str(disk / "store"), snapshot="2026-11-01", **write_dumps(tmp_path / "in")
                )
            )
        with pytest.raises(InputError):
            Store.open(str(disk / "store"))
    finally:
        subprocess.run(["umount", str(disk)], check=True)
