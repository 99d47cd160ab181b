"""`questloom gather` from loopback services: what it brings, that it brings nothing twice, and what it says where it cannot."""

import bz2
import json
import os
import re
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.wikimedia import Manners, serving
from benchmarks.wikimedia_world import World
from questloom.calls.ledger import cost_lines
from questloom.knowledge.gather import fetcher
from questloom.knowledge.gather import gather as gathering
from questloom.knowledge.gather.closure import links_of
from questloom.knowledge.gather.request import GatherRequest
from questloom.knowledge.store.store import Store
from questloom.pipeline.cli import app
from questloom.pipeline.commands.gather import gather, summary_text, what_is_lacking
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.pipeline.synth.lacking import COLUMNS
from questloom.records.errors import InputError, ProviderFault
from questloom.records.form import Ask, ClaimClause, ClassClause, Form, Image
from questloom.records.knowledge import entity_value
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import Refusal, certify_form
from questloom.transforms.facts.lookups import Lookups
from tests.shared_data import SHARED, needs
from tests.small_wikimedia import (
    CONTACT,
    HUMAN,
    LIGHTHOUSE,
    PAINTING,
    PORTRAIT,
    QUICK,
    SITTER,
    changed,
    entities_of,
    gathered,
    small_world,
    twice,
    without_waits,
)


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> World:
    return small_world(tmp_path_factory)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    without_waits(monkeypatch)


def stored(out: Path, store: Path) -> Store:
    """The store of a gathered folder, by the command that gather names last."""
    dumps = json.loads((out / "gather.json").read_text())["dumps"]
    run_ingest(
        IngestOptions(
            store=str(store),
            entities=(str(out / dumps["entities"]),),
            articles=(str(out / dumps["articles"]),),
            images=(str(out / dumps["images"]),),
        )
    )
    return Store.open(str(store))


def as_published(entity: dict) -> dict:
    """An entity of the world as the service gives it: names in the wanted languages are all that it has."""
    return {k: v for k, v in entity.items() if v not in ({}, [])}


def test_a_class_becomes_dumps_whose_entities_pages_and_pictures_are_those_of_the_services(
    world, tmp_path
):
    made, manners, _ = gathered(world, tmp_path / "out", class_id=LIGHTHOUSE, depth=1)
    entities = entities_of(tmp_path / "out")
    assert manners.violations == [] and twice(manners) == []
    for name, entity in entities.items():
        assert as_published(entity) == as_published(world.entities[name]), name
    (articles,) = (tmp_path / "out").glob("enwiki-*-articles.xml.bz2")
    text = bz2.decompress(articles.read_bytes()).decode()
    assert text.startswith(world.header) and text.endswith("</mediawiki>\n")
    for title, revision in made["revisions"]["articles"].items():
        assert world.pages[title] in text and f"<id>{revision}</id>" in world.pages[title]
    pictures = {p.name for p in (tmp_path / "out" / "pictures").iterdir()} - {"metadata.jsonl"}
    lines = (tmp_path / "out" / "pictures" / "metadata.jsonl").read_text().splitlines()
    assert {json.loads(line)["title"] for line in lines} == {f"File:{name}" for name in pictures}
    assert made["gathered"] == {
        "entities": len(entities),
        "articles": len(made["revisions"]["articles"]),
        "pictures": len(pictures),
    }
    assert pictures and made["classes"][LIGHTHOUSE] == {"members": 5, "listed": 5, "whole": True}


