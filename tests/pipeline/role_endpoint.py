"""A chat endpoint on loopback at which every model is named after its role, and each role's replies come from a function of the test."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class RoleEndpoint:
    """What was asked, and where.

    Attributes:
        url: the base URL (…/v1).
        asked: (role, all text of the request, number of pictures in it), in the order of arrival.
    """

    url: str
    asked: list[tuple[str, str, int]] = field(default_factory=list)

    @property
    def roles(self) -> set[str]:
        """The roles that were asked so far."""
        return {role for role, _, _ in self.asked}

    def models(self, *roles: str, **more: Any) -> dict[str, Any]:
        """A recipe's section `models` in which these roles, and no others, are played here."""
        return {
            "endpoints": [{"name": "here", "base_url": self.url}],
            "roles": {role: {"endpoint": "here", "model": f"model-of-{role}"} for role in roles},
        } | more


@contextmanager
def answering(replies: Mapping[str, Callable[[str], Any]]) -> Iterator[RoleEndpoint]:
    """The endpoint.

    Args:
        replies: by role, what is replied to the text of a request, as JSON. A role that is not among them gets an error that is not tried again.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            parts = [
                part
                for m in body["messages"]
                for part in (
                    [{"text": m["content"]}] if isinstance(m["content"], str) else m["content"]
                )
            ]
            role, text = (
                body["model"].removeprefix("model-of-"),
                "\n".join(part.get("text", "") for part in parts),
            )
            endpoint.asked.append((role, text, sum("image_url" in part for part in parts)))
            if role not in replies:
                return self._send(400, {"error": {"message": f"nothing is scripted for {role}"}})
            message = {
                "role": "assistant",
                "content": json.dumps(replies[role](text), ensure_ascii=False),
            }
            return self._send(
                200,
                {
                    "id": "r",
                    "object": "chat.completion",
                    "created": 0,
                    "model": body["model"],
                    "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                },
            )

        def _send(self, status: int, payload: dict) -> None:
            raw = json.dumps(payload).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint = RoleEndpoint(f"http://127.0.0.1:{server.server_port}/v1")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
