"""Bad inputs through the real command line: each ends in one message that says where, what and how to mend it, and in no traceback."""

import bz2
import gzip
import json
import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.mock_endpoint import running
from questloom.calls.retry import RetryPolicy
from questloom.pipeline.cli import BAD_INPUT, FAILED, main
from questloom.pipeline.runners.run_log import VARIABLE
from questloom.records.errors import InputError
from tests.small_dumps import articles_xml, entities_json, metadata, picture, write_dumps

MOST_LINES = 4
"""What, how to mend it, and where the log is; a long path may break a line for the reader, not here."""
XML, JSON = articles_xml().encode(), entities_json().encode()


def flipped(data: bytes, at: float = 0.6) -> bytes:
    place = int(len(data) * at)
    return data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]


def deep_yaml(depth: int = 3000) -> bytes:
    return b"seeds: " + b"{a: " * depth + b"1" + b"}" * depth


BOMB = b'<!DOCTYPE m [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>\n' + XML.replace(
    b"a lighthouse near", b"&b; near", 1
)
ARTICLES = {
    "truncated bz2": ("a.xml.bz2", bz2.compress(XML)[:-30]),
    "bz2 cut in the middle": ("a.xml.bz2", bz2.compress(XML)[:200]),
    "bit-flipped bz2": ("a.xml.bz2", flipped(bz2.compress(XML))),
    "bz2 whose header is flipped": ("a.xml.bz2", flipped(bz2.compress(XML), 0.02)),
    "bz2 with nothing in it": ("a.xml.bz2", b"BZh9"),
    "truncated gz": ("a.xml.gz", gzip.compress(XML)[:-20]),
    "bit-flipped gz": ("a.xml.gz", flipped(gzip.compress(XML))),
    "named bz2 but plain": ("a.xml.bz2", XML),
    "empty file": ("a.xml", b""),
    "cut within a page": ("a.xml", XML[: len(XML) // 2]),
    "cut within a tag": ("a.xml", XML[: XML.rindex(b"</page>") + 3]),
    "cut after the last page": ("a.xml", XML.replace(b"</mediawiki>", b"")),
    "page without its end": ("a.xml", XML.replace(b"</revision></page>", b"</revision>", 1)),
    "tags crossed": ("a.xml", XML.replace(b"</text></revision>", b"</revision></text>", 1)),
    "page number that is no number": ("a.xml", XML.replace(b"<id>3</id>", b"<id>three</id>")),
    "latin-1 bytes in UTF-8": ("a.xml", XML.replace(b"Norhaven", "Nörhaven".encode("latin-1"))),
    "UTF-16": ("a.xml", XML.decode().encode("utf-16")),
    "declared latin-1": ("a.xml", b'<?xml version="1.0" encoding="ISO-8859-1"?>\n' + XML),
    "no MediaWiki XML": ("a.xml", b"<html><body>no dump</body></html>"),
    "a picture": ("a.xml", picture("red")),
    "broken siteinfo": ("a.xml", XML.replace(b"</dbname>", b"</dbnam>")),
    "zero bytes": ("a.xml", XML[:600] + b"\0" * 400 + XML[600:]),
    "unknown entity": ("a.xml", BOMB.replace(b"<!DOCTYPE", b"<!--").replace(b"]>\n", b"-->\n")),
    "no zim": ("a.zim", b"no zim at all"),
    "truncated zim": ("a.zim", b"ZIM\x04" + b"\0" * 60),
}
ENTITIES = {
    "truncated bz2 of entities": ("20260101-e.json.bz2", bz2.compress(JSON)[:-30]),
    "bit-flipped bz2 of entities": ("20260101-e.json.bz2", flipped(bz2.compress(JSON))),
    "truncated gz of entities": ("20260101-e.json.gz", gzip.compress(JSON)[:-15]),
    "entities of another kind": ("20260101-e.json", b"no entities here\n" * 20),
    "entities in one object": ("20260101-e.json", b'{"entities": {}}'),
    "empty entities": ("20260101-e.json", b""),
    "cut within a JSON line": ("20260101-e.json", JSON[: JSON.index(b"no json") - 60]),
    "entities in UTF-16": ("20260101-e.json", JSON.decode().encode("utf-16")),
    "entities without a date": ("e.json", JSON),
}
RECIPES = {
    "deeply nested recipe": deep_yaml(),
    "broken YAML": b"seeds: [1, 2\nname: x",
    "a list for a recipe": b"- 1\n- 2\n",
    "latin-1 recipe": "name: Grün".encode("latin-1"),
    "unknown key": b"sedes: {count: 3}",
    "wrong type": b"seeds: {count: many}",
    "a value out of range": b"seeds: {count: -3}",
    "base in a circle": b"base: r.yaml",
    "base that is no name": b"base: [1]",
    "a YAML tag that runs code": b"name: !!python/object/apply:os.system ['true']",
    "an alias bomb": b"a: &a [x,x]\nb: &b [*a,*a]\nseeds: {exclude: [*b, *b]}",
    "a picture for a recipe": picture("red"),
}
SETS = [
    "seeds.count=[",
    "seeds.count",
    "=3",
    "seeds.count.more=3",
    "seeds=3",
    "seeds.count=!!python/name:os.system",
    "seeds.count={a: &x [*x]}",
    "seeds.count=" + "[" * 3000,
    "nothing.like.it=1",
    "seeds.count=\x00",
    "name=\ud800",
]


LLM = """base: demo
writer: llm
seeds: {rules: {pictured: 1}, count: 2}
pictures: {min_side: 10}
grounding: {mode: none}
filters: {oracle: false}
models: {endpoints: [{name: e, base_url: 'http://127.0.0.1:9/v1'}], roles: {default: {endpoint: e, model: m}}}
"""


@pytest.fixture(autouse=True)
def quiet(tmp_path, monkeypatch):
    """Logs of this test apart, and the root logger as it was."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "command.log"))
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


def told(capfd, monkeypatch, *words: str) -> tuple[int, list[str]]:
    """(exit code, what stderr says without progress) of one command."""
    monkeypatch.setattr(sys, "argv", ["questloom", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capfd.readouterr()
    assert "Traceback" not in said.err + said.out
    lines = [line for line in said.err.replace("\r", "\n").splitlines() if line.strip()]
    starts = [
        i
        for i, line in enumerate(lines)
        if line.startswith("questloom: ") and " of " not in line.partition(", ")[2]
    ]
    return int(ended.value.code or 0), lines[starts[-1] :] if starts else lines


def expect_one_message(code: int, lines: list[str], where: str) -> None:
    assert code in (BAD_INPUT, FAILED), lines
    assert 1 <= len(lines) <= MOST_LINES, lines
    assert where in lines[0], lines
    assert "not expected" not in "".join(lines), lines
    assert len(lines) > 1 and "The log:" not in lines[1], ("a message says how to mend it", lines)


@pytest.mark.parametrize("what", ARTICLES)
def test_a_damaged_dump_of_articles_is_one_message(what, tmp_path, capfd, monkeypatch):
    name, data = ARTICLES[what]
    (tmp_path / name).write_bytes(data)
    code, lines = told(
        capfd,
        monkeypatch,
        "ingest",
        "--articles",
        str(tmp_path / name),
        "--store",
        str(tmp_path / "store"),
        "--workers",
        "1",
    )
    expect_one_message(code, lines, name)


@pytest.mark.parametrize("what", ENTITIES)
def test_a_damaged_dump_of_entities_is_one_message(what, tmp_path, capfd, monkeypatch):
    name, data = ENTITIES[what]
    (tmp_path / name).write_bytes(data)
    code, lines = told(
        capfd,
        monkeypatch,
        "ingest",
        "--entities",
        str(tmp_path / name),
        "--store",
        str(tmp_path / "store"),
        "--workers",
        "1",
    )
    expect_one_message(code, lines, name)


def test_an_entity_of_an_xml_declaration_is_not_expanded(tmp_path, capfd, monkeypatch):
    (tmp_path / "a.xml").write_bytes(BOMB)
    code, lines = told(
        capfd,
        monkeypatch,
        "ingest",
        "--articles",
        str(tmp_path / "a.xml"),
        "--store",
        str(tmp_path / "store"),
        "--workers",
        "1",
    )
    expect_one_message(code, lines, "a.xml")


def test_a_fault_in_a_worker_process_is_one_message_too(tmp_path, capfd, monkeypatch):
    (tmp_path / "a.xml").write_bytes(ARTICLES["cut within a page"][1])
    code, lines = told(
        capfd,
        monkeypatch,
        "ingest",
        "--articles",
        str(tmp_path / "a.xml"),
        "--store",
        str(tmp_path / "store"),
        "--workers",
        "2",
    )
    expect_one_message(code, lines, "a.xml")


@pytest.mark.parametrize("what", RECIPES)
def test_a_recipe_that_cannot_be_read_is_one_message(what, tmp_path, capfd, monkeypatch):
    (tmp_path / "r.yaml").write_bytes(RECIPES[what])
    code, lines = told(
        capfd,
        monkeypatch,
        "plan",
        "--store",
        str(tmp_path / "store"),
        "--recipe",
        str(tmp_path / "r.yaml"),
    )
    expect_one_message(code, lines, "r.yaml")


@pytest.mark.parametrize("override", SETS)
def test_a_broken_override_is_one_message(override, tmp_path, capfd, monkeypatch):
    code, lines = told(
        capfd, monkeypatch, "plan", "--store", str(tmp_path / "store"), "--set", override
    )
    expect_one_message(code, lines, "--set")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest

    run_ingest(
        IngestOptions(
            store=str(folder / "store"), snapshot="2026-01-01", **write_dumps(folder / "dumps")
        )
    )
    return folder / "store"


def a_file(path: Path) -> str:
    path.write_text("already here")
    return str(path)


def test_an_output_that_is_a_file_is_one_message(store, tmp_path, capfd, monkeypatch):
    out = a_file(tmp_path / "taken")
    for words in (
        ["synth", "--store", str(store), "--out", out],
        ["synth", "--store", str(store), "--out", f"{out}/run"],
        ["ingest", "--articles", a_file(tmp_path / "a.xml"), "--store", out],
        ["world", "--out", out, "--articles", "50"],
        ["demo", "--out", out, "--articles", "50"],
        ["plan", "--store", str(store), "--pilot", "2", "--out", out],
    ):
        expect_one_message(
            *told(
                capfd, monkeypatch, *words, *(["--workers", "1"] if words[0] != "report" else [])
            ),
            "taken",
        )


def test_an_output_that_cannot_be_written_is_one_message(store, capfd, monkeypatch):
    """Nobody may write below /proc, whoever runs this."""
    for words in (
        ["synth", "--store", str(store)],
        ["ingest", "--articles", str(store / "meta.json")],
        ["world", "--articles", "50"],
        ["demo-train"],
        ["plan", "--store", str(store), "--pilot", "2"],
        ["evolve", "--recipe", "demo", "--store", str(store)],
    ):
        words.append("--store" if words[0] == "ingest" else "--out")
        expect_one_message(*told(capfd, monkeypatch, *words, "/proc/no/out"), "/proc/no")


def test_a_cache_that_is_a_folder_or_no_database_is_one_message(
    store, tmp_path, capfd, monkeypatch
):
    recipe = tmp_path / "llm.yaml"
    recipe.write_text(LLM)
    for cache in (str(tmp_path), a_file(tmp_path / "cache.sqlite")):
        for chosen in (str(recipe), "demo"):
            words = [
                "synth",
                "--store",
                str(store),
                "--out",
                str(tmp_path / "run"),
                "--recipe",
                chosen,
                "--cache",
                cache,
                "--workers",
                "1",
            ]
            code, lines = told(capfd, monkeypatch, *words)
            expect_one_message(code, lines, Path(cache).name)
            assert code == BAD_INPUT and not (tmp_path / "run").exists(), "before work starts"


def test_an_endpoint_that_nothing_answers_at_is_told_at_once_and_ends_the_run_soon(
    small, tmp_path, capfd, monkeypatch
):
    monkeypatch.setattr(
        "questloom.calls.caller.RetryPolicy", lambda: RetryPolicy(first_delay=0.01, max_delay=0.2)
    )
    (tmp_path / "llm.yaml").write_text(LLM)
    monkeypatch.setattr(
        sys,
        "argv",
        [
            "questloom",
            "synth",
            "--store",
            small,
            "--out",
            str(tmp_path / "run"),
            "--recipe",
            str(tmp_path / "llm.yaml"),
            "--set",
            "seeds.count=24",
            "--workers",
            "1",
        ],
    )
    with pytest.raises(SystemExit, match=str(FAILED)):
        main()
    said = capfd.readouterr()
    assert said.err.count("endpoint e at http://127.0.0.1:9/v1 has given no reply so far") == 1
    assert (
        "A provider failed (e: cannot be reached at http://127.0.0.1:9/v1" in said.out
        and "Run the same command again" in said.out
    )


def test_an_endpoint_that_never_replies_in_time_is_told_in_the_progress_line_and_ends_the_run_soon(
    small, tmp_path, capfd, monkeypatch
):
    monkeypatch.setattr(
        "questloom.calls.caller.RetryPolicy", lambda: RetryPolicy(first_delay=0.01, max_delay=0.2)
    )
    monkeypatch.setattr("questloom.pipeline.runners.progress.LINE_SECONDS", 0.5)
    with running(mean=30) as url:
        (tmp_path / "llm.yaml").write_text(
            LLM.replace("http://127.0.0.1:9/v1", url).replace("name: e,", "name: e, timeout: 0.2,")
        )
        monkeypatch.setattr(
            sys,
            "argv",
            [
                "questloom",
                "synth",
                "--store",
                small,
                "--out",
                str(tmp_path / "run"),
                "--recipe",
                str(tmp_path / "llm.yaml"),
                "--set",
                "seeds.count=24",
                "--workers",
                "1",
            ],
        )
        with pytest.raises(SystemExit, match=str(FAILED)):
            main()
    said = capfd.readouterr()
    assert re.search(
        r"synth: [^\n]*; e: \d+ asked, 0 answered, \d+ gave no reply within 0.2 s: lower max_in_flight or raise timeout\n",
        said.err,
    )
    assert "A provider failed (e: no reply within 0.2 s" in said.out


@pytest.mark.parametrize(
    "command",
    [
        "report --run {}",
        "audit --run {}",
        "recheck --run {} --store {}",
        "publish --run {} --to {}/x",
        "teach --run {} --store {}",
        "synth --store {} --out {}/run",
        "plan --store {}",
    ],
)
@pytest.mark.parametrize("kind", ["file", "empty folder", "nowhere", "cut recipe"])
def test_a_run_or_store_that_is_none_is_one_message(command, kind, tmp_path, capfd, monkeypatch):
    place = tmp_path / "place"
    if kind == "file":
        a_file(place)
    elif kind != "nowhere":
        place.mkdir()
    if kind == "cut recipe":
        (place / "recipe.json").write_text('{"recipe": {')
    expect_one_message(
        *told(capfd, monkeypatch, *command.replace("{}", str(place)).split()), "place"
    )


@pytest.mark.parametrize(
    "to", ["/proc/no/such", "/dev/null/x", "hf://", "hf://one", "s3://", "ftp://x/y"]
)
def test_publishing_to_nowhere_is_one_message(to, tmp_path, capfd, monkeypatch):
    dataset = tmp_path / "run" / "dataset"
    dataset.mkdir(parents=True)
    (dataset / "README.md").write_text("x")
    monkeypatch.delenv("HF_TOKEN", raising=False)
    code, lines = told(capfd, monkeypatch, "publish", "--run", str(tmp_path / "run"), "--to", to)
    expect_one_message(code, lines, to.rstrip("/")[:5])


@pytest.mark.parametrize("command", ["publish --run {} --to hf://lab/x"])
def test_a_hub_that_cannot_be_reached_is_one_message_with_its_address(command, tmp_path):
    """In a process of its own: the Hub's package reads its address once."""
    dataset = tmp_path / "dataset"
    dataset.mkdir()
    (dataset / "README.md").write_text("x")
    environment = {
        **os.environ,
        "HF_TOKEN": "t",
        "HF_ENDPOINT": "http://127.0.0.1:9",
        "HF_HUB_OFFLINE": "0",
    }
    ended = subprocess.run(
        [sys.executable, "-m", "questloom.pipeline.cli", *command.format(tmp_path).split()],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    expect_one_message(ended.returncode, ended.stderr.splitlines(), "http://127.0.0.1:9")


@pytest.mark.parametrize("day", ["2026-13-45", "yesterday", "20260101"])
def test_a_snapshot_that_is_no_day_is_one_message(day, tmp_path, capfd, monkeypatch):
    (tmp_path / "e.json").write_bytes(JSON)
    code, lines = told(
        capfd,
        monkeypatch,
        "ingest",
        "--entities",
        str(tmp_path / "e.json"),
        "--snapshot",
        day,
        "--store",
        str(tmp_path / "store"),
    )
    expect_one_message(code, lines, f"--snapshot {day}")
    assert code == BAD_INPUT and not (tmp_path / "store").exists()


def test_a_folder_without_a_picture_is_one_message(tmp_path, capfd, monkeypatch):
    for folder, files in ((tmp_path / "others", 3), (tmp_path / "empty", 0)):
        folder.mkdir()
        for number in range(files):
            (folder / f"{number}.txt").write_text("no picture")
        code, lines = told(
            capfd,
            monkeypatch,
            "ingest",
            "--images",
            str(folder),
            "--store",
            str(tmp_path / "store"),
            "--workers",
            "1",
        )
        expect_one_message(code, lines, folder.name)


def test_pictures_without_metadata_are_taken_with_a_word_about_their_licences(
    tmp_path, capfd, monkeypatch
):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "Lamp.png").write_bytes(picture("red"))
    code, lines = told(
        capfd,
        monkeypatch,
        "ingest",
        "--images",
        str(tmp_path / "p"),
        "--store",
        str(tmp_path / "store"),
        "--workers",
        "1",
    )
    assert code == 0 and "metadata.jsonl" in lines[0] and "licence" in lines[0]


def test_pictures_with_bad_metadata_are_one_message(tmp_path, capfd, monkeypatch):
    for name, text in (
        ("cut", json.dumps(metadata("Lamp 1.png"))[:-20]),
        ("a list", "[1, 2]\n"),
        ("no text", "\xff"),
    ):
        folder = tmp_path / name.replace(" ", "")
        folder.mkdir()
        (folder / "Lamp 1.png").write_bytes(picture("red"))
        (folder / "metadata.jsonl").write_bytes(text.encode("latin-1"))
        code, lines = told(
            capfd,
            monkeypatch,
            "ingest",
            "--images",
            str(folder),
            "--store",
            str(tmp_path / f"s{folder.name}"),
            "--workers",
            "1",
        )
        expect_one_message(code, lines, "metadata.jsonl")


def test_a_damaged_store_is_one_message(store, tmp_path, capfd, monkeypatch):
    for number, damage in enumerate(
        (
            lambda p: (p / "meta.json").write_text("{"),
            lambda p: shutil.rmtree(p / "tables" / "claims.lance"),
            lambda p: (p / "meta.json").write_text("[]"),
        )
    ):
        broken = tmp_path / f"store{number}"
        shutil.copytree(store, broken)
        damage(broken)
        expect_one_message(
            *told(capfd, monkeypatch, "plan", "--store", str(broken)), f"store{number}"
        )


@pytest.mark.parametrize(
    ("words", "table"),
    [
        ("plan", "entities"),
        ("plan", "articles"),
        ("synth --workers 1 --out {}/run", "images"),
        ("synth --workers 1 --set grounding.mode=none --out {}/run", "claims"),
    ],
)
def test_a_store_of_halved_files_is_one_message(words, table, store, tmp_path, capfd, monkeypatch):
    broken = tmp_path / "broken"
    shutil.copytree(store, broken)
    for path in (broken / "tables" / f"{table}.lance").rglob("*.lance"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    code, lines = told(capfd, monkeypatch, *words.format(tmp_path).split(), "--store", str(broken))
    expect_one_message(code, lines, "broken")
    assert code == BAD_INPUT and "rustc" not in lines[0]


def test_a_world_in_place_of_a_store_is_one_message_that_says_how_to_ingest_it(
    tmp_path, capfd, monkeypatch
):
    (tmp_path / "world.json").write_text("{}")
    code, lines = told(
        capfd, monkeypatch, "synth", "--store", str(tmp_path), "--out", str(tmp_path / "run")
    )
    expect_one_message(code, lines, tmp_path.name)
    assert code == BAD_INPUT and "questloom ingest" in lines[1]


def test_what_nobody_expected_is_one_message_that_names_the_log(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr("questloom.pipeline.api.load_recipe", lambda *_: 1 / 0)
    code, lines = told(capfd, monkeypatch, "plan", "--store", str(tmp_path))
    assert code == FAILED and "ZeroDivisionError" in lines[0]
    assert (
        lines[-1].endswith(os.environ[VARIABLE])
        and "1 / 0" in Path(os.environ[VARIABLE]).read_text()
    )


def test_a_log_that_a_worker_left_empty_is_not_named(tmp_path, capfd, monkeypatch):
    Path(os.environ[VARIABLE]).touch()
    code, lines = told(
        capfd, monkeypatch, "plan", "--store", str(tmp_path), "--recipe", "no_such_recipe"
    )
    assert code == BAD_INPUT and "The log:" not in "".join(lines)


def test_a_log_that_is_named_holds_the_exception_behind_the_message(tmp_path, capfd, monkeypatch):
    Path(os.environ[VARIABLE]).touch()

    def load(*_):
        try:
            import no_such_module  # noqa: F401
        except ModuleNotFoundError as error:
            raise InputError("recipe key", "there is no module", "Install it.") from error

    monkeypatch.setattr("questloom.pipeline.api.load_recipe", load)
    code, lines = told(capfd, monkeypatch, "plan", "--store", str(tmp_path))
    assert code == BAD_INPUT and lines[-1].endswith(os.environ[VARIABLE])
    assert "ModuleNotFoundError: No module named" in Path(os.environ[VARIABLE]).read_text()