def test_the_closure_reaches_what_claims_lead_to_and_every_class_above_and_the_properties_in_use(
    world, tmp_path
):
    gathered(world, tmp_path / "out", class_id=LIGHTHOUSE, depth=2)
    entities = entities_of(tmp_path / "out")

    def values(name, *only):
        claims = world.entities[name].get("claims") or {}
        for prop, statements in claims.items():
            for statement in statements:
                value = statement["mainsnak"].get("datavalue", {}).get("value")
                is_item = isinstance(value, dict) and value.get("entity-type") == "item"
                if is_item and (not only or prop in only):
                    yield value["id"]

    anchors = [n for n in world.entities if LIGHTHOUSE in values(n, "P31")]
    near = {v for a in anchors if a in entities for v in values(a)} & world.entities.keys()
    far = {v for n in near for v in values(n)} & world.entities.keys()
    assert near and far - near and near | far <= entities.keys()
    items = [name for name in entities if name.startswith("Q")]
    assert {v for n in items for v in values(n, "P31", "P279")} & world.entities.keys() <= set(
        items
    )
    properties = {p for n in items for p in world.entities[n].get("claims") or {}}
    assert properties & world.entities.keys() <= entities.keys()


def test_what_was_gathered_is_ingested_as_it_is_and_gives_the_claims_of_the_worlds_own_dump(
    world, tmp_path
):
    gathered(world, tmp_path / "out", class_id=HUMAN, limit=1000, depth=2, rivals=1000)
    ours = stored(tmp_path / "out", tmp_path / "ours")
    folder = next(iter(world.files.values()))[1].parents[1]
    run_ingest(
        IngestOptions(
            store=str(tmp_path / "whole"),
            entities=(str(folder / "entities.json.bz2"),),
            articles=(str(folder / "articles.xml.bz2"),),
            images=(str(folder / "images"),),
            snapshot=ours.meta["snapshot"],
        )
    )
    whole = Store.open(str(tmp_path / "whole"))
    people = whole.members(HUMAN)
    assert len(people) > 50 and ours.members(HUMAN) == people
    for name in people:
        assert [(c.property, c.value, c.best) for c in ours.claims(name)] == [
            (c.property, c.value, c.best) for c in whole.claims(name)
        ]
    assert ours.stated_members(HUMAN) == len(people)


@pytest.mark.parametrize("views", [0, 2])
def test_further_pictures_that_depict_an_anchor_come_as_many_as_are_wanted(world, tmp_path, views):
    made, manners, _ = gathered(world, tmp_path, class_id=LIGHTHOUSE, depth=0, views=views)
    lines = (tmp_path / "pictures" / "metadata.jsonl").read_text().splitlines()
    had = {json.loads(line)["title"].removeprefix("File:") for line in lines}
    anchors = {n for n in entities_of(tmp_path) if n in world.pictured() and world.depicting(n)}
    further = {name for n in anchors for name in world.depicting(n)[:views]}
    assert manners.violations == [] and twice(manners) == [] and made["asked"]["views"] == views
    assert further <= had if views else len(had) == made["asked"]["anchors"]
    assert not views or len(had) > made["asked"]["anchors"]


def test_the_plan_is_shown_before_the_first_request(world, tmp_path):
    seen = []
    manners = Manners(lambda number: seen.append(list(lines)) or "")
    lines: list[str] = []
    with serving(world, manners) as base:
        request = GatherRequest(class_id=LIGHTHOUSE, depth=0)
        gather(request, tmp_path, base=base, contact=CONTACT, retry=QUICK, say=lines.append)
    assert re.search(r"In all about [\d,]+ calls and \d+ (s|min)", seen[0][0])
    assert "5 members" in lines[1] and len(lines) == 3


