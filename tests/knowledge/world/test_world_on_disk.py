"""The folder that `write_world` leaves: dumps, index, truth, pictures."""

import bz2
import hashlib
import io
import json
import re
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from lxml import etree
from PIL import Image

from questloom.knowledge.world.export import PAGES_PER_STREAM
from questloom.knowledge.world.workers import in_order, worker_pool
from questloom.knowledge.world.write import FILES, UNFINISHED, write_world
from questloom.records.errors import InputError

EXPORT = "{http://www.mediawiki.org/xml/export-0.11/}"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("world") / "w"
    write_world(out, articles=120, seed=11, workers=2)
    return out


def read_pages(out: Path) -> list[etree._Element]:
    root = etree.fromstring(bz2.decompress((out / "articles.xml.bz2").read_bytes()))
    return root.findall(f"{EXPORT}page")


def read_entities(out: Path) -> list[dict]:
    lines = bz2.decompress((out / "entities.json.bz2").read_bytes()).decode().splitlines()
    assert lines[0] == "[" and lines[-1] == "]"
    assert all(line.endswith(",") for line in lines[1:-2]) and not lines[-2].endswith(",")
    return [json.loads(line.rstrip(",")) for line in lines[1:-1]]


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_one_worker_writes_the_same_bytes_as_two(world: Path, tmp_path: Path) -> None:
    write_world(tmp_path / "again", articles=120, seed=11, workers=1)
    names = [str(p.relative_to(world)) for p in sorted(world.rglob("*")) if p.is_file()]
    assert names == [
        str(p.relative_to(tmp_path / "again"))
        for p in sorted((tmp_path / "again").rglob("*"))
        if p.is_file()
    ]
    for name in names:
        assert (world / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name


def test_gaps_change_the_dump_and_nothing_else(world: Path, tmp_path: Path) -> None:
    write_world(tmp_path / "gaps", articles=120, seed=11, gaps=2, workers=1, pictures=False)
    write_world(tmp_path / "none", articles=120, seed=11, workers=1, pictures=False)
    for name in FILES:
        same = (tmp_path / "gaps" / name).read_bytes() == (tmp_path / "none" / name).read_bytes()
        assert same == (name != "entities.json.bz2"), name


def test_what_is_absent_has_neither_item_nor_page_nor_picture_but_is_true_and_named_by_others(
    world: Path, tmp_path: Path
) -> None:
    write_world(tmp_path / "absent", articles=120, seed=11, absent=0.4, workers=1)
    assert (tmp_path / "absent" / "truth.jsonl").read_bytes() == (
        world / "truth.jsonl"
    ).read_bytes()
    told = json.loads((tmp_path / "absent" / "world.json").read_text())
    counts = json.loads((world / "class-counts.json").read_text())
    assert counts == json.loads((tmp_path / "absent" / "class-counts.json").read_text()), (
        "the stated counts are the true ones"
    )
    assert counts["Q5"] == sum(t["class"] == "Q5" for t in read_lines(world / "truth.jsonl"))
    assert told["absent"] == 0.4 and told["absent_things"] > 20
    items = {
        folder: bz2.decompress((folder / "entities.json.bz2").read_bytes()).decode()
        for folder in (world, tmp_path / "absent")
    }
    ids = {
        folder: {
            json.loads(line.rstrip(","))["id"] for line in text.splitlines() if line.startswith("{")
        }
        for folder, text in items.items()
    }
    gone = ids[world] - ids[tmp_path / "absent"]
    assert len(gone) == told["absent_things"]
    titles = {
        t["article"] for t in read_lines(world / "truth.jsonl") if t["id"] in gone and t["article"]
    }
    pages = bz2.decompress((tmp_path / "absent" / "articles.xml.bz2").read_bytes()).decode()
    assert titles and not any(f"<title>{escape(title)}</title>" in pages for title in titles)
    assert any(f"[[{title}" in pages for title in titles), "others link to it still"
    assert any(f'"id":"{qid}"' in items[tmp_path / "absent"] for qid in gone), (
        "others have claims about it still"
    )
    files = {p.name for p in (tmp_path / "absent" / "images").iterdir()}
    assert files < {p.name for p in (world / "images").iterdir()}


def test_the_export_is_well_formed_and_its_hashes_hold(world: Path) -> None:
    pages = read_pages(world)
    assert (
        len({p.findtext(f"{EXPORT}id") for p in pages})
        == len(pages)
        == len({p.findtext(f"{EXPORT}title") for p in pages})
    )
    for page in pages:
        revision = page.find(f"{EXPORT}revision")
        assert revision is not None
        digest = int(revision.findtext(f"{EXPORT}sha1") or "", 36)
        text = revision.findtext(f"{EXPORT}text") or ""
        assert digest == int.from_bytes(hashlib.sha1(text.encode()).digest(), "big")


def test_the_index_leads_to_the_stream_that_holds_the_page(world: Path) -> None:
    dump = (world / "articles.xml.bz2").read_bytes()
    lines = bz2.decompress((world / "articles-index.txt.bz2").read_bytes()).decode().splitlines()
    offsets = sorted({int(line.split(":")[0]) for line in lines})
    for offset in offsets:
        xml = bz2.BZ2Decompressor().decompress(dump[offset:])
        wanted = [line.split(":", 2) for line in lines if line.startswith(f"{offset}:")]
        assert len(wanted) <= PAGES_PER_STREAM
        assert re.findall(rb"^    <id>(\d+)</id>", xml, re.M) == [
            page_id.encode() for _, page_id, _ in wanted
        ]


def test_there_are_exactly_as_many_articles_as_asked_for(world: Path) -> None:
    things = [t for t in read_lines(world / "truth.jsonl") if t["article"]]
    titles = {p.findtext(f"{EXPORT}title") for p in read_pages(world)}
    assert len(things) == 120 and {t["article"] for t in things} <= titles


def test_no_title_holds_what_a_link_cannot(world: Path) -> None:
    assert not [
        p.findtext(f"{EXPORT}title")
        for p in read_pages(world)
        if set(p.findtext(f"{EXPORT}title") or "") & set("[]{}|#<>")
    ]


def test_the_export_holds_the_traps_of_the_real_one(world: Path) -> None:
    pages = read_pages(world)
    redirects = {
        p.findtext(f"{EXPORT}title"): p.find(f"{EXPORT}redirect").get("title")
        for p in pages
        if p.find(f"{EXPORT}redirect") is not None
    }
    assert set(redirects.values()) & set(redirects), "no double redirect"
    assert {p.findtext(f"{EXPORT}ns") for p in pages} >= {"0", "2", "10", "14", "828"}
    assert {p.findtext(f"{EXPORT}revision/{EXPORT}model") for p in pages} >= {
        "wikitext",
        "javascript",
    }


def test_everything_that_a_claim_names_is_in_the_dump(world: Path) -> None:
    entities = read_entities(world)
    ids = {e["id"] for e in entities}
    for entity in entities:
        for prop, statements in entity["claims"].items():
            assert prop in ids or prop == "P2302", prop
            for statement in statements:
                value = statement["mainsnak"].get("datavalue", {})
                if value.get("type") == "wikibase-entityid" and prop != "P2302":
                    assert value["value"]["id"] in ids, (entity["id"], prop)


def test_every_detail_of_the_truth_has_its_box_inside_its_picture(world: Path) -> None:
    pages = {
        p["title"].removeprefix("File:"): p for p in read_lines(world / "images" / "metadata.jsonl")
    }
    details = [d for t in read_lines(world / "truth.jsonl") for d in t["details"]]
    assert len(details) > 40
    for detail in details:
        statements = pages[detail["picture"]]["mediainfo"]["statements"]["P180"]
        boxes = [
            s["qualifiers"]["P2677"][0]["datavalue"]["value"]
            for s in statements
            if s["mainsnak"]["datavalue"]["value"]["id"] == detail["part"]
            and detail["property"] in s["qualifiers"]
        ]
        left, top, wide, high = (float(v) for v in boxes[0].removeprefix("pct:").split(","))
        assert (
            left >= 0
            and top >= 0
            and wide > 0
            and high > 0
            and left + wide <= 100.2
            and top + high <= 100.2
        )


def test_metadata_tells_size_hash_and_kind_of_every_file(world: Path) -> None:
    pages = read_lines(world / "images" / "metadata.jsonl")
    assert {p["title"].removeprefix("File:") for p in pages} == {
        p.name for p in (world / "images").iterdir()
    } - {"metadata.jsonl"}
    for page in pages:
        info = page["imageinfo"][0]
        data = (world / "images" / page["title"].removeprefix("File:")).read_bytes()
        assert info["sha1"] == hashlib.sha1(data).hexdigest() and info["size"] == len(data)
        if info["mime"] != "image/svg+xml":
            assert Image.open(io.BytesIO(data)).size == (info["width"], info["height"])


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="no world"):
        write_world(tmp_path, articles=5, seed=1)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"articles": 0},
        {"articles": 3_000_000},
        {"articles": 5, "gaps": 3},
        {"articles": 5, "absent": 1.0},
        {"articles": 5, "absent": -0.1},
    ],
)
def test_settings_out_of_range_are_refused_before_anything_is_written(
    tmp_path: Path, wrong: dict
) -> None:
    with pytest.raises(InputError):
        write_world(tmp_path / "w", seed=1, **wrong)
    assert not (tmp_path / "w").exists()


