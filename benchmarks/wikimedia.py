"""A test server for `questloom gather`. The server runs on this machine, and serves the contents of
dumps as Wikimedia's services would do.

All services have one address: BASE/sparql, BASE/wikidata/w/api.php, BASE/en.wikipedia/w/api.php,
BASE/commons/w/api.php and BASE/thumbs/WIDTHpx-NAME. The services refuse the same requests that the
real services would refuse. Examples of refused requests: no contact in the User-Agent, more than
fifty titles, a non-standard picture width, or a second request at the same time. The server bans a
client for good if the client does not wait for the time that Retry-After states.

Sources: https://www.mediawiki.org/wiki/API:Etiquette,
https://www.mediawiki.org/wiki/Common_thumbnail_sizes,
https://www.mediawiki.org/wiki/Wikidata_Query_Service/User_Manual#Query_limits,
https://www.mediawiki.org/wiki/Manual:Maxlag_parameter
"""

import argparse
import gzip
import io
import json
import re
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from PIL import Image
from pyparsing import ParseException

from benchmarks.wikimedia_world import Json, World, namespace_of

WIDTHS = (20, 40, 60, 120, 250, 330, 500, 960, 1280, 1920, 3840)
MOST_TITLES, FILES_A_REPLY, MOST_DAYS = 50, 20, 60
CONTACT = re.compile(r"\(.*(@|https?://).*\)")
Fault = Callable[[int], str]
"""A function that takes the number of a request (from 1) and returns the fault of this request: "",
maxlag, 429, 503, html, cut, half or kill.
"""


class Manners:
    """The server's record of what its client did.

    Args:
        fault: function that returns the fault for the number of a request.
        pause: number of seconds that the header Retry-After states.
        kill: function that is called for the fault "kill" instead of sending a reply.
    """

    def __init__(
        self,
        fault: Fault = lambda number: "",
        *,
        pause: float = 1.0,
        kill: Callable[[], None] = lambda: None,
    ) -> None:
        self.fault, self.pause, self.kill = fault, pause, kill
        self.served: Counter[str] = Counter()
        """The number of times that each entity, page, file and picture was served."""
        self.violations: list[str] = []
        """The requests of the client that the real services would have refused."""
        self.requests: Counter[str] = Counter()
        """The number of requests for each service."""
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()
        self._closed_until: dict[str, float] = {}
        self._banned = False

    def enter(self, service: str, agent: str) -> tuple[int, str]:
        """Decides whether a service accepts a new request. Returns (status, fault); the status is
        200 if the request is accepted.
        """
        with self._lock:
            self.requests[service] += 1
            self._open[service] += 1
            number = self.requests.total()
            if not CONTACT.search(agent):
                return self._refuse(403, f"no contact in the User-Agent {agent!r}")
            if time.monotonic() < self._closed_until.get(service, 0.0):
                self._banned = True
                return self._refuse(403, f"{service} asked before Retry-After was over")
            if self._banned:
                return self._refuse(403, "banned")
            if self._open[service] > 1:
                return self._refuse(429, f"parallel requests to {service}")
        return 200, self.fault(number)

    def leave(self, service: str) -> None:
        """Records that a request has ended."""
        with self._lock:
            self._open[service] -= 1

    def close(self, service: str) -> None:
        """Makes a service refuse all requests for the length of its pause."""
        with (
            self._lock
        ):  # a little less than announced: clocks and sockets are no fault of the client
            self._closed_until[service] = time.monotonic() + 0.9 * self.pause

    def count(self, kind: str, names: list[str]) -> None:
        """Counts the things that are served."""
        with self._lock:
            self.served.update(f"{kind} {name}" for name in names)

    def _refuse(self, status: int, what: str) -> tuple[int, str]:
        self.violations.append(what)
        return status, what