def test_merged_and_deleted_entities_articles_and_files_are_written_down_and_cost_nothing_else(
    world, tmp_path
):
    def leads_to_merged(entity):
        entity["claims"]["P170"][0]["mainsnak"]["datavalue"]["value"] = {
            "entity-type": "item",
            "numeric-id": 77,
            "id": "Q77",
        }

    world = changed(world, PORTRAIT, leads_to_merged)
    title = world.entities[SITTER]["sitelinks"]["enwiki"]["title"]
    file = world.entities[SITTER]["claims"]["P18"][0]["mainsnak"]["datavalue"]["value"]
    museum = world.entities[PORTRAIT]["claims"]["P195"][0]["mainsnak"]["datavalue"]["value"]["id"]
    world = replace(world, merged={"Q77": "Q900010059"}, deleted={museum, title, file})
    made, manners, _ = gathered(
        world, tmp_path / "out", ids=(PORTRAIT, "Q1999999999"), depth=1, rivals=3
    )
    entities = entities_of(tmp_path / "out")
    assert entities["Q77"] == {"entity": "Q77", "redirect": "Q900010059"}
    assert "Q900010059" in entities and museum not in entities
    assert made["failed"]["entity"].keys() >= {museum, "Q1999999999"}
    assert made["failed"]["page"] == {title: "there is no such article"}
    assert made["failed"]["file"] == {file.replace("_", " "): "Commons has no such file"}
    assert manners.violations == []
    assert stored(tmp_path / "out", tmp_path / "store").entity("Q900010059") is not None


def certified(store: Store):
    """What becomes of: the painting of the person in the picture, and its year."""
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x1", property="P180", object="x0"),
            ClassClause(var="x1", class_id=PAINTING),
            ClaimClause(subject="x1", property="P571", object="a"),
        ),
        ask=Ask(var="a", type="date", precision="year"),
    )
    year = next(c.value.key() for c in store.claims(PORTRAIT) if c.property == "P571")
    return certify_form(
        form,
        Lookups(store),
        {"x0": entity_value(SITTER)},
        {"x0": SITTER, "x1": PORTRAIT, "a": year},
        CertificateRules(stated=False, margin=1),
    )


def test_of_a_class_gathered_whole_a_certificate_holds_and_of_one_gathered_in_part_it_is_refused(
    world, tmp_path
):
    found = {}
    for name, rivals in (("whole", 2000), ("part", 2)):
        made, _, _ = gathered(
            world, tmp_path / name, class_id=PAINTING, limit=2, depth=1, rivals=rivals
        )
        assert made["classes"][PAINTING]["whole"] == (name == "whole")
        found[name] = certified(stored(tmp_path / name, tmp_path / f"{name}-store"))
    assert not isinstance(found["whole"], Refusal)
    assert isinstance(found["part"], Refusal)
    assert found["part"].reason == Reason.CLASS_INCOMPLETE
    assert found["part"].evidence == {"var": "x1", "class": PAINTING}


def test_what_a_run_lacks_is_fetched_into_the_folder_and_the_certificate_then_holds(
    world, tmp_path
):
    first, before, _ = gathered(
        world, tmp_path / "out", class_id=PAINTING, limit=2, depth=1, rivals=2
    )
    assert isinstance(certified(stored(tmp_path / "out", tmp_path / "before")), Refusal)
    (tmp_path / "lacking.tsv").write_text(
        "\t".join(COLUMNS) + "\n"
        f"members\t{PAINTING}\t\t7\t2\t\t7 things have no plan: …\n"
        f"claims\t{PAINTING}\tP170\t3\t2\t3\t3 things have no plan: …\n"
    )
    classes, ways = what_is_lacking(tmp_path / "lacking.tsv")
    assert (classes, ways) == ((PAINTING,), ()) and what_is_lacking(None) == ((), ())
    made, after, _ = gathered(world, tmp_path / "out", lacking=classes)
    assert made["day"] == first["day"] and made["classes"][PAINTING]["whole"]
    assert not before.served.keys() & after.served.keys() and after.violations == []
    assert {name for name in after.served if name.startswith("page")}
    assert not isinstance(certified(stored(tmp_path / "out", tmp_path / "after")), Refusal)


@pytest.mark.parametrize("text", ["Q5", "kind\tid\nclass\tQ5", "class\n5", "class\nQ5\nklass"])
def test_a_file_that_is_no_table_of_classes_is_refused(tmp_path, text):
    (tmp_path / "lacking.tsv").write_text(text)
    with pytest.raises(InputError, match="no table of classes"):
        what_is_lacking(tmp_path / "lacking.tsv")


