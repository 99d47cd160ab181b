"""What the reader tests share: the real data, a loopback server, small dumps."""

import bz2
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from tests.shared_data import SHARED, lacking

DATA = SHARED / "data"

SITEINFO = """<siteinfo><sitename>Wikipedia</sitename><dbname>enwiki</dbname><base>https://en.wikipedia.org/wiki/Main_Page</base>
<case>first-letter</case><namespaces><namespace key="0" /><namespace key="1">Talk</namespace><namespace key="6">File</namespace>
<namespace key="14">Category</namespace></namespaces></siteinfo>"""


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """The path of a real file; skips where the data are absent."""

    def path(name: str) -> Path:
        if why := lacking(name):
            pytest.skip(why)
        return DATA / name

    return path


def page_xml(
    number: int,
    title: str,
    text: str,
    *,
    namespace: int = 0,
    model: str = "wikitext",
    redirect: str = "",
) -> str:
    """One `<page>` of an export."""
    target = f'<redirect title="{escape(redirect)}" />' if redirect else ""
    return (
        f"<page><title>{escape(title)}</title><ns>{namespace}</ns><id>{number}</id>{target}<revision><id>{1000 + number}</id>"
        f'<timestamp>2026-01-02T03:04:05Z</timestamp><model>{model}</model><text xml:space="preserve">{escape(text)}</text></revision></page>\n'
    )


@pytest.fixture
def make_dump() -> Callable[..., bytes]:
    """Builds an export from pages; `num` numbered articles by default."""

    def build(
        pages: list[str] | None = None,
        *,
        num: int = 30,
        siteinfo: str = SITEINFO,
        version: str = "0.11",
    ) -> bytes:
        if pages is None:
            pages = [
                page_xml(
                    n,
                    f"Page {n}",
                    f"'''Page {n}''' is near [[Page {n + 1}]]. "
                    + "It rains a lot here. " * (n % 7 * 40),
                )
                for n in range(1, num + 1)
            ]
        return (
            f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-{version}/" version="{version}" xml:lang="en">{siteinfo}\n'
            + "".join(pages)
            + "</mediawiki>\n"
        ).encode()

    return build


@pytest.fixture
def page() -> Callable[..., str]:
    return page_xml


@pytest.fixture
def multistream() -> Callable[[bytes, int], bytes]:
    """The data as bz2 in many streams."""

    def compress(data: bytes, step: int) -> bytes:
        return b"".join(bz2.compress(data[at : at + step], 1) for at in range(0, len(data), step))

    return compress


class Loopback:
    """An HTTP server on loopback that answers with what `answer` returns, and remembers what it was asked."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        """(path, body, headers in lower case)."""
        self.answer: Callable[[str, str, int], tuple[int, dict[str, str], bytes]] = (
            lambda path, body, number: (404, {}, b"")
        )
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._reply("")

            def do_POST(self) -> None:
                self._reply(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

            def _reply(self, body: str) -> None:
                outer.requests.append(
                    (self.path, body, {k.lower(): v for k, v in self.headers.items()})
                )
                status, headers, data = outer.answer(self.path, body, len(outer.requests))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    server = Loopback()
    yield server
    server.server.shutdown()
    server.server.server_close()
