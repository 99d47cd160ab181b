"""A run of the llm writer on real articles whose every reply a person wrote: replayed, it gives the same questions.

`recordings/core_pages.json` holds the replies and what became of every seed. A reply is found by what it answers: the role and the quoted material
(claims, sentences, questions, evidence), not the words around them. So a prompt may be put better without a new recording; a request whose
material is new, since the program chose or asked otherwise, is not recorded and fails here.

To record: serve by hand (`hand_endpoint.py` of the shared tools), and run this test with QUESTLOOM_RECORD=http://127.0.0.1:8199/v1. What is
not recorded is then asked there and added, with the outcomes.
"""

import hashlib
import json
import os
import re
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from questloom.files.opened import Opened
from questloom.files.parquet import read_records
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.pipeline.recipe import load_recipe
from questloom.pipeline.synth.synth_job import run_synth
from questloom.prompts.roles import ROLES
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question
from questloom.transforms.writing.llm import material
from tests.pipeline.core_pages import write_dumps
from tests.shared_data import SHARED, needs

FOLDER = Path(__file__).parent / "recordings"
RECORDING = FOLDER / "core_pages.json"
RECORD_AT = os.environ.get("QUESTLOOM_RECORD", "")
QUOTED = re.compile(r"<(\w+) ([0-9a-f]{8})>\n(.*?)\n</\1 \2>", re.S)

pytestmark = [pytest.mark.slow, needs("eswiki")]


def key_of(body: dict) -> str:
    """What a request asks: its role (the model's name), the blocks that it quotes, its pictures, and what was replied before in the conversation."""
    parts = [
        [p]
        if isinstance(p := m["content"], str)
        else [q.get("text") or q["image_url"]["url"] for q in p]
        for m in body["messages"]
    ]
    quoted = [block[2] for part in parts for text in part for block in QUOTED.findall(text)]
    pictures = [text for part in parts for text in part if text.startswith("data:")]
    replied = [
        part
        for message, part in zip(body["messages"], parts, strict=True)
        if message["role"] == "assistant"
    ]
    return f"{body['model']} {hashlib.sha256(json.dumps([quoted, pictures, replied]).encode()).hexdigest()[:16]}"


def asked_by_hand(body: dict) -> str:
    """The reply of whoever answers at QUESTLOOM_RECORD."""
    request = urllib.request.Request(
        f"{RECORD_AT}/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=3600) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]


class Recorded(BaseHTTPRequestHandler):
    """Speaks /v1/chat/completions from recorded replies; a request that is not among them is an error that is not tried again."""

    replies: ClassVar[dict[str, str]] = {}
    used: ClassVar[set[str]] = set()
    unknown: ClassVar[list[str]] = []
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = key_of(body)
        if key not in self.replies and RECORD_AT:
            self.replies[key] = asked_by_hand(body)
        text = self.replies.get(key)
        if text is None:
            self.unknown.append(
                f"{key}: {json.dumps(body['messages'][-1]['content'], ensure_ascii=False)[-600:]}"
            )
            return self._send(400, {"error": {"message": "not recorded", "type": "unknown"}})
        self.used.add(key)
        message = {"role": "assistant", "content": text}
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


def outcomes(run: Path) -> dict[str, dict]:
    """What became of every seed: the question kept, or stage, reason and words of its rejection."""
    found: dict[str, dict] = {}
    for path in sorted(run.glob("stages/*/rejected-*.parquet")):
        for item in read_records(path, Rejection):
            found[item.seed_id] = {"stage": item.stage, "reason": item.reason, "title": item.title}
    for path in sorted(run.glob("stages/16-split/kept-*.parquet")):
        for kept in read_records(path, Question):
            found[kept.seed_id] = {
                "text": kept.text,
                "answer": kept.answer.text,
                "anchor": kept.anchor,
                "votes": kept.certificate.votes,
                "basis": kept.certificate.basis,
                "evidence": [hop.evidence for hop in kept.certificate.evidence],
                "verdicts": [
                    [v.filter, v.solver, v.num_correct, v.num_samples] for v in kept.verdicts
                ],
            }
    return found


def test_the_recorded_replies_give_the_recorded_questions(tmp_path, monkeypatch):
    # What a prompt showed at most when the replies were written.
    shown = material.material.__kwdefaults__
    monkeypatch.setitem(shown, "max_claims", 20)
    monkeypatch.setitem(shown, "max_sentences", 50)
    recording = json.loads(RECORDING.read_text(encoding="utf-8"))
    Recorded.replies, Recorded.unknown, Recorded.used = dict(recording["replies"]), [], set()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Recorded)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    roles = ", ".join(f"{role}: {{endpoint: hand, model: {role}}}" for role in sorted(ROLES))
    try:
        write_dumps(SHARED, tmp_path / "dump")
        run_ingest(
            IngestOptions(
                store=str(tmp_path / "store"),
                articles=(str(tmp_path / "dump/articles.xml"),),
                entities=(str(tmp_path / "dump/entities.json"),),
                images=(str(tmp_path / "dump/images"),),
                snapshot="2023-04-01",
            )
        )
        recipe = load_recipe(
            str(FOLDER / "core_pages.yaml"),
            (
                f"models.endpoints=[{{name: hand, base_url: 'http://127.0.0.1:{server.server_port}/v1', timeout: 3600}}]",
                f"models.roles={{{roles}}}",
            ),
        )
        run_synth(recipe, store=str(tmp_path / "store"), out=str(tmp_path / "run"), opened=Opened())
    finally:
        server.shutdown()
    found = outcomes(tmp_path / "run")
    if RECORD_AT:
        replies = {key: Recorded.replies[key] for key in sorted(Recorded.used)}
        RECORDING.write_text(
            json.dumps(
                {"replies": replies, "outcomes": found},
                ensure_ascii=False,
                indent=1,
                sort_keys=True,
            )
            + "\n",
            encoding="utf-8",
        )
        return
    assert Recorded.unknown == []
    assert found == recording["outcomes"]


def test_a_reply_is_found_whatever_the_words_around_the_quoted_material():
    def asked(model, text):
        return key_of(
            {
                "model": model,
                "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": text}],
            }
        )

    quoted = "<question 0123abcd>\nIn which year?\n</question 0123abcd>"
    assert asked("inject", f"Rewrite this.\n{quoted}") == asked(
        "inject", f"Please rewrite:\n{quoted}\nThank you."
    )
    assert asked("inject", quoted) != asked("describe", quoted)
    assert asked("inject", quoted) != asked("inject", quoted.replace("year", "month"))
