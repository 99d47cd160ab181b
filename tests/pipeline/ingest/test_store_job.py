"""The whole job over hand-made dumps: what stands in the store, why things were dropped, and that nothing depends on how it ran."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from questloom.files.parquet import read_records
from questloom.knowledge.search import TextSearch
from questloom.knowledge.store import Store
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.records.errors import InputError, QuestloomError
from questloom.records.outcomes import Rejection
from questloom.transforms.ingest import sources
from tests import small_dumps
from tests.small_dumps import write_dumps

SNAPSHOT = "2026-11-01"


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> dict:
    return write_dumps(tmp_path_factory.mktemp("dumps") / "in")


@pytest.fixture(scope="module")
def done(inputs, tmp_path_factory):
    """(summary, store, what progress told)"""
    told = []
    path = str(tmp_path_factory.mktemp("stores") / "store")
    summary = run_ingest(
        IngestOptions(store=path, snapshot=SNAPSHOT, **inputs), lambda *step: told.append(step)
    )
    return summary, Store.open(path), told


@pytest.fixture(scope="module")
def store(done) -> Store:
    return done[1]


def test_links_and_redirects_are_resolved_and_counted_by_article(store):
    lamp = store.article("Q900001")
    assert [link.target for link in lamp.links] == [
        "Norhaven",
        "Norhaven",
        "Missing",
        "Lamp 1",
        "Ada Bruck",
    ]
    town = store.article("Q900020")
    assert town.redirects == ("Elder town", "Old town")
    assert town.in_degree == store.entity("Q900020").in_degree == 2, (
        "Lamp 1 links twice, List of honour once, dropped pages do not count"
    )
    assert lamp.in_degree == 1, "its own link does not count"


def test_titles_lead_to_entities_over_redirects_and_without_an_article(store):
    found = {"Old town": "Q900020", "Faraway": "Q900050", "Ada Bruck": "enwiki:Ada Bruck"}
    assert {title: store.entity_of_title(title) for title in found} == found
    assert not any(map(store.entity_of_title, ("A", "Nowhere", "Missing", "Lamp", "List of lamps")))


def test_an_article_without_an_item_gets_a_minted_entity_with_infobox_claims(store):
    ada = store.entity("enwiki:Ada Bruck")
    assert (ada.label(), ada.classes, ada.domain) == ("Ada Bruck", ("Q5",), "person")
    found = {c.property: c for c in store.claims(ada.id)}
    assert (
        found["P569"].value.time == "+1820-03-12T00:00:00Z"
        and found["P19"].value.entity == "Q900020"
    )
    assert all(c.best and c.source == "infobox" and c.revision == 103 for c in found.values())


def test_beside_an_items_own_statements_infobox_claims_are_not_best(store):
    architects = {c.source: c for c in store.claims("Q900001") if c.property == "P84"}
    assert architects["wikidata"].best and not architects["infobox"].best
    assert architects["infobox"].value.entity == "enwiki:Ada Bruck"
    assert store.subjects("P84", "enwiki:Ada Bruck") == ()


def test_merged_ids_are_replaced_everywhere(store):
    assert store.subjects("P84", "Q900011") == ("Q900001",)
    assert store.entity("Q800099").id == "Q900011" and store.entity("Q900011").merged_ids == (
        "Q800099",
    )


def test_classes_are_closed_and_give_domain_and_topic(store):
    lamp = store.entity("Q900001")
    assert (
        lamp.class_closure == ("Q12518", "Q39715", "Q811979") and lamp.domain == "building_or_place"
    )
    assert store.members("Q811979") == ("Q900001",)
    assert (store.entity("Q900011").domain, store.entity("Q900011").topic) == ("person", "arts")
    assert store.entity("Q900050").domain == "location", "entities without an article are kept"


def test_classes_say_better_than_titles_what_is_no_article(store):
    assert store.article("Q900021").title == "List of honour"
    assert store.entity("Q900040") is None and store.entity("Q900041") is None


def test_pictures_belong_to_the_entities_that_use_or_depict_them(store):
    (lamp,) = store.images_of("Q900001")
    assert lamp.file == "Copy.png" and lamp.entity_ids == ("Q900001",), (
        "two names of one file are one picture"
    )
    assert (
        store.image_bytes(lamp.id) == small_dumps.PICTURES["Lamp 1.png"] and lamp.licence == "CC0"
    )
    assert [i.file for i in store.images_of("Q900020")] == ["Town.png"]
    assert store.images_of("Q12277") == (), (
        "a part that a detail speaks of is not what the picture shows"
    )


def test_everything_dropped_has_its_reason_and_every_stage_adds_up(done):
    summary, store, _ = done
    assert summary.reasons == {
        "bad_entity": 1,
        "disambiguation": 2,
        "list_page": 3,
        "namespace": 1,
        "no_picture": 1,
        "picture_duplicate": 1,
        "picture_unreadable": 1,
        "redirect": 3,
    }
    files = [
        path
        for path in sorted(Path(store.path, "rejected").glob("*.parquet"))
        if path.stem != "stages"
    ]
    rejected = [rejection for path in files for rejection in read_records(path, Rejection)]
    assert (
        len(rejected)
        == sum(summary.reasons.values())
        == sum(c.num_rejected for c in summary.counts)
    )
    assert all(c.num_in == c.num_kept + c.num_rejected for c in summary.counts)
    assert ("Lamps by height", "articles", "list_page") in {
        (r.title, r.stage, r.reason) for r in rejected
    }


def test_the_text_is_searched_by_passages(store):
    hit = TextSearch(store).search("storm lantern 1902", 1)[0]
    assert hit.passage.entity_id == "Q900001" and hit.passage.section == 1


def test_meta_says_what_the_store_is(done):
    _, store, told = done
    assert (
        store.meta["wiki"] == "enwiki"
        and store.meta["snapshot"] == SNAPSHOT
        and len(store.meta["dumps"]) == 3
    )
    assert store.meta["tables"]["articles"]["rows"] == 4 and not Path(store.path, "work").exists()
    assert told[-1][0] == "tables" and told[-1][1] == told[-1][2], (
        "progress ends with the last stage's last task"
    )


def test_a_whole_store_is_left_as_it_is_and_another_plan_is_refused(done, inputs):
    summary, store, _ = done
    again = run_ingest(
        IngestOptions(store=store.path, snapshot=SNAPSHOT, **inputs),
        lambda *_: pytest.fail("worked again"),
    )
    assert again.reused and again.meta == summary.meta and again.counts == summary.counts
    with pytest.raises(InputError, match="other inputs or options"):
        run_ingest(IngestOptions(store=store.path, snapshot="2026-01-01", **inputs))


def test_the_store_is_the_same_for_other_partitions_and_shuffled_input(done, tmp_path):
    numbered = dict(enumerate(small_dumps.PAGES, 1))
    shuffled = sorted(numbered, key=lambda n: (n * 7) % 11)
    folder = tmp_path / "in"
    inputs = write_dumps(folder)
    half = len(shuffled) // 2
    for name, numbers in (("a.xml", shuffled[:half]), ("b.xml", shuffled[half:])):
        (folder / name).write_text(
            small_dumps.HEADER
            + "".join(small_dumps.page_xml(n, *numbered[n]) for n in numbers)
            + "</mediawiki>\n"
        )
    (folder / "entities.json").write_text(small_dumps.entities_json(small_dumps.ENTITIES[::-1]))
    again = run_ingest(
        IngestOptions(
            store=str(tmp_path / "store"),
            snapshot=SNAPSHOT,
            partitions=5,
            articles=(str(folder / "b.xml"), str(folder / "a.xml")),
            entities=inputs["entities"],
            images=inputs["images"],
        )
    )
    assert again.meta["tables"] == done[0].meta["tables"] and again.reasons == done[0].reasons


def test_a_dump_given_twice_changes_nothing_but_the_count_of_duplicates(done, inputs, tmp_path):
    copy = tmp_path / "copy.xml.bz2"
    shutil.copy(inputs["articles"][0], copy)
    twice = {**inputs, "articles": (*inputs["articles"], str(copy))}
    again = run_ingest(IngestOptions(store=str(tmp_path / "store"), snapshot=SNAPSHOT, **twice))
    assert again.meta["tables"] == done[0].meta["tables"]
    assert again.reasons["duplicate_record"] > 0


@pytest.mark.parametrize("newest_first", [True, False])
def test_of_a_title_that_is_exported_twice_the_newer_page_counts_article_or_redirect(
    tmp_path, newest_first
):
    page, before = small_dumps.page_xml, "2026-09-01"
    new = (
        page(1, "Turned", "Goal", "", 20),
        page(2, "Back", "", "A mill.", 20),
        page(3, "Twice", "Goal", "", 20),
        page(4, "Text", "", "New, see [[Goal]].", 19),
        page(5, "Goal", "", "A town.", 20),
        page(6, "Other", "", "A town.", 20),
    )
    old = (
        page(1, "Turned", "", "A mill near [[Other]].", 10),
        page(2, "Back", "Goal", "", 10),
        page(3, "Twice", "Abbey", "", 10),
        page(4, "Text", "", "Old, see [[Other]].", 30).replace("2026-10-01", before),
    )
    files = tmp_path / "a.xml", tmp_path / "b.xml"
    for file, pages in zip(files, (new, old) if newest_first else (old, new), strict=True):
        file.write_text(small_dumps.HEADER + "".join(pages) + "</mediawiki>\n")
    articles = tuple(map(str, files))
    done = run_ingest(
        IngestOptions(store=str(tmp_path / "store"), snapshot=SNAPSHOT, articles=articles)
    )
    store = Store.open(str(tmp_path / "store"))
    assert {title: store.entity_of_title(title) for title in ("Turned", "Back", "Twice")} == {
        "Turned": "enwiki:Goal",
        "Back": "enwiki:Back",
        "Twice": "enwiki:Goal",
    }
    assert store.article("enwiki:Turned") is None
    assert store.article("enwiki:Text").revision == 19, (
        "of the later time, though its number is lower"
    )
    linked = [store.article(f"enwiki:{title}").in_degree for title in ("Goal", "Other")]
    assert linked == [1, 0], "links of older texts do not count"
    assert done.reasons == {"duplicate_record": 4}


@pytest.mark.slow
def test_two_processes_give_the_same_store(done, inputs, tmp_path):
    again = run_ingest(
        IngestOptions(
            store=str(tmp_path / "store"), snapshot=SNAPSHOT, workers=2, partitions=3, **inputs
        )
    )
    assert again.meta["tables"] == done[0].meta["tables"]


@pytest.mark.slow
def test_killed_anywhere_it_goes_on_to_the_same_store(done, inputs, tmp_path):
    store = tmp_path / "store"
    options = {"store": str(store), "snapshot": SNAPSHOT, **inputs}
    script = "import json, sys\nfrom questloom.pipeline.ingest.store_job import *\nrun_ingest(IngestOptions(**json.loads(sys.argv[1])))"
    finished_before = set()
    for stage in ("read", "articles", "entities", "tables"):
        process = subprocess.Popen(
            [sys.executable, "-c", script, json.dumps(options)],
            env={**os.environ, "PYTHONPATH": os.getcwd()},
        )
        deadline = time.monotonic() + 60
        while (
            not list(store.glob(f"work/done/{stage}/*.json"))
            and process.poll() is None
            and time.monotonic() < deadline
        ):
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with pytest.raises(InputError, match="half-built"):
            Store.open(str(store))
        marks = {p: p.stat().st_mtime_ns for p in store.glob("work/done/*/*.json")}
        assert finished_before <= set(marks.items()), "finished tasks are not done again"
        finished_before = set(marks.items())
    again = run_ingest(IngestOptions(**options))
    assert again.meta["tables"] == done[0].meta["tables"] and again.counts == done[0].counts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"articles": ("/nowhere/dump.xml",)}, "cannot be read"),
        ({"articles": (), "entities": (), "images": ()}, "no input is given"),
        ({"snapshot": ""}, "holds no date"),
        ({"entities": "empty.json"}, "empty"),
        ({"articles": "entities.json"}, "no MediaWiki XML export"),
        ({"entities": "articles.xml.bz2"}, "is no Wikidata JSON dump"),
    ],
)
def test_wrong_input_is_refused_before_work_starts(inputs, tmp_path, change, message):
    root = Path(inputs["images"][0]).parent
    changed = {
        k: (str(root / v),) if isinstance(v, str) and k != "snapshot" else v
        for k, v in change.items()
    }
    (root / "empty.json").write_text("")
    with pytest.raises(InputError, match=message):
        run_ingest(
            IngestOptions(
                **{"store": str(tmp_path / "store"), "snapshot": SNAPSHOT, **inputs, **changed}
            )
        )
    assert not (tmp_path / "store" / "tables").exists()


def test_a_damaged_dump_ends_the_job_with_its_place_and_nothing_that_looks_whole(inputs, tmp_path):
    broken = tmp_path / "broken.xml"
    broken.write_text(small_dumps.articles_xml().replace("</revision></page>", "</page>", 1))
    options = {
        "store": str(tmp_path / "store"),
        "snapshot": SNAPSHOT,
        "entities": inputs["entities"],
        "articles": (str(broken),),
    }
    with pytest.raises(InputError, match=r"broken\.xml, byte \d+.*malformed XML"):
        run_ingest(IngestOptions(**options))
    with pytest.raises(InputError, match="half-built"):
        Store.open(options["store"])
    kept = run_ingest(IngestOptions(**options, keep_partial=True))
    assert kept.reasons["bad_page"] == 1 and kept.meta["tables"]["articles"]["rows"] == 3


def test_an_exception_at_one_page_is_that_pages_rejection_and_too_many_end_the_job(
    inputs, tmp_path, monkeypatch
):
    read_article = sources.read_article

    def fails(page, site):
        if page.title == "Norhaven":
            raise RuntimeError("hostile page")
        return read_article(page, site)

    monkeypatch.setattr(sources, "read_article", fails)
    options = IngestOptions(store=str(tmp_path / "store"), snapshot=SNAPSHOT, **inputs)
    with pytest.raises(QuestloomError, match="items ended as errors"):
        run_ingest(options)
    with pytest.raises(InputError, match="half-built"):
        Store.open(options.store)
    monkeypatch.setattr("questloom.pipeline.ingest.store_job.MAX_ERROR_SHARE", 0.1)
    assert run_ingest(options).reasons["error"] == 1
    (rejected,) = (
        r
        for r in read_records(tmp_path / "store" / "rejected" / "read.parquet", Rejection)
        if r.reason == "error"
    )
    assert rejected.title == "Norhaven" and "hostile page" in rejected.evidence["traceback"]
    assert Store.open(options.store).label("Q900020") == "Norhaven", "its item stays"


def test_a_folder_that_is_no_store_or_cannot_be_written_is_refused(inputs, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="is no store"):
        run_ingest(IngestOptions(store=str(tmp_path / "mine"), snapshot=SNAPSHOT, **inputs))
    with pytest.raises(InputError, match="cannot be"):
        run_ingest(
            IngestOptions(
                store=str(tmp_path / "mine" / "letter.txt" / "store"), snapshot=SNAPSHOT, **inputs
            )
        )
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
