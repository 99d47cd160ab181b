"""Commons: the API on loopback with the real metadata of Wikimedia's offline collections."""

import io
import json
import sqlite3
import tempfile
import time
import urllib.parse
import zipfile

import pytest
from PIL import Image

from questloom.calls.caller import Caller
from questloom.calls.ledger import cost_lines
from questloom.calls.retry import RetryPolicy
from questloom.calls.sqlite import SqliteCache
from questloom.knowledge.readers.commons import CommonsApi
from questloom.knowledge.readers.commons_page import file_name, image_asset, plain_text
from questloom.knowledge.readers.folder import list_pictures, read_picture
from questloom.knowledge.readers.picture_check import PictureFacts, inspect_picture
from questloom.records.errors import InputError, ProviderFault


def _jpeg(width=120, height=90):
    out = io.BytesIO()
    Image.effect_mandelbrot((width, height), (-2, -1.5, 1, 1.5), 30).save(out, "JPEG")
    return out.getvalue()


class _Commons:
    """The part of api.php that we use, over a table of pages."""

    def __init__(self, server, pages, redirects=()):
        self.server, self.pages, self.redirects = (
            server,
            {p["title"]: p for p in pages},
            dict(redirects),
        )
        self.before = []
        server.answer = self.answer

    def answer(self, path, body, number):
        if self.before:
            return self.before.pop(0)
        if path.startswith("/files/"):
            return (
                (200, {"Content-Type": "image/jpeg"}, _jpeg())
                if "Missing" not in path
                else (404, {}, b"gone")
            )
        asked = {k: v[0] for k, v in urllib.parse.parse_qs(body).items()}
        if asked["action"] == "wbgetentities":
            entities = {
                p["mediainfo"]["id"]: p["mediainfo"]
                for p in self.pages.values()
                if p.get("mediainfo")
            }
            reply = {
                "entities": {
                    i: entities.get(i, {"id": i, "missing": ""}) for i in asked["ids"].split("|")
                }
            }
        else:
            titles = asked["titles"].split("|")
            assert len(titles) <= 50
            assert asked["maxlag"] == "5"
            resolved = [self.redirects.get(t, t) for t in titles]
            reply = {
                "query": {
                    "redirects": [
                        {"from": t, "to": r}
                        for t, r in zip(titles, resolved, strict=True)
                        if t != r
                    ],
                    "pages": [
                        {k: v for k, v in self.pages[t].items() if k != "mediainfo"}
                        if t in self.pages
                        else {"title": t, "missing": True}
                        for t in resolved
                    ],
                }
            }
        return 200, {"Content-Type": "application/json"}, json.dumps(reply).encode()


def _page(server, title, number, licence="CC BY 4.0", mime="image/jpeg", **extra):
    name = urllib.parse.quote(title.replace(" ", "_"))
    meta = {"LicenseShortName": {"value": licence}} if licence else {}
    return {
        "pageid": number,
        "ns": 6,
        "title": f"File:{title}",
        "imagerepository": "local",
        "imageinfo": [
            {
                "url": f"{server.address}/files/{name}",
                "thumburl": f"{server.address}/files/250px-{name}",
                "mime": mime,
                "width": 3000,
                "height": 2000,
                "descriptionurl": f"https://commons.wikimedia.org/wiki/File:{name}",
                "extmetadata": meta,
            }
        ],
        **extra,
    }


def _api(server, tmp_path):
    """The API without its pace: the server is ours."""
    caller = Caller(
        SqliteCache(tmp_path / "calls.sqlite"),
        retry=RetryPolicy(max_attempts=3, first_delay=0.01, max_retry_after=60),
    )
    return CommonsApi(caller, endpoint=f"{server.address}/w/api.php", contact="a@b.org")


def _pictures(api, names, width):
    """Name to what Commons says of a file, with its bytes looked at; None where there is none."""
    found = {}
    for name, page in api.pages(names, width=width).items():
        data = api.picture(page) if page and page.get("imageinfo") else b""
        found[name] = image_asset(page, data, inspect_picture(data)) if data else None
    return found