def test_the_end_says_what_the_slice_holds_and_which_commands_come_next(world, tmp_path):
    out, titles = tmp_path / "out", ("No such page",)
    for anchor in world.pictured()[:3]:
        titles += (world.entities[anchor]["sitelinks"]["enwiki"]["title"],)
    made, _, _ = gathered(world, out, titles=titles, depth=1, rivals=40)
    held, items = made["slice"], {n for n in entities_of(out) if n.startswith("Q")}
    assert held["anchors"] == held["anchors_to_ask_about"] == 3 and held["things"]
    store = stored(out, tmp_path / "store")
    members = {m for kind in made["classes"] for m in store.members(kind)} & items
    assert held["rivals"] == len(members - reached(world, world.pictured()[:3])) > 0
    text = summary_text(out, made)
    assert "3 anchors, 3 of them with an article and a picture" in text
    assert f"{held['things']:,} things to which claims" in text
    assert f"{held['rivals']:,} rivals" in text and "(No such page: " in text
    following = text.partition("Next:\n")[2].splitlines()
    assert [line.split()[1] for line in following] == ["ingest", "plan", "gather", "synth"]
    assert all(str(out / name) in following[0] for name in made["dumps"].values())


def test_the_end_names_ten_classes_and_those_in_part_first(world, tmp_path):
    made, _, _ = gathered(world, tmp_path, class_id=LIGHTHOUSE, depth=0, views=0)
    whole = {f"Q{n}": {"members": n, "listed": n, "whole": True} for n in range(1, 12)}
    part = {"Q99": {"members": 9, "listed": 2, "whole": False}}
    lines = summary_text(tmp_path, made | {"classes": whole | part}).splitlines()
    told = [line for line in lines if line.startswith("  class")]
    assert len(told) == 10 and told[0] == "  class Q99: 9 members, gathered in part (2 of them)"
    assert f"  2 more classes: {tmp_path / 'gather.json'}" in lines
    assert "more classes" not in summary_text(tmp_path, made)


def reached(world: World, anchors: list[str]) -> set[str]:
    """The anchors and the values of their claims."""
    found = set(anchors)
    for name in anchors:
        found |= set(links_of(world.entities[name], "enwiki").values)
    return found


def test_what_a_run_lacks_counts_as_rivals_and_the_anchors_stay(world, tmp_path):
    first, _, _ = gathered(world, tmp_path, class_id=PAINTING, limit=2, depth=1, rivals=2)
    made, _, _ = gathered(world, tmp_path, lacking=(PAINTING,))
    assert made["slice"]["anchors"] == first["slice"]["anchors"] == 2
    assert made["slice"]["rivals"] > first["slice"]["rivals"]
    assert made["page_views"]["items"] > first["page_views"]["items"]


def test_nothing_is_completed_where_nothing_was_gathered(world, tmp_path):
    with pytest.raises(InputError, match="nothing that could be completed"):
        gathered(world, tmp_path / "out", lacking=(HUMAN,))


def test_a_larger_limit_fetches_only_what_is_new_and_the_dumps_are_those_of_one_run(
    world, tmp_path
):
    def run(out, limit):
        return gathered(world, out, class_id=HUMAN, limit=limit, depth=1, rivals=10)

    _, small, _ = run(tmp_path / "two", 5)
    _, larger, _ = run(tmp_path / "two", 12)
    _, once, _ = run(tmp_path / "one", 12)
    assert not small.served.keys() & larger.served.keys()
    assert small.served + larger.served == once.served
    assert entities_of(tmp_path / "two") == entities_of(tmp_path / "one")
    _, again, _ = run(tmp_path / "two", 12)
    assert not again.requests


def test_replies_are_forgotten_once_they_are_kept_and_every_request_stays_in_the_ledger(
    world, tmp_path
):
    _, manners, _ = gathered(world, tmp_path, class_id=LIGHTHOUSE, depth=1)
    calls = tmp_path / "work" / "calls.sqlite"
    booked = {line.group[0]: line.num_calls for line in cost_lines(calls, ("provider",))}
    services = {"en.wikipedia": "wikipedia", "thumbs": "commons-files"}
    assert booked == {services.get(k, k): v for k, v in manners.requests.items()}
    assert calls.stat().st_size < 200_000


