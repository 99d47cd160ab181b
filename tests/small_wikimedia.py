"""A small fictional world behind loopback services, and gathering from them without their waits."""

import copy
import gzip
import http.client
import json
import urllib.parse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.wikimedia import Manners, serving
from benchmarks.wikimedia_world import Json, World
from questloom.calls.pacing import Pace
from questloom.calls.retry import RetryPolicy
from questloom.knowledge.gather.request import GatherRequest
from questloom.knowledge.readers import polite
from questloom.knowledge.world.write import write_world
from questloom.pipeline.commands.gather import gather
from tests.made_once import made_once

CONTACT = "tests@example.org"
AGENT = f"Tests/1.0 ({CONTACT})"
LIGHTHOUSE, PAINTING, HUMAN = "Q39715", "Q3305213", "Q5"
PAINTER = "Q900010056"
PORTRAIT, SITTER = "Q900010146", "Q900010045"
"""A painting of the world, and whom it shows: nobody else's picture does."""
QUICK = RetryPolicy(max_attempts=3, first_delay=0.01, max_retry_after=10.0, max_unreachable=1)


def small_world(temporary: pytest.TempPathFactory) -> World:
    """A hundred and fifty articles with all that belongs to them."""
    folder = made_once(
        temporary, "wikimedia", lambda at: write_world(at, articles=150, seed=11, workers=1)
    )
    return World.read(
        [folder / "entities.json.bz2"], [folder / "articles.xml.bz2"], [folder / "images"]
    )


def changed(world: World, name: str, change: Callable[[Json], None]) -> World:
    """A copy of a world with one entity changed."""
    entity = copy.deepcopy(world.entities[name])
    change(entity)
    return replace(world, entities=world.entities | {name: entity})


def without_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes the pauses between requests away; that they are one at a time, and Retry-After, stay."""
    for service, pace in polite.PACES.items():
        quick = Pace(max_in_flight=1, work_per_minute=pace.work_per_minute)
        monkeypatch.setitem(polite.PACES, service, quick)


def gathered(
    world: World, out: Path, manners: Manners | None = None, **request: object
) -> tuple[Json, Manners, list[str]]:
    """(what gather.json says, what the services saw, what was said before) of one gathering."""
    manners, lines = manners or Manners(), list[str]()
    with serving(world, manners) as base:
        made = gather(
            GatherRequest(**request),  # type: ignore[arg-type]
            out,
            base=base,
            contact=CONTACT,
            retry=QUICK,
            say=lines.append,
        )
    return made, manners, lines


def twice(manners: Manners) -> list[str]:
    """What was served more than once."""
    return [name for name, number in manners.served.items() if number > 1]


def entities_of(out: Path) -> dict[str, dict]:
    """The lines of a gathered dump, by id."""
    (path,) = out.glob("wikidata-*.json.gz")
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    found = [json.loads(line.rstrip(",")) for line in lines if line.startswith("{")]
    return {entity.get("id") or entity["entity"]: entity for entity in found}


def ask(base, path, agent=AGENT, **form):
    """(status, headers, body) of a request; a form is posted."""
    connection = http.client.HTTPConnection(base.removeprefix("http://"))
    headers = {"User-Agent": agent, "Accept-Encoding": "gzip"}
    if form:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request("POST", path, urllib.parse.urlencode(form), headers)
    else:
        connection.request("GET", urllib.parse.quote(path), headers=headers)
    reply = connection.getresponse()
    body = reply.read()
    connection.close()
    packed = reply.headers.get("Content-Encoding") == "gzip"
    return reply.status, reply.headers, gzip.decompress(body) if packed else body


def api(base, service, **form):
    return json.loads(
        ask(base, f"/{service}/w/api.php", **{"action": "query", "maxlag": "5", **form})[2]
    )
