"""A run of the llm writer on real articles whose every reply a person wrote: replayed, it gives the same questions.

`recordings/core_pages.json` holds the replies by the hash of their request (as `hand_endpoint.py` of the shared tools
makes it) and what became of every seed. So a prompt that changes is seen here: its request is not recorded. The run
takes minutes to make and is made by hand; `docs/decisions.md` says what was learned from it.
"""
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from files.opened import Opened
from files.parquet import read_records
from pipeline.ingest.store_job import IngestOptions, run_ingest
from pipeline.recipe import load_recipe
from pipeline.synth.synth_job import run_synth
from records.outcomes import Rejection
from records.synthesis import Question
from tests.pipeline.core_pages import write_dumps
from tests.shared_data import SHARED

FOLDER = Path(__file__).parent / "recordings"
NOT_HASHED = ("user", "stream", "timeout", "metadata")

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not (SHARED / "data" / "eswiki").is_dir(), reason="the shared real data are not here")]


def request_id(body: dict) -> str:
    """As the tool that recorded the replies names a request."""
    return hashlib.sha256(json.dumps({k: v for k, v in body.items() if k not in NOT_HASHED}, sort_keys=True).encode()).hexdigest()[:12]


class Recorded(BaseHTTPRequestHandler):
    """Speaks /v1/chat/completions from recorded replies; a request that is not among them is an error that is not tried again."""

    replies: ClassVar[dict[str, str]] = {}
    unknown: ClassVar[list[str]] = []
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = self.replies.get(request_id(body))
        if text is None:
            self.unknown.append(body["messages"][-1]["content"][:300] if isinstance(body["messages"][-1]["content"], str) else "with a picture")
            return self._send(400, {"error": {"message": "not recorded", "type": "unknown"}})
        message = {"role": "assistant", "content": text}
        return self._send(200, {"id": "r", "object": "chat.completion", "created": 0, "model": body["model"],
                                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})

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
    for path in sorted(run.glob("stages/15-split/kept-*.parquet")):
        for kept in read_records(path, Question):
            found[kept.seed_id] = {"text": kept.text, "answer": kept.answer.text, "anchor": kept.anchor, "votes": kept.certificate.votes,
                                   "basis": kept.certificate.basis, "evidence": [hop.evidence for hop in kept.certificate.evidence],
                                   "verdicts": [[v.filter, v.solver, v.num_correct, v.num_samples] for v in kept.verdicts]}
    return found


def test_the_recorded_replies_give_the_recorded_questions(tmp_path):
    recording = json.loads((FOLDER / "core_pages.json").read_text(encoding="utf-8"))
    Recorded.replies, Recorded.unknown = recording["replies"], []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Recorded)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        write_dumps(SHARED, tmp_path / "dump")
        run_ingest(IngestOptions(store=str(tmp_path / "store"), articles=(str(tmp_path / "dump/articles.xml"),),
                                 entities=(str(tmp_path / "dump/entities.json"),), images=(str(tmp_path / "dump/images"),), snapshot="2023-04-01"))
        recipe = load_recipe(str(FOLDER / "core_pages.yaml"), (
            f"models.endpoints=[{{name: hand, base_url: 'http://127.0.0.1:{server.server_port}/v1', prices: {{reader: {{tokens_in: 0, tokens_out: 0}}}}}}]",))
        run_synth(recipe, store=str(tmp_path / "store"), out=str(tmp_path / "run"), opened=Opened())
    finally:
        server.shutdown()
    assert Recorded.unknown == []
    assert outcomes(tmp_path / "run") == recording["outcomes"]
