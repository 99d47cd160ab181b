"""`questloom chat --page`: shows an episode on a local page. Either an engine plays the episode, or
a person plays it by hand.

The server listens only on this machine, and its address contains a secret that only the terminal
shows. The secret prevents other pages in the browser from reading the episode or acting for the
user. Text from models and web pages is sent as JSON and inserted as text, not as markup.
"""

import asyncio
import json
import secrets
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from questloom.agent.engines.engine import Sample
from questloom.agent.turns.conversation import Conversation
from questloom.models.messages import Message, Picture
from questloom.records.episodes import Episode

PAGE = Path(__file__).with_name("chat.html")
STYLE = Path(__file__).parents[1] / "report" / "css" / "base.css"
CHARS_PER_TOKEN = 3
TOKENS_PER_PICTURE = 1_000
LAST_LOOK_SECONDS = 3.0
"""At the end of an episode, the server waits at most this number of seconds until an open page has
shown the end. A page asks for news several times a second."""
MAX_BODY = 1 << 20
"""Maximum number of bytes of a turn that the page may send."""

HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-ancestors 'none'",
}


class HandEngine:
    """An engine whose turns a person writes on the page."""

    name, model = "hand", "a person"
    sampling: Mapping[str, Any] = {}

    def __init__(self) -> None:
        self._turn: asyncio.Future[str] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def waiting(self) -> bool:
        """Whether the engine waits for a turn."""
        return self._turn is not None and not self._turn.done()

    def say(self, text: str) -> bool:
        """Passes a turn to the engine; False if the engine does not wait for a turn."""
        loop, turn = self._loop, self._turn
        if loop is None or turn is None or turn.done():
            return False
        loop.call_soon_threadsafe(_set, turn, text)
        return True

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """See `Engine.step`."""
        self._loop = asyncio.get_running_loop()
        self._turn = self._loop.create_future()
        return Sample(text=await self._turn)

    def num_tokens(self, message: Message) -> int:
        """An upper estimate of the number of tokens, because this engine has no tokenizer."""
        return sum(
            TOKENS_PER_PICTURE if isinstance(part, Picture) else len(part) // CHARS_PER_TOKEN + 1
            for part in message.parts
        )

    def forget(self, conversation: Conversation) -> None:
        """Does nothing: the engine keeps no state."""


def _set(turn: asyncio.Future[str], text: str) -> None:
    if not turn.done():  # the button was pressed twice
        turn.set_result(text)


class ChatPage:
    """The page of one episode, and its server.

    Args:
        schemas: the tools' function schemas, for the form.
        hand: the engine that takes its turns from the page; None if another engine plays.
    """

    def __init__(
        self, schemas: Sequence[Mapping[str, Any]], hand: HandEngine | None = None
    ) -> None:
        self._schemas, self._hand = schemas, hand
        self._messages: list[dict[str, Any]] = []
        self._pictures: dict[str, bytes] = {}
        self._end: dict[str, str] | None = None
        self._seen = threading.Event()
        self._secret = secrets.token_urlsafe(16)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self._server.server_port}/{self._secret}/"

    def show(self, messages: Sequence[Message]) -> None:
        """Shows the episode so far."""
        self._pictures |= {
            part.sha256: part.data
            for message in messages
            for part in message.parts
            if isinstance(part, Picture)
        }
        self._messages = [
            {
                "role": m.role,
                "parts": [
                    {"picture": p.sha256} if isinstance(p, Picture) else {"text": p}
                    for p in m.parts
                ],
            }
            for m in messages
        ]

    def end(self, episode: Episode) -> None:
        """Shows that the episode has ended, and waits until an open page has shown it."""
        last = episode.turns[-1].text if episode.turns else ""
        if last and (not self._messages or self._messages[-1]["role"] != "assistant"):
            self._messages = [*self._messages, {"role": "assistant", "parts": [{"text": last}]}]
        self._end = {"end": episode.end, "answer": episode.answer, "evidence": episode.end_evidence}
        self._seen.wait(LAST_LOOK_SECONDS)

    def __enter__(self) -> "ChatPage":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def state(self) -> dict[str, Any]:
        """The state of the episode, which the page polls."""
        return {
            "messages": self._messages,
            "by_hand": self._hand is not None,
            "waiting": self._hand is not None and self._hand.waiting,
            "over": self._end,
            "tools": [schema["function"] for schema in self._schemas],
        }

    def reply(self, method: str, path: str, body: bytes) -> tuple[int, str, bytes]:
        """Answers a browser's request: returns the HTTP status, the content type and the body."""
        match method, path.split("/"):
            case "GET", [""]:
                text = PAGE.read_text(encoding="utf-8").replace(
                    "/* base.css */", STYLE.read_text(encoding="utf-8")
                )
                return 200, "text/html; charset=utf-8", text.encode()
            case "GET", ["state"]:
                if self._end is not None:
                    self._seen.set()
                return 200, "application/json", json.dumps(self.state()).encode()
            case "GET", ["picture", name] if name in self._pictures:
                data = self._pictures[name]
                return 200, "image/png" if data.startswith(b"\x89PNG") else "image/jpeg", data
            case "POST", ["turn"] if self._hand is not None:
                taken = self._hand.say(body.decode("utf-8", "replace"))
                return (
                    (200, "application/json", b"{}")
                    if taken
                    else (409, "text/plain", b"no turn is waited for")
                )
        return 404, "text/plain", b"nothing here"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        page = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self, method: str) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                prefix = f"/{page._secret}/"
                if length > MAX_BODY or not secrets.compare_digest(
                    self.path[: len(prefix)].encode(), prefix.encode()
                ):
                    status, kind, data = 404, "text/plain", b"nothing here"
                else:
                    status, kind, data = page.reply(
                        method, self.path[len(prefix) :], self.rfile.read(length)
                    )
                self.send_response(status)
                for name, value in {
                    "Content-Type": kind,
                    "Content-Length": str(len(data)),
                    **HEADERS,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self) -> None:
                self._answer("GET")

            def do_POST(self) -> None:
                self._answer("POST")

            def log_message(self, *args: Any) -> None:
                """Logs nothing, since the terminal shows the episode."""

        return Handler