@pytest.mark.parametrize("fault", ["maxlag", "429", "503", "cut", "half"])
def test_a_service_that_asks_for_patience_gets_it_and_nobody_is_banned(world, tmp_path, fault):
    manners = Manners(lambda number: fault if number in (1, 6, 12, 18) else "", pause=0.3)
    made, manners, _ = gathered(world, tmp_path, manners, class_id=LIGHTHOUSE, depth=1)
    assert manners.violations == [] and twice(manners) == [] and made["gathered"]["pictures"]


COMMAND = [sys.executable, "-m", "questloom.pipeline.cli", "gather", "--class", LIGHTHOUSE]


@pytest.mark.slow
def test_killed_at_ten_points_it_goes_on_and_fetches_nothing_twice(world, tmp_path):
    processes: list[subprocess.Popen] = []
    kills = {3, 5, 8, 11, 14, 17, 20, 23, 26, 29}
    manners = Manners(
        lambda number: "kill" if number in kills else "",
        kill=lambda: os.kill(processes[-1].pid, signal.SIGKILL),
    )
    out, options = tmp_path / "out", ["--depth", "1", "--contact", CONTACT]
    with serving(world, manners) as base:
        while not processes or processes[-1].wait() == -signal.SIGKILL:
            command = [*COMMAND, "--out", str(out), *options, "--services", base]
            processes.append(subprocess.Popen(command, stderr=subprocess.PIPE))
    assert processes[-1].returncode == 0, processes[-1].stderr.read()
    assert len(processes) == 11 and manners.violations == [] and twice(manners) == []
    gathered(world, tmp_path / "once", class_id=LIGHTHOUSE, depth=1)
    assert entities_of(out) == entities_of(tmp_path / "once")
    assert not [p for p in out.rglob("*") if p.name.endswith(".part")]


@pytest.mark.parametrize(
    ("request_", "where", "what", "fix"),
    [
        ({"class_id": "Q1999999999"}, "--class Q1999999999", "no item of Wikidata", "wikidata.org"),
        ({"class_id": SITTER}, f"--class {SITTER}", "has no members", "no thing"),
        (
            {"class_id": HUMAN, "language": "sw"},
            f"--class {HUMAN}",
            "article in 'sw'",
            "--language",
        ),
        ({"class_id": "lighthouse"}, "--class lighthouse", "no id", "Q39715"),
        ({"titles": ("No such page",)}, "--titles", "no title", "--language"),
        ({"class_id": HUMAN, "width": 640}, "--width 640", "Commons gives", "960"),
        ({"class_id": HUMAN, "ids": ("Q5",)}, "gather", "one of --class", "which things"),
    ],
    ids=["unknown class", "empty class", "no article", "no id", "no title", "width", "both"],
)
def test_what_cannot_be_gathered_is_said_with_the_way_out(
    world, tmp_path, request_, where, what, fix
):
    with pytest.raises(InputError) as found:
        gathered(world, tmp_path / "out", **request_)
    assert found.value.where == where and what in found.value.what and fix in found.value.fix


def test_a_class_of_millions_is_refused_after_one_quick_count(world, tmp_path, monkeypatch):
    monkeypatch.setattr(gathering, "MAX_CLASS", 50)
    manners = Manners()
    with pytest.raises(InputError) as found:
        gathered(world, tmp_path / "out", manners, class_id=HUMAN)
    assert "members, more than 50" in found.value.what and "--ids" in found.value.fix
    assert manners.requests["sparql"] == 1


