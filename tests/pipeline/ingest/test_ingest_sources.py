"""Ingest from other sources than dumps: ZIM files, the query service, Commons."""
import os
import shutil
import subprocess

import pytest

from knowledge.store import Store
from pipeline.ingest.store_job import IngestOptions, run_ingest
from records.errors import InputError
from tests.shared_data import SHARED, needs
from tests.small_dumps import write_dumps
from tests.small_services import FILE, services
from transforms.ingest.service_sources import Services


def test_seeds_come_from_the_query_service_and_their_pictures_from_commons(tmp_path, monkeypatch):
    monkeypatch.setenv("QUESTLOOM_CONTACT", "tests@example.org")
    with services() as (address, asked):
        ask = Services(cache=str(tmp_path / "cache"), sparql_endpoint=f"{address}/sparql", sparql_seeds=1,
                       commons_endpoint=f"{address}/api")
        options = {"entities": ("sparql",), "images": ("commons",), "snapshot": "2026-11-01", "services": ask, "partitions": 1}
        summary = run_ingest(IngestOptions(store=str(tmp_path / "store"), **options))
        num_asked = len(asked)
        again = run_ingest(IngestOptions(store=str(tmp_path / "again"), **options))
    store = Store.open(str(tmp_path / "store"))
    assert store.subjects("P84", "Q2") == ("Q1",) and store.label("Q2") == "Ada", "the values of a seed's claims are items too"
    assert store.members("Q12518") == ("Q1",)
    lamp, = store.images_of("Q1")
    assert lamp.licence == "CC0" and store.image_bytes(lamp.id) == FILE
    assert summary.reasons == {"bad_entity": 1}, "the service does not know Q404"
    assert again.meta["tables"] == summary.meta["tables"] and len(asked) == num_asked, "what was answered once is not asked again"


def test_without_a_contact_no_service_is_asked(tmp_path, monkeypatch):
    monkeypatch.delenv("QUESTLOOM_CONTACT", raising=False)
    with pytest.raises(InputError, match="QUESTLOOM_CONTACT"):
        run_ingest(IngestOptions(store=str(tmp_path / "store"), entities=("sparql",), snapshot="2026-11-01"))


@needs("zim/wikipedia_cr_all_2015-04.zim")
def test_a_zim_gives_articles_with_their_pictures(tmp_path):
    zim = SHARED / "data" / "zim" / "wikipedia_cr_all_2015-04.zim"
    run_ingest(IngestOptions(store=str(tmp_path / "store"), articles=(str(zim),)))
    store = Store.open(str(tmp_path / "store"))
    assert store.meta["wiki"] == "crwiki" and store.num_rows("articles") > 200 and store.num_rows("images") > 100
    shown = [image for article in store.scan_articles() for image in store.images_of(article.entity_id)]
    assert shown and all(not image.licence for image in shown), "a ZIM names no licences"


def test_what_is_called_a_zim_and_is_none_is_refused(tmp_path):
    fake = tmp_path / "wiki.zim"
    fake.write_bytes(b"no zim at all")
    with pytest.raises(InputError, match="no ZIM"):
        run_ingest(IngestOptions(store=str(tmp_path / "store"), articles=(str(fake),)))


@pytest.mark.skipif(not shutil.which("mount") or os.geteuid() != 0, reason="needs the right to mount a small disk")
def test_a_full_disk_is_a_clear_error_and_leaves_no_whole_store(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        with pytest.raises(InputError, match="the disk is full"):
            run_ingest(IngestOptions(store=str(disk / "store"), snapshot="2026-11-01", **write_dumps(tmp_path / "in")))
        with pytest.raises(InputError):
            Store.open(str(disk / "store"))
    finally:
        subprocess.run(["umount", str(disk)], check=True)
