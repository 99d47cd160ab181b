"""As much of the Hub as uploads and downloads need, on loopback: create, preupload, large files (Git LFS's batch), commit, list, squash, files."""

import base64
import hashlib
import io
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import huggingface_hub.constants
import pytest

from questloom.pipeline.cli import main
from questloom.pipeline.runners.run_log import VARIABLE

TOKEN = "token-of-the-test"


class Hub(BaseHTTPRequestHandler):
    """One repository. A handler class a server: its class attributes are the repository."""

    protocol_version = "HTTP/1.1"
    files: dict[str, bytes]
    objects: dict[str, bytes]
    """Large files by sha256."""
    calls: list[str]
    created: list[dict]
    url: str
    large: tuple[str, ...]
    """Endings of files that are large."""
    fail_puts_after: int
    """So many large files are taken, then the server fails."""

    def _reply(self, body: object, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_HEAD(self) -> None:
        self._file()

    def _file(self) -> None:
        """A file of the newest commit; of a HEAD only what is said of it."""
        data = self.files.get(self.path.split("?")[0].partition("/resolve/")[2].partition("/")[2])
        self.send_response(404 if data is None else 200)
        self.send_header("Content-Length", str(len(data or b"")))
        self.send_header("ETag", f'"{hashlib.sha256(data or b"").hexdigest()}"')
        self.send_header("X-Repo-Commit", "1" * 40)
        self.end_headers()
        if self.command == "GET" and data:
            self.wfile.write(data)

    def do_GET(self) -> None:
        if "/resolve/" in self.path:
            self._file()
        elif "/tree/" in self.path:
            self._reply(
                [
                    {"type": "file", "path": p, "size": len(d), "oid": "0" * 40}
                    for p, d in sorted(self.files.items())
                ]
            )
        else:
            self._reply(
                {
                    "id": "lab/small",
                    "sha": "1" * 40,
                    "siblings": [{"rfilename": p} for p in self.files],
                    "private": False,
                    "tags": [],
                }
            )

    def do_PUT(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        self.calls.append("PUT")
        if self.calls.count("PUT") > self.fail_puts_after:
            self._reply({"error": "no room"}, 400)
            return
        self.objects[hashlib.sha256(data).hexdigest()] = data
        self._reply({})

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length")
        body = self.rfile.read(int(length)) if length else self._chunks()
        kind = self.path.split("?")[0].rstrip("/")
        self.calls.append(kind)
        if self.headers.get("Authorization") != f"Bearer {TOKEN}" and "/verify" not in kind:
            self._reply({"error": "no such token"}, 401)
        elif kind.endswith("/repos/create"):
            self.created.append(json.loads(body))
            self._reply({"url": f"{self.url}/datasets/lab/small", "name": "lab/small"})
        elif "/validate-yaml" in kind:
            self._reply({"errors": [], "warnings": []})
        elif "/preupload/" in kind:
            self._reply(
                {
                    "files": [
                        {
                            "path": f["path"],
                            "uploadMode": "lfs" if f["path"].endswith(self.large) else "regular",
                            "shouldIgnore": False,
                        }
                        for f in json.loads(body)["files"]
                    ]
                }
            )
        elif kind.endswith("/info/lfs/objects/batch"):
            self._reply(
                {
                    "transfer": "basic",
                    "objects": [self._object(o) for o in json.loads(body)["objects"]],
                }
            )
        elif "/commit/" in kind:
            self._commit([json.loads(line) for line in body.splitlines()])
        else:
            self._reply({})

    def _object(self, asked: dict) -> dict:
        """What is there already gets no action, and so is not sent."""
        there = (
            {"upload": {"href": f"{self.url}/put/{asked['oid']}"}}
            if asked["oid"] not in self.objects
            else None
        )
        return {**asked, **({"actions": there} if there else {})}

    def _commit(self, lines: list[dict]) -> None:
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                self.files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                self.files[value["path"]] = self.objects[value["oid"]]
            elif line["key"] == "deletedFile":
                self.files.pop(value["path"], None)
        self._reply(
            {
                "commitUrl": f"{self.url}/datasets/lab/small/commit/" + "2" * 40,
                "commitOid": "2" * 40,
                "success": True,
            }
        )

    def _chunks(self) -> bytes:
        data = b""
        while size := int(self.rfile.readline(), 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def log_message(self, *args) -> None:
        pass


@contextmanager
def served(large: tuple[str, ...] = (".none",)) -> Iterator[type[Hub]]:
    """A server with a repository that holds one old file."""
    handler = type(
        "OneHub",
        (Hub,),
        {
            "files": {"data/old.parquet": b"old"},
            "objects": {},
            "calls": [],
            "created": [],
            "large": large,
            "fail_puts_after": 1_000,
        },
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    handler.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield handler
    finally:
        server.shutdown()


def hub_environment(hub: type[Hub], home: Path, token: str) -> dict[str, str]:
    """Of a process that takes the server for the Hub: its address is read when its library is imported."""
    return {
        **os.environ,
        "HF_ENDPOINT": hub.url,
        "HF_TOKEN": token,
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HOME": str(home / "hf"),
    }


def publish_to(
    hub: type[Hub], home: Path, token: str, *options: str
) -> subprocess.CompletedProcess[str]:
    """`questloom publish --to hf://lab/small OPTIONS` as the command line runs it, in this process."""
    command = ["questloom", "publish", "--to", "hf://lab/small", *options]
    said, told, code = io.StringIO(), io.StringIO(), 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(told):
        patch.setattr(sys, "argv", command)
        patch.setattr(logging.getLogger(), "handlers", [])
        patch.setenv(VARIABLE, str(home / "command.log"))
        patch.setenv("HF_TOKEN", token)
        for name, value in {
            "ENDPOINT": hub.url,
            "HF_HUB_OFFLINE": False,
            "HF_HUB_DISABLE_XET": True,
        }.items():
            patch.setattr(huggingface_hub.constants, name, value)
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
    return subprocess.CompletedProcess(command, code, said.getvalue(), told.getvalue())