class _Handler(BaseHTTPRequestHandler):
    world: World
    manners: Manners
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer({key: values[0] for key, values in urllib.parse.parse_qs(body).items()})

    def _answer(self, form: dict[str, str]) -> None:
        path = urllib.parse.unquote(self.path)
        service = path.split("/")[1]
        self._service = service
        status, fault = self.manners.enter(service, self.headers.get("User-Agent", ""))
        try:
            if status != 200:
                self._send(status, fault.encode())
            elif fault:
                self._fail(service, fault)
            elif service == "sparql":
                self._select(form["query"])
            elif service == "thumbs":
                self._picture(path.removeprefix("/thumbs/"))
            else:
                self._api(service, form)
        finally:
            self._leave()

    def _leave(self) -> None:
        """Records the end of the request before the reply is sent. If the end were recorded after
        the reply, the client's next request could arrive before the record.
        """
        service, self._service = self._service, ""
        if service:
            self.manners.leave(service)

    def _fail(self, service: str, fault: str) -> None:
        after = {"Retry-After": f"{self.manners.pause:g}"}
        if fault == "kill":
            self.manners.kill()
        if fault in ("kill", "cut"):
            self._leave()
            self.close_connection = True
        elif fault == "half":
            self.send_response(200)
            self.send_header("Content-Length", "2000")
            self.end_headers()
            self._leave()
            self.wfile.write(b"{" * 1000)
            self.close_connection = True
        elif fault == "html":
            self._send(200, b"<!DOCTYPE html><html><title>Log in to the network</title></html>")
        elif fault == "maxlag":
            self.manners.close(service)
            said = {"error": {"code": "maxlag", "info": "Waiting for a server: 7 seconds lagged."}}
            self._send(200, json.dumps(said).encode(), "application/json", after)
        else:
            self.manners.close(service)
            self._send(int(fault), b"Too many requests", "text/plain", after)

    def _api(self, service: str, form: dict[str, str]) -> None:
        values = (form.get("ids") or form.get("titles") or "").split("|")
        if "maxlag" not in form:
            self.manners.violations.append(f"no maxlag for {service}")
        if len(values) > MOST_TITLES:
            self.manners.violations.append(f"{len(values)} values for {service}")
            reply: Json = {"error": {"code": "toomanyvalues", "info": "The limit is 50."}}
        elif form["action"] == "wbgetentities":
            reply = {"entities": self._entities(values), "success": 1}
        elif form.get("list") == "search":
            found = self.world.depicting(form["srsearch"].partition("haswbstatement:P180=")[2])
            hits = [{"ns": 6, "title": f"File:{name}"} for name in found[: int(form["srlimit"])]]
            reply = {"query": {"searchinfo": {"totalhits": len(found)}, "search": hits}}
        elif form.get("list") == "categorymembers":
            reply = self._members(form)
        elif form.get("prop") == "imageinfo":
            reply = self._files(values, form)
        elif form.get("prop") == "pageviews":
            reply = self._views(values, form)
        elif form.get("prop") == "pageprops":
            reply = {"query": self.world.items_of(values)}
        else:
            query, export, exported = self.world.export(values)
            self.manners.count("page", exported)
            reply = {"query": query | {"export": export}}
        self._send(200, json.dumps(reply).encode(), "application/json; charset=utf-8")

    def _select(self, query: str) -> None:
        try:
            found = self.world.select(query)
        except ParseException as error:
            self._send(400, f"MalformedQueryException: {error}".encode(), "text/plain")
        else:
            self._send(200, found, "application/sparql-results+json")

    def _members(self, form: dict[str, str]) -> Json:
        """The articles and subcategories of a category. Each reply lists at most as many as the client
        asks for. As in MediaWiki, `cmtype` and `cmnamespace` choose the members, and an unknown category has none.
        """
        kinds = form.get("cmtype", "page|subcat|file").split("|")
        spaces = form.get("cmnamespace", "0|14").split("|")
        found = [
            {"ns": space, "title": title}
            for title in self.world.in_category(form["cmtitle"].partition(":")[2])
            if str(space := namespace_of(title)) in spaces
            and ("subcat" if space else "page") in kinds
        ]
        start, size = int(form.get("cmcontinue", "0")), int(form["cmlimit"])
        shown = found[start : start + size]
        self.manners.count("category", [f"{form['cmtitle']} {start}"])
        more = {"continue": {"cmcontinue": str(start + size), "continue": "-||"}}
        return {
            "query": {"categorymembers": shown},
            **(more if start + size < len(found) else {}),
        }

    def _entities(self, ids: list[str]) -> Json:
        found = {name: self.world.entity(name) for name in ids}
        self.manners.count("entity", [name for name in ids if "missing" not in found[name]])
        return found

    def _views(self, titles: list[str], form: dict[str, str]) -> Json:
        """Page views by day. Each reply has those of the first titles in alphabetical order; the other
        pages come without. A wiki without page views answers with a warning.
        """
        if not self.world.counts_views:
            said = {"query": {"warnings": 'Unrecognized value for parameter "prop": pageviews'}}
            return {"warnings": said, "query": {"pages": [{"ns": 0, "title": t} for t in titles]}}
        days, first = int(form["pvipdays"]), form.get("pvipcontinue", "")
        if days > MOST_DAYS:
            self.manners.violations.append(f"{days} days of page views")
        waiting = [title for title in sorted(titles) if title >= first]
        size = self.world.views_a_reply
        shown, rest = waiting[:size], waiting[size:]
        self.manners.count("views", shown)
        pages = [
            {"ns": 0, "title": title}
            | ({"pageviews": self.world.page_views(title, days)} if title in shown else {})
            for title in titles
        ]
        more = {"continue": {"pvipcontinue": rest[0], "continue": "||"}} if rest else {}
        return {"query": {"pages": pages}} | more

    def _files(self, titles: list[str], form: dict[str, str]) -> Json:
        """The pages of Commons files. Each reply describes only twenty files, because the real API
        splits long replies.
        """
        width, start = int(form["iiurlwidth"]), int(form.get("iistart", "0"))
        base = f"http://127.0.0.1:{self.server.server_port}/thumbs/{width}px-"  # type: ignore[attr-defined]
        pages: list[Json] = []
        for number, title in enumerate(titles):
            page = self.world.file(title.removeprefix("File:"))
            if page is None:
                pages.append({"ns": 6, "title": title, "missing": True})
                continue
            info, shown = page.pop("imageinfo")[0], start <= number < start + FILES_A_REPLY
            if shown:
                info = {**info, "thumburl": base + urllib.parse.quote(page["title"][5:])}
                page["imageinfo"] = [info]
                self.manners.count("file", [page["title"][5:]])
            page.pop("mediainfo", None)
            pages.append(page)
        rest = start + FILES_A_REPLY
        return {
            "query": {"pages": pages},
            **(
                {"continue": {"iistart": str(rest), "continue": "||"}} if rest < len(titles) else {}
            ),
        }

    def _picture(self, name: str) -> None:
        width, _, file = name.partition("px-")
        data = self.world.picture(file)
        if not width.isdigit() or int(width) not in WIDTHS:
            self.manners.violations.append(f"a width that nobody gives: {width}")
            self._send(429, b"Use one of the standard thumbnail sizes")
        elif data is None:
            self._send(404, b"File not found")
        else:
            self.manners.count("picture", [file])
            self._send(200, thumbnail(data, int(width)), "image/*")

    def _send(
        self,
        status: int,
        body: bytes,
        kind: str = "text/html",
        headers: dict[str, str] | None = None,
    ) -> None:
        packed = "gzip" in self.headers.get("Accept-Encoding", "") and not kind.startswith("image")
        body = gzip.compress(body) if packed else body
        self.send_response(status)
        for key, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **({"Content-Encoding": "gzip"} if packed else {}),
            **(headers or {}),
        }.items():
            self.send_header(key, value)
        self._leave()
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


def thumbnail(data: bytes, width: int) -> bytes:
    """Scales a picture down to a width. A picture that is already narrower stays unchanged."""
    with Image.open(io.BytesIO(data)) as picture:
        if picture.width <= width:
            return data
        size = width, max(1, round(picture.height * width / picture.width))
        out = io.BytesIO()
        picture.resize(size).save(out, picture.format)
    return out.getvalue()


@contextmanager
def serving(world: World, manners: Manners | None = None, *, port: int = 0) -> Iterator[str]:
    """Serves the data of a world. Yields the address of the services."""
    handler = type("Handler", (_Handler,), {"world": world, "manners": manners or Manners()})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def main() -> None:
    """Serves the dumps until the script is stopped."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entities", nargs="*", default=[], type=Path)
    parser.add_argument("--articles", nargs="*", default=[], type=Path)
    parser.add_argument("--images", nargs="*", default=[], type=Path)
    parser.add_argument("--port", type=int, default=8765)
    args = parser.parse_args()
    world = World.read(args.entities, args.articles, args.images)
    with serving(world, port=args.port) as address:
        print(f"{address} serves {world}: questloom gather --services {address} …", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