def test_pictures_come_with_licence_author_and_what_they_depict(loopback, tmp_path):
    depicts = {
        "P180": [
            {
                "mainsnak": {
                    "snaktype": "value",
                    "property": "P180",
                    "datavalue": {"type": "wikibase-entityid", "value": {"id": "Q9"}},
                }
            }
        ]
    }
    _Commons(
        loopback,
        [
            _page(loopback, "Tower.jpg", 5, mediainfo={"id": "M5", "statements": depicts}),
            _page(loopback, "Bare.jpg", 6, licence=""),
        ],
        {"File:Old tower.jpg": "File:Tower.jpg"},
    )
    names = ["old_tower.jpg", "File:Bare.jpg", "None.jpg"]
    got = _pictures(_api(loopback, tmp_path), names, width=250)
    tower, bare = got["Old tower.jpg"], got["Bare.jpg"]
    assert (tower.licence, tower.depicts, tower.repository, tower.width) == (
        "CC BY 4.0",
        ("Q9",),
        "shared",
        120,
    )
    assert bare.licence == "" and got["None.jpg"] is None
    assert {r[2]["user-agent"] for r in loopback.requests} == {"Questloom/0.1 (a@b.org)"}
    assert any("250px-" in r[0] for r in loopback.requests)
    num = len(loopback.requests)
    assert _pictures(_api(loopback, tmp_path), names, width=250) == got
    assert len(loopback.requests) == num  # all of it was cached


def test_only_widths_that_commons_gives_are_asked_for(loopback, tmp_path):
    with pytest.raises(InputError, match="is not one that Commons gives"):
        _api(loopback, tmp_path).pages(["A.jpg"], width=224)
    assert loopback.requests == []


def test_titles_are_asked_for_fifty_at_a_time(loopback, tmp_path):
    _Commons(loopback, [_page(loopback, f"P{n}.jpg", n) for n in range(1, 121)])
    pages = _api(loopback, tmp_path).pages([f"P{n}.jpg" for n in range(1, 121)], width=330)
    assert all(pages.values())
    assert sum("action=query" in r[1] for r in loopback.requests) == 3


def test_an_address_that_is_no_web_address_is_not_opened(loopback, tmp_path):
    page = _page(loopback, "A.jpg", 1)
    page["imageinfo"][0]["thumburl"] = "file:///etc/passwd"
    with pytest.raises(ValueError, match="no address"):
        _api(loopback, tmp_path).picture(page)


@pytest.mark.parametrize(
    "bad",
    [
        (429, {"Retry-After": "0.3"}, b""),
        (503, {}, b"x"),
        (200, {}, b"<html>"),
        (200, {"Content-Length": "500"}, b"cut"),
        (200, {"Retry-After": "0.3"}, b'{"error": {"code": "maxlag", "info": "lagged"}}'),
    ],
)
def test_passing_failures_are_asked_again_after_the_pause_wished(loopback, tmp_path, bad):
    commons = _Commons(loopback, [_page(loopback, "A.jpg", 1)])
    commons.before = [bad]
    began = time.monotonic()
    assert _api(loopback, tmp_path).pages(["A.jpg"], width=120)["A.jpg"]
    assert time.monotonic() - began > float(bad[1].get("Retry-After", 0))
    (line,) = cost_lines(tmp_path / "calls.sqlite", by=("provider",))
    assert (line.group, line.num_faults, line.money) == (("commons",), 1, 0)


def test_a_picture_that_breaks_off_is_loaded_again(loopback, tmp_path):
    commons = _Commons(loopback, [_page(loopback, "A.jpg", 1)])
    api = _api(loopback, tmp_path)
    page = api.pages(["A.jpg"], width=250)["A.jpg"]
    commons.before = [(200, {"Content-Length": "5000"}, _jpeg()[:1000])]
    assert api.picture(page) == _jpeg()


def test_a_server_that_is_not_there_is_a_fault(loopback, tmp_path):
    page = _page(loopback, "A.jpg", 1)
    page["imageinfo"][0]["thumburl"] = "http://127.0.0.1:9/a.jpg"
    with pytest.raises(ProviderFault):
        _api(loopback, tmp_path).picture(page)


@pytest.mark.parametrize("address", ["http://", "http://127.0.0.1:x/a.jpg", "https://[::1/a.jpg"])
def test_a_broken_address_is_a_picture_refused(loopback, tmp_path, address):
    page = _page(loopback, "A.jpg", 1)
    page["imageinfo"][0]["thumburl"] = address
    with pytest.raises(ValueError):
        _api(loopback, tmp_path).picture(page)