def test_a_list_of_millions_is_refused_before_anything_is_asked(world, tmp_path):
    for request, option in (
        ({"ids": tuple(f"Q{n}" for n in range(1, 100_002))}, "--ids"),
        (
            {"titles": tuple(map(str, range(100_001))), "titles_option": "--articles x"},
            "--articles",
        ),
    ):
        manners = Manners()
        with pytest.raises(InputError, match="names 100,001 things, more than 100,000") as found:
            gathered(world, tmp_path / "out", manners, **request)
        assert found.value.where.startswith(option) and not manners.requests


def test_a_picture_that_is_gone_from_a_folder_is_fetched_again_and_nothing_else(world, tmp_path):
    manners, request = Manners(), GatherRequest(class_id=LIGHTHOUSE, depth=0)
    with serving(world, manners) as base:
        options = {"base": base, "contact": CONTACT, "retry": QUICK}
        gather(request, tmp_path, **options)
        picture = next(p for p in (tmp_path / "pictures").iterdir() if p.suffix != ".jsonl")
        whole = picture.read_bytes()
        picture.unlink()
        gather(request, tmp_path, **options)
    assert picture.read_bytes() == whole
    assert twice(manners) == [f"picture {picture.name}"]


def test_how_many_wikis_write_of_a_thing_comes_into_the_store(world, tmp_path):
    def known(entity):
        entity["sitelinks"] |= {
            f"{code}wiki": {"site": f"{code}wiki", "title": "X"} for code in ("xh", "yo", "zu")
        }

    before = len(world.entities[SITTER]["sitelinks"])
    gathered(changed(world, SITTER, known), tmp_path / "out", ids=(SITTER,), depth=0, rivals=0)
    store = stored(tmp_path / "out", tmp_path / "store")
    assert store.entity(SITTER).num_sitelinks == before + 3