def test_a_world_whose_replacement_was_killed_at_its_very_beginning_is_replaced_all_the_same(
    tmp_path: Path, monkeypatch
) -> None:
    (tmp_path / "world.json").write_text("{}")
    with monkeypatch.context() as killed:
        for name in ("touch", "unlink"):
            killed.setattr(Path, name, after_which_all_ends(getattr(Path, name)))
        with pytest.raises(KeyboardInterrupt):
            write_world(tmp_path, articles=8, seed=1, learning=True, workers=1)
    write_world(tmp_path, articles=8, seed=1, learning=True, workers=1)
    assert (tmp_path / "world.json").stat().st_size > 2


def after_which_all_ends(call: Callable) -> Callable:
    def ended(*args, **kwargs) -> None:
        call(*args, **kwargs)
        raise KeyboardInterrupt

    return ended


def test_a_half_written_world_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / UNFINISHED).touch()
    (tmp_path / "images" / "old.jpg").write_bytes(b"x")
    write_world(tmp_path, articles=4, seed=1, workers=1, pictures=False)
    assert (tmp_path / "world.json").exists() and not (tmp_path / "images" / "old.jpg").exists()
    assert json.loads((tmp_path / "world.json").read_text())["articles"] == 4


def test_a_worker_dies_of_ctrl_c_without_a_traceback_and_keeps_it_until_it_has_started() -> None:
    with worker_pool(2) as pool:
        handlers = list(in_order(pool, signal.getsignal, [signal.SIGINT] * 6, 2))
        masks = list(in_order(pool, partial(signal.pthread_sigmask, signal.SIG_BLOCK), [[]] * 6, 2))
    assert handlers == [signal.SIG_DFL] * 6 and masks == [set()] * 6
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        masks = list(in_order(pool, partial(signal.pthread_sigmask, signal.SIG_BLOCK), [[]] * 6, 2))
    assert masks == [{signal.SIGINT}] * 6
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
