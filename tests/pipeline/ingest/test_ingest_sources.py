"""Ingest of reported entities and of ZIM files, and onto a full disk."""

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
from questloom.transforms.writing.answers import answer_of
from tests.shared_data import SHARED, needs
from tests.small_dumps import write_dumps

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