def test_without_a_network_one_message_names_the_service(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{free.getsockname()[1]}"
    request = GatherRequest(class_id=LIGHTHOUSE)
    with pytest.raises(ProviderFault, match=f"wikidata: no reply from {base}"):
        gather(request, tmp_path, base=base, contact=CONTACT, retry=QUICK, say=lambda line: None)


def test_a_page_of_html_in_place_of_json_is_shown_in_one_message(world, tmp_path):
    with pytest.raises(ProviderFault, match=r"no API reply from .* but 'Log in to the network'"):
        gathered(world, tmp_path, Manners(lambda number: "html"), class_id=LIGHTHOUSE)


def test_without_a_contact_nothing_is_asked_and_nothing_written(world, tmp_path, monkeypatch):
    monkeypatch.delenv("QUESTLOOM_CONTACT", raising=False)
    result = CliRunner().invoke(
        app, ["gather", "--class", LIGHTHOUSE, "--out", str(tmp_path / "out")]
    )
    assert isinstance(result.exception, InputError) and "contact" in result.exception.what
    assert not (tmp_path / "out").exists()


def test_a_folder_of_something_else_and_a_damaged_one_are_named_and_left_alone(world, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="no run of gather began here"):
        gathered(world, tmp_path / "other", class_id=LIGHTHOUSE)
    assert [p.name for p in (tmp_path / "other").iterdir()] == ["letter.txt"]
    (tmp_path / "damaged" / "work").mkdir(parents=True)
    (tmp_path / "damaged" / "work" / "gathered.sqlite").write_bytes(b"no database " * 100)
    with pytest.raises(InputError, match="cannot be read"):
        gathered(world, tmp_path / "damaged", class_id=LIGHTHOUSE)


def test_a_folder_stays_with_its_class_and_width(world, tmp_path):
    gathered(world, tmp_path, class_id=LIGHTHOUSE, depth=0)
    for change, what in (
        ({"class_id": HUMAN}, f"class {LIGHTHOUSE}, and not {HUMAN}"),
        ({"width": 500}, "width 960, and not 500"),
    ):
        with pytest.raises(InputError) as found:
            gathered(world, tmp_path, **({"class_id": LIGHTHOUSE} | change))
        assert what in found.value.what


def test_a_full_disk_leaves_no_half_picture_and_the_next_run_goes_on(world, tmp_path, monkeypatch):
    def full(path, data):
        raise OSError(28, "No space left on device", str(path))

    manners, request = Manners(), GatherRequest(class_id=LIGHTHOUSE, depth=0)
    with serving(world, manners) as base:
        options = {"base": base, "contact": CONTACT, "retry": QUICK}
        with monkeypatch.context() as patched:
            patched.setattr(fetcher, "write_whole", full)
            with pytest.raises(InputError, match="the disk is full"):
                gather(request, tmp_path, **options)
        assert not (tmp_path / "gather.json").exists()
        made = gather(request, tmp_path, **options)
    assert made["gathered"]["pictures"] and twice(manners) == []


@needs("slice/entities.json.gz")
@pytest.mark.slow
def test_the_real_slice_ingested_by_its_dump_and_through_gather_gives_the_same_claims(tmp_path):
    data = SHARED / "data" / "slice"
    world = World.read(
        [data / "entities.json.gz"], [data / "articles.xml.bz2"], [data / "pictures"]
    )
    presidents = ("Q76", "Q23", "Q91")
    gathered(world, tmp_path / "out", ids=presidents, depth=1, rivals=0)
    for name, entity in entities_of(tmp_path / "out").items():
        assert as_published(entity) == as_published(world.entities[name])


def test_things_to_which_lacking_claims_lead_are_fetched_and_stay_reached(world, tmp_path):
    """The painter of a painting, and where the painter was born, lie beyond the first gathering."""
    (painter,) = values(world, PORTRAIT, "P170")
    (born,) = values(world, painter, "P19")
    first, _, _ = gathered(world, tmp_path / "out", ids=(PORTRAIT,), depth=0, rivals=0)
    (tmp_path / "lacking.tsv").write_text(
        f"kind\tclass\tproperty\nvalues\t{PAINTING}\tP170\nvalues\t{HUMAN}\tP19\n"
    )
    lacking, ways = what_is_lacking(tmp_path / "lacking.tsv")
    assert (lacking, ways) == ((), ((PAINTING, "P170"), (HUMAN, "P19")))
    gathered(world, tmp_path / "out", ways=ways[1:])
    assert not {painter, born} & entities_of(tmp_path / "out").keys()
    gathered(world, tmp_path / "out", ways=ways)
    made, seen, _ = gathered(world, tmp_path / "out", ways=ways[1:])
    assert {painter, born} <= entities_of(tmp_path / "out").keys() and seen.violations == []
    assert made["slice"]["things"] == first["slice"]["things"] + 2 == 2
    assert made["slice"]["anchors"] == 1


@pytest.mark.parametrize("depth", [1, 2])
def test_completing_asks_again_for_what_was_missing_and_goes_on_from_it_as_far_as_at_first(
    world, tmp_path, depth
):
    """The painter of a painting could not be fetched at first. No listed claim leads there."""
    (painter,) = values(world, PORTRAIT, "P170")
    (born,) = values(world, painter, "P19")
    request = {"ids": (PORTRAIT,), "depth": depth, "rivals": 0}
    gathered(replace(world, deleted={painter, born}), tmp_path / "out", **request)
    assert not {painter, born} & entities_of(tmp_path / "out").keys()
    made, seen, _ = gathered(world, tmp_path / "out", ways=(("Q1999999999", "P1"),))
    whole, _, _ = gathered(world, tmp_path / "whole", **request)
    items = entities_of(tmp_path / "out")
    assert items == entities_of(tmp_path / "whole") and painter in items
    assert (born in items) == (depth == 2)
    assert made["slice"] == whole["slice"] and made["revisions"] == whole["revisions"]
    assert seen.violations == [] and "entity" not in made["failed"]


def values(world: World, name: str, prop: str) -> list[str]:
    """The items that an entity's claims of a property name."""
    found = world.entities[name]["claims"][prop]
    return [statement["mainsnak"]["datavalue"]["value"]["id"] for statement in found]
