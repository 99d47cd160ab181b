"""The loopback services answer as Wikimedia's do, and refuse what these refuse."""

import json
import threading
import time
from io import BytesIO

import pytest
from PIL import Image

from benchmarks.wikimedia import Manners, serving
from benchmarks.wikimedia_world import World
from tests.small_wikimedia import AGENT, LIGHTHOUSE, api, ask, small_world


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> World:
    return small_world(tmp_path_factory)


def test_entities_come_by_fifty_merged_ones_under_the_id_that_was_asked_for_and_deleted_ones_as_missing(
    world,
):
    ids = sorted(world.entities)[:51]
    world = World(**(vars(world) | {"merged": {"Q77": ids[0]}, "deleted": {ids[1]}}))
    manners = Manners()
    with serving(world, manners) as base:
        found = api(base, "wikidata", action="wbgetentities", ids=f"Q77|{ids[1]}|{ids[2]}")
        refused = api(base, "wikidata", action="wbgetentities", ids="|".join(ids))
    entities = found["entities"]
    assert entities["Q77"]["id"] == ids[0] and entities["Q77"]["redirects"]["to"] == ids[0]
    assert "missing" in entities[ids[1]] and entities[ids[2]]["claims"] is not None
    assert refused["error"]["code"] == "toomanyvalues" and manners.violations


def test_articles_are_exported_with_their_revisions_and_redirects_are_followed(world):
    redirect = next(t for t, xml in world.pages.items() if "<redirect title=" in xml)
    with serving(world) as base:
        query = api(base, "en.wikipedia", export="1", titles=f"{redirect}|No such page")["query"]
    target = query["redirects"][0]["to"]
    assert query["redirects"][0]["from"] == redirect
    assert f"<title>{target}</title>" in query["export"] and "<siteinfo>" in query["export"]
    assert query["pages"][0]["lastrevid"] > 0 and query["pages"][1]["missing"]


def test_files_come_with_licence_author_and_statements_and_twenty_at_a_time(world):
    titles = [f"File:{name}" for name in sorted(world.files)[:25]]
    form = {"prop": "imageinfo", "iiurlwidth": "250", "titles": "|".join(titles)}
    with serving(world) as base:
        first = api(base, "commons", **form)
        second = api(base, "commons", **form, **first["continue"])
        pages = first["query"]["pages"]
        media = f"M{pages[0]['pageid']}"
        statements = api(base, "commons", action="wbgetentities", ids=media)["entities"][media]

    assert ["imageinfo" in page for page in pages] == [True] * 20 + [False] * 5
    assert ["imageinfo" in page for page in second["query"]["pages"]] == [False] * 20 + [True] * 5
    assert "continue" not in second and "statements" in statements
    assert {"Artist", "Credit", "ImageDescription"} <= pages[0]["imageinfo"][0][
        "extmetadata"
    ].keys()


def test_a_thumbnail_has_the_width_of_its_address(world):
    name = sorted(world.files)[0]
    with serving(world) as base:
        status, _, body = ask(base, f"/thumbs/120px-{name}")
    assert status == 200 and Image.open(BytesIO(body)).width == 120


def test_the_query_service_counts_and_lists_members_of_a_class_by_a_sparql_engine(world):
    query = (
        "PREFIX wd: <http://www.wikidata.org/entity/> PREFIX wdt: <http://www.wikidata.org/prop/direct/> "
        f"SELECT (COUNT(DISTINCT ?item) AS ?n) WHERE {{ ?item wdt:P31/wdt:P279* wd:{LIGHTHOUSE} }}"
    )
    with serving(world) as base:
        status, headers, body = ask(base, "/sparql", query=query)
    assert (status, headers["Content-Type"]) == (200, "application/sparql-results+json")
    assert json.loads(body)["results"]["bindings"][0]["n"]["value"] == "5"


@pytest.mark.parametrize(
    ("path", "agent", "status"),
    [
        ("/thumbs/250px-x.jpg", "python-requests/2.0", 403),
        ("/thumbs/333px-x.jpg", AGENT, 429),
        ("/thumbs/250px-x.jpg", AGENT, 404),
    ],
    ids=["no contact", "no standard width", "no such file"],
)
def test_what_the_real_services_refuse_is_refused(world, path, agent, status):
    manners = Manners()
    with serving(world, manners) as base:
        assert ask(base, path, agent)[0] == status
    assert bool(manners.violations) == (status != 404)


def test_a_second_request_to_a_service_while_one_is_open_is_refused(world):
    entered, release = threading.Event(), threading.Event()

    def wait(number):
        if number == 1:
            entered.set()
            release.wait(10)
        return ""

    manners = Manners(wait)
    with serving(world, manners) as base:
        first = threading.Thread(target=ask, args=(base, "/thumbs/250px-x.jpg"))
        first.start()
        entered.wait(10)
        beside, other = ask(base, "/thumbs/250px-y.jpg")[0], api(base, "wikidata", ids="Q5")
        release.set()
        first.join()
    assert beside == 429 and manners.violations == ["parallel requests to thumbs"] and other


@pytest.mark.parametrize("fault", ["429", "503", "maxlag"])
def test_who_waits_for_retry_after_is_served_and_who_does_not_is_banned(world, fault):
    def served(wait):
        manners = Manners(lambda number: fault if number == 1 else "", pause=0.5)
        with serving(world, manners) as base:
            form = {"action": "wbgetentities", "ids": "Q5", "maxlag": "5"}
            status, headers, _ = ask(base, "/wikidata/w/api.php", **form)
            assert headers["Retry-After"] == "0.5" and (fault == "maxlag") == (status == 200)
            time.sleep(wait)
            second = ask(base, "/wikidata/w/api.php", **form)[0]
            time.sleep(0.6)
            return second, ask(base, "/wikidata/w/api.php", **form)[0], manners.violations

    assert served(0.6) == (200, 200, [])
    second, third, violations = served(0.0)
    assert (second, third) == (403, 403) and "before Retry-After" in violations[0]
