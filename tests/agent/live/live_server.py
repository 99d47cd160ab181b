"""The live services on loopback: each answers well in its own protocol, or badly in every way that services do.

What the next requests to a path get is scripted, used up in order; afterwards every request gets a good reply.
"""

import base64
import gzip
import json
import threading
import time
from collections import defaultdict, deque
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from tests.models.pictures import file_of, scene

TEXT_PATHS = {"/search", "/scholar", "/customsearch/v1"}
MARKDOWN = """# Ardwen Light

Ardwen Light was built in 1871 by [Ilse Varga](https://example.org/varga). Herring was sold there.

![The tower]({base}/pictures/7.jpg) ![Logo]({base}/pictures/logo.svg)

## Keepers

The last keeper left in 1990. See [answers](https://huggingface.co/datasets/x).
"""


class Services:
    """What the server was asked, and what it shall answer next."""

    def __init__(self) -> None:
        self.script: dict[str, deque] = defaultdict(deque)
        self.asked: list[tuple[str, str, dict, dict]] = []
        self.base = ""

    def next(self, path: str, *kinds: str | tuple) -> None:
        """Scripts replies: "429", "500", "hang", "cut", "cut_body", "empty_body", "not_json", "json:…", or ("429", {header: value})."""
        self.script[path].extend(kinds)

    def num(self, path: str) -> int:
        """Requests to a path so far."""
        return sum(1 for one, *_ in self.asked if one == path)

    def good(self, path: str, told: dict) -> object:
        """A reply in the service's own shape."""
        pages = [
            {
                "title": f"Page <b>{i}</b> &amp; more",
                "link": f"https://example.org/{i}",
                "snippet": f"Snippet {i}.",
            }
            for i in range(6)
        ]
        match path:
            case "/search" | "/scholar":
                return {"searchParameters": {"q": told["q"]}, "organic": pages[: told["num"]]}
            case "/customsearch/v1" if told.get("searchType") == "image":
                return {
                    "queries": {},
                    "items": [
                        {
                            "title": f"Page {i}",
                            "link": f"{self.base}/pictures/{i}.jpg",
                            "image": {"contextLink": f"https://example.org/{i}"},
                        }
                        for i in range(1, 4)
                    ],
                }
            case "/customsearch/v1":
                return {"queries": {}, "items": pages[: int(told["num"])]}
            case "/images":
                return {
                    "searchParameters": {},
                    "images": [
                        {
                            "title": f"Page {i}",
                            "link": f"https://example.org/{i}",
                            "imageUrl": f"{self.base}/pictures/{i}.jpg",
                        }
                        for i in range(1, 4)
                    ],
                }
            case "/lens":
                return {
                    "searchParameters": {},
                    "organic": [
                        {
                            "title": f"Page {i}",
                            "link": f"https://example.org/{i}",
                            "imageUrl": f"{self.base}/pictures/{i}.jpg",
                        }
                        for i in range(1, 4)
                    ],
                }
            case "/v1/images:annotate":
                assert base64.b64decode(told["requests"][0]["image"]["content"])
                names = (
                    ["missing.jpg"],
                    ["pixel.gif", "page.html", "2.jpg"],
                    ["loop.jpg"],
                    ["3.jpg"],
                )
                return {
                    "responses": [
                        {
                            "webDetection": {
                                "pagesWithMatchingImages": [
                                    {
                                        "url": f"https://example.org/{i}",
                                        "pageTitle": f"Page <b>{i}</b>",
                                        "fullMatchingImages": [
                                            {"url": f"{self.base}/pictures/{n}"} for n in ns
                                        ],
                                    }
                                    for i, ns in enumerate(names)
                                ]
                            }
                        }
                    ]
                }
            case "/layout-parsing":
                return {
                    "errorCode": 0,
                    "result": {
                        "layoutParsingResults": [
                            {
                                "prunedResult": {
                                    "parsing_res_list": [
                                        {
                                            "block_label": "text",
                                            "block_content": "MERREN 1871",
                                            "block_bbox": [32, 24, 160, 120],
                                        },
                                        {
                                            "block_label": "image",
                                            "block_content": "",
                                            "block_bbox": [0, 0, 9, 9],
                                        },
                                    ]
                                }
                            }
                        ]
                    },
                }
        return {
            "code": 200,
            "data": {
                "title": "Ardwen Light",
                "url": "https://example.org/ardwen",
                "content": MARKDOWN.format(base=self.base),
            },
        }