def test_a_lasting_error_of_the_api_is_a_fault(loopback, tmp_path):
    commons = _Commons(loopback, [])
    commons.before = [(200, {}, b'{"error": {"code": "badtoken", "info": "no"}}')]
    with pytest.raises(ProviderFault, match="badtoken"):
        _api(loopback, tmp_path).pages(["A.jpg"], width=120)


def test_html_of_authors_becomes_text_and_names_take_one_form():
    assert plain_text('<a href="//x">Ann &amp; Bo</a> <b>of</b>\n Rome') == "Ann & Bo of Rome"
    assert plain_text("<<<>>&bad;<script>") is not None
    assert file_name("File:eiffel_tower.jpg") == file_name("Eiffel tower.jpg") == "Eiffel tower.jpg"


def test_the_reported_page_is_read_without_style_script_and_hidden_text(shared):
    ((asset, _),) = map(read_picture, list_pictures(str(shared("reports/extmetadata"))))
    assert (asset.author, asset.description, asset.credit) == ("Ann Example", "A house", "Own work")


@pytest.mark.parametrize(
    ("meta", "author"),
    [
        (
            {
                "Artist": "Ann",
                "Attribution": '<style>a{}</style>Ann / <a href="//x">Museum</a>',
                "AttributionRequired": "true",
            },
            "Ann / Museum",
        ),
        (
            {"Artist": "Ann", "Attribution": "Photo: Ann", "AttributionRequired": "false"},
            "Photo: Ann",
        ),
        ({"Artist": "Ann", "Attribution": '<span style="display:none">x</span>'}, "Ann"),
        ({"Artist": "Ann"}, "Ann"),
        ({"Attribution": "Bo"}, "Bo"),
        ({}, ""),
    ],
)
def test_a_wished_attribution_is_whom_to_credit(meta, author):
    said = {key: {"value": value} for key, value in meta.items()}
    page = {"title": "File:A.jpg", "imageinfo": [{"extmetadata": said}]}
    assert image_asset(page, b"", PictureFacts("image/jpeg", 1, 1, "")).author == author


def test_of_what_is_said_in_several_languages_english_is_taken_or_the_first():
    assert plain_text({"_type": "lang", "de": "Ein Haus", "en": "<b>A</b> house"}) == "A house"
    assert plain_text({"de": "Ein Haus", "fr": "Une maison"}) == "Ein Haus"
    assert plain_text({"_type": "lang"}) == ""


@pytest.mark.parametrize("name", ["hurricanes", "papier", "set", "tao"])
def test_the_real_metadata_of_offline_collections_are_read(shared, loopback, tmp_path, name):
    """imageinfo.db holds what the API said in 2014; the server says it again in today's layout."""
    with (
        zipfile.ZipFile(shared(f"collections/{name}.zip")) as archive,
        tempfile.NamedTemporaryFile(suffix=".db") as file,
    ):
        file.write(archive.read("imageinfo.db"))
        file.flush()
        rows = [
            json.loads(value)
            for (value,) in sqlite3.connect(file.name).execute("SELECT val FROM kv_table")
        ]
    rows = [row for row in rows if row.get("filename")]
    pages = []
    for number, row in enumerate(rows, 1):
        names = {"licenseshortname": "LicenseShortName", "artist": "Artist", "credit": "Credit"}
        meta = {key: {"value": row[old]} for old, key in names.items() if row.get(old)}
        title = row["filename"].partition(":")[2].replace("_", " ")
        pages.append(
            {
                "pageid": number,
                "ns": 6,
                "title": f"File:{file_name(title)}",
                "imagerepository": "shared",
                "imageinfo": [
                    {
                        "url": f"{loopback.address}/files/{number}",
                        "mime": row["mime"],
                        "width": row["width"],
                        "height": row["height"],
                        "descriptionurl": row["descriptionurl"],
                        "extmetadata": meta,
                    }
                ],
            }
        )
    _Commons(loopback, pages)
    assets = _pictures(_api(loopback, tmp_path), [p["title"] for p in pages], width=250)
    assert len(assets) == len({p["title"] for p in pages})
    for page in pages:
        if asset := assets.get(page["title"].removeprefix("File:")):
            meta = page["imageinfo"][0]["extmetadata"]
            assert asset.licence == meta.get("LicenseShortName", {}).get("value", "")
            assert "<" not in asset.author
            assert "<a " not in asset.credit
            assert asset.repository == "shared"
    assert assets
