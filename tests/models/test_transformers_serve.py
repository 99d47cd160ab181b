"""The wire against a server that is not ours: `transformers serve` with tiny random models."""

import asyncio
import io
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from PIL import Image

from questloom.calls.caller import Caller
from questloom.calls.ledger import cost_lines
from questloom.calls.sqlite import SqliteCache
from questloom.models.chat_client import ChatClient
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.messages import Picture, system, user
from questloom.models.structured import BadReply
from tests.models.tiny_models import save_tiny_text_model, save_tiny_vision_model

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("tiny")
    save_tiny_text_model(made / "text")
    save_tiny_vision_model(made / "vision")
    return made


@pytest.fixture(scope="module")
def url(folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with open(folder / "serve.log", "wb") as log:
        server = subprocess.Popen(
            [
                str(Path(sys.executable).parent / "transformers"),
                "serve",
                "--port",
                str(port),
                "--host",
                "127.0.0.1",
                "--device",
                "cpu",
            ],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
        )
        try:
            for _ in range(600):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/health").close()
                    break
                except urllib.error.URLError:
                    assert server.poll() is None, (folder / "serve.log").read_text()
                    time.sleep(0.2)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()
            server.wait()


@pytest.fixture
def client(url, folder, tmp_path):
    cache = SqliteCache(tmp_path / "calls.sqlite")
    endpoint = EndpointConfig(name="local", base_url=url, structured="none", timeout=120)
    roles = {
        kind: RoleConfig(endpoint="local", model=str(folder / kind), temperature=1.0, max_tokens=12)
        for kind in ("text", "vision")
    }
    yield ChatClient([endpoint], roles, Caller(cache))
    cache.close()


def ask(client: ChatClient, method: str, *args):
    async def once():
        try:
            return await getattr(client, method)(*args)
        finally:
            await client.aclose()

    return asyncio.run(once())


def picture(colour: str) -> Picture:
    out = io.BytesIO()
    Image.new("RGB", (96, 64), colour).save(out, "PNG")
    return Picture(out.getvalue())


def test_a_text_is_answered_counted_and_cached(client, tmp_path):
    messages = [system("Be brief."), user("Which bridge was built in 1871?")]
    first, second = ask(client, "chat", "text", messages), ask(client, "chat", "text", messages)
    assert first.text
    assert 0 < first.tokens_out <= 12
    assert (second.text, second.cached) == (first.text, True)
    assert cost_lines(tmp_path / "calls.sqlite", by=())[0].num_estimated == 0


def test_a_picture_reaches_the_model(client):
    with_text = ask(client, "chat", "vision", [user("Which colour?")])
    with_picture = ask(client, "chat", "vision", [user("Which colour?", picture("red"))])
    # 96 by 64 pixels are 3 by 2 merged patches of 32 pixels, with one token before and one after.
    assert with_picture.tokens_in == with_text.tokens_in + 8
    assert with_picture.text


def test_a_model_that_cannot_write_json_ends_as_a_bad_reply(client):
    with pytest.raises(BadReply):
        ask(
            client,
            "structured",
            "text",
            [user("Which bridge?")],
            {"type": "object", "required": ["answer"]},
        )