class _Handler(BaseHTTPRequestHandler):
    services: Services
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path.startswith("/pictures/"):
            self._picture(parts.path.removeprefix("/pictures/"))
            return
        known = parts.path in TEXT_PATHS
        self._answer(
            parts.path if known else "/reader",
            {k: v[0] for k, v in parse_qs(parts.query).items()}
            if known
            else {"url": unquote(self.path[1:])},
        )

    def do_POST(self) -> None:
        self._answer(self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, path: str, told: dict) -> None:
        services = self.services
        services.asked.append((path, self.command, dict(self.headers), told))
        kind = services.script[path].popleft() if services.script[path] else "ok"
        kind, headers = kind if isinstance(kind, tuple) else (kind, {})
        if kind == "hang":
            time.sleep(3)
        elif kind == "cut":
            self.close_connection = True
            self.connection.close()
        elif kind == "cut_body":
            self._send(200, b'{"organic": [', "application/json", length=5000)
            self.close_connection = True
        elif kind == "empty_body":
            self._send(200, b"", "application/json")
        elif kind == "not_json":
            self._send(200, b"<html>gateway</html>", "text/html")
        elif kind == "echo_key":
            self._send(401, f"bad key {dict(self.headers)}".encode(), "text/plain")
        elif kind == "endless":
            self._send(200, b'{"organic": "' + b"a" * (17 << 20), "application/json")
        elif kind.startswith("json:"):
            self._send(200, kind[5:].encode(), "application/json")
        elif kind.isdigit():
            self._send(int(kind), b'{"message": "status"}', "application/json", headers)
        else:
            self._send(200, json.dumps(services.good(path, told)).encode(), "application/json")

    def _picture(self, name: str) -> None:
        self.services.asked.append((f"/pictures/{name}", "GET", dict(self.headers), {}))
        stem, _, kind = name.partition(".")
        if name == "loop.jpg":
            self._send(302, b"", "text/plain", {"Location": "/pictures/loop.jpg"})
        elif name == "redirect.jpg":
            self._send(302, b"", "text/plain", {"Location": "/pictures/5.jpg"})
        elif name == "inside.jpg":
            self._send(
                302, b"", "text/plain", {"Location": "http://169.254.169.254/latest/meta-data"}
            )
        elif name == "pixel.gif":
            self._send(200, file_of(scene(1, (640, 480)).resize((1, 1)), "GIF"), "image/gif")
        elif name == "broken.jpg":
            self._send(200, b"\xff\xd8\xff no picture", "image/jpeg")
        elif name == "huge.jpg":
            self._send(200, b"\xff\xd8\xff" + b"a" * (2 << 20), "image/jpeg")
        elif name == "bomb.jpg":
            self._send(
                200, gzip.compress(bytes(64 << 20)), "image/jpeg", {"Content-Encoding": "gzip"}
            )
        elif kind == "jpg" and stem.isdigit():
            self._send(200, file_of(scene(int(stem), (320, 240))), "image/jpeg")
        elif kind == "html":
            self._send(200, b"<html></html>", "text/html")
        else:
            self._send(404, b"", "text/plain")

    def _send(
        self,
        status: int,
        body: bytes,
        kind: str,
        headers: dict | None = None,
        length: int | None = None,
    ) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body) if length is None else length),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
            self.wfile.flush()
        except OSError:
            pass  # the client has seen enough

    def log_message(self, *_: object) -> None:
        """Quiet."""


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Connections that clients broke off are what some tests are about."""


@contextmanager
def live_services():
    """The server; yields its `Services`."""
    services = Services()
    server = _QuietServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"services": services}))
    services.base = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield services
    finally:
        server.shutdown()
        server.server_close()
