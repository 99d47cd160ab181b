"""A model's part in a loop, played by rule: a server on loopback that answers every role from what its request says, and notes who was asked.

The name of the model is the role. What the rules write is no good English, but it says what it has to, and so gets through every check: no reply
knows more than its prompt, but for the teacher and the solvers, who are told the answers that the writers found.
"""

import json
import re
import threading
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

BLOCK = re.compile(r"<(\w+) ([0-9a-f]{8})>\n(.*?)\n</\1 \2>", re.DOTALL)
LINE = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
HINTS = re.compile(r"(?: \[[^\]]*\])?(?: \(\"[^\n]*\"\))?$")
"""Behind a step: words that say it, and what the page says."""
Blocks = dict[str, str]


def numbered(block: str) -> dict[int, str]:
    """The numbered lines of a block."""
    return {int(number): words for number, words in LINE.findall(block)}


def bare(value: str) -> str:
    """A claim's value without what stands in brackets behind it."""
    return re.sub(r" \((?:the page:.*|[^()]*)\)$", "", value)


def kind_of(described: str | None) -> str:
    return (described or "thing").split(",")[0]


def worded(text: str, blocks: Blocks) -> tuple[str, str]:
    """A plan's question and the words that point to the picture: each step leads on from what can be said already."""
    shown, seen = re.search(
        r"The picture shows (.*?)(?: \(anybody sees: (.*)\))?\.$", text, re.MULTILINE
    ).groups()
    kinds = {
        name: kind_of(words)
        for name, words in re.findall(r"^(.*?): (.*)$", blocks["kinds"], re.MULTILINE)
    }
    phrase = f"the {kind_of(seen) if seen else kinds.get(shown, 'thing')} in the picture"
    said = {shown: phrase}
    if named := re.search(r"^Names that have to appear: (.*)$", text, re.MULTILINE):
        said |= {name: name for name in named[1].split("; ")}
    left = [HINTS.sub("", line) for line in numbered(blocks["steps"]).values()]
    for _, line in [(n, line) for n in left for line in left]:
        if line not in left:
            continue
        if found := re.match(r"Read on the picture, (.*) on the (.*): (.*)$", line):
            said[found[3]] = f"the {found[1]} on the {found[2]} of {phrase}"
        elif (
            found := re.match(r"Read on a picture of (.*?), (.*?)(?: on the (.*))?: (.*)$", line)
        ) and found[1] in said:
            on = f"the {found[3]} of " if found[3] else ""
            said[found[4]] = f"the {found[2]} on {on}{said[found[1]]}"
        elif (found := re.match(r"(.*) is the difference of (.*), (.*)$", line)) and (
            found[2] in said and found[3] in said
        ):
            said[found[1]] = f"the number of years from {said[found[3]]} to {said[found[2]]}"
        elif " is a kind of: " in line:
            pass
        elif (found := re.match(r"(.*) — (.*?): (.*)$", line)) and found[1] in said:
            said[bare(found[3])] = f"the {found[2]} of {said[found[1]]}"
        elif found and bare(found[3]) in said:
            said[found[1]] = (
                f"the {kinds.get(found[1], 'thing')} whose {found[2]} is {said[bare(found[3])]}"
            )
        else:
            continue
        left.remove(line)
    answer, exact = re.search(r"The answer is (.*) \(\w+ ?(.*)\)\.$", text, re.MULTILINE).groups()
    ask = {
        "year": "In which year was",
        "day": "On which day was",
        "century": "In which century was",
        "years": "How many years are",
    }.get(exact, "What is")
    return f"{ask} {said.get(answer, phrase)}?", phrase


class Reader:
    """Replies by role. `known` are the answers of the questions that were read back, for whoever is to know them."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        self.asked: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()
        """By idempotency key, which is the key of the call cache."""
        self.failed: list[str] = []
        """Requests that no rule answered, with why."""
        self._lock = threading.Lock()

    def __call__(self, role: str, text: str, key: str) -> str:
        with self._lock:
            self.asked[role] += 1
            self.sent[key] += 1
            made = getattr(self, f"_{role}")(
                text, {name: body for name, _, body in BLOCK.findall(text)}
            )
        return made if isinstance(made, str) else json.dumps(made)

    # the planner

    def _take_facts(self, text: str, blocks: Blocks) -> Any:
        return {"statements": []}

    # the writer

    def _word_plan(self, text: str, blocks: Blocks) -> Any:
        question, phrase = worded(text, blocks)
        return {"question": question, "phrase": phrase}

    # who reads it back

    def _check_words(self, text: str, blocks: Blocks) -> Any:
        answer = re.search(r"^Its answer: (.*)$", text, re.MULTILINE)[1]
        self.known[blocks["question"]] = answer
        precision = (
            "day"
            if re.fullmatch(r"\d{1,2} \w+ \d{4}", answer)
            else "year"
            if re.fullmatch(r"\d{3,4}", answer)
            else ""
        )
        return {
            "said": [{"line": n, "words": blocks["question"]} for n in numbered(blocks["lines"])],
            "precision": precision,
            "why": "",
            "holds": True,
        }

    # filters

    def _answer_text_only(self, text: str, blocks: Blocks) -> Any:
        return {
            "reasoning": "",
            "answer": "Nobody of that name" if len(blocks["question"]) % 2 else None,
        }

    _answer_direct = _answer_text_only

    def _answer_with_search(self, text: str, blocks: Blocks) -> Any:
        solvable = "Use the material and nothing else" in text
        return {"reasoning": "", "answer": self.known.get(blocks["question"]) if solvable else None}

    def _image_too_simple(self, text: str, blocks: Blocks) -> Any:
        return {"shows": "", "kind": "photograph", "too_simple": False}

    # players and judges

    def _agent(self, text: str, blocks: Blocks) -> Any:
        question = next((asked for asked in self.known if asked in text), "")
        if "<tool_response>" not in text.split(question)[-1]:
            return '<think>Who knows?</think>\n<tool_call>\n{"name": "text_search", "arguments": {"query": "town"}}\n</tool_call>'
        return f"<think>It says so.</think>\n<answer>{self.known.get(question, 'Nobody')}, I think</answer>"

    def _read_page(self, text: str, blocks: Blocks) -> Any:
        return {"evidence": "", "summary": "It says nothing about it."}

    def _judge_answer(self, text: str, blocks: Blocks) -> Any:
        given = re.search(r"<reply [0-9a-f]{8}>\n(.*?)\n</reply", text, re.DOTALL)
        answer = self.known.get(blocks["question"], "?")
        said = given[1] if given else ""
        return {"given": said[:300], "why": "", "correct": answer in said}

    def _judge_process(self, text: str, blocks: Blocks) -> Any:
        return {"why": "", "tool_use": 0.9, "consistency": 0.9, "progression": 0.9, "evidence": 0.9}

    def _judge_retrieval(self, text: str, blocks: Blocks) -> Any:
        return {
            "why": "",
            "text_search": 0.5,
            "progression": 0.5,
            "complementarity": 0.5,
            "evidence": 0.5,
        }

    # the loop

    def _diagnose(self, text: str, blocks: Blocks) -> Any:
        dimensions = re.findall(
            r"^- (\w+): ", text.split("Score from")[1].split("Then name")[0], re.MULTILINE
        )
        return {
            "scores": [{"dimension": d, "why": "", "score": 1} for d in dimensions],
            "faults": [
                {
                    "why": "one look is enough",
                    "cause": "few_sources",
                    "stage": "paths",
                    "severity": 3,
                }
            ],
        }

    def _propose_edits(self, text: str, blocks: Blocks) -> Any:
        made = []
        for path in ("draft.computation_share", "draft.detail_share"):
            now, step = re.search(
                rf"^{re.escape(path)} = ([\d.]+) \(0 to 1, step ([\d.]+)\)$",
                blocks["fields"],
                re.MULTILINE,
            ).groups()
            made.append(
                {
                    "why": "more work",
                    "number": 1,
                    "path": path,
                    "action": "set",
                    "value": str(min(1.0, round(float(now) + float(step), 6))),
                }
            )
        return {"edits": made}

    def _review_edits(self, text: str, blocks: Blocks) -> Any:
        return {
            "verdicts": [
                {"number": 1, "why": "fits", "accept": True},
                {"number": 2, "why": "rests on one case", "accept": False},
            ]
        }


@contextmanager
def serving(reader: Reader) -> Iterator[str]:
    """The reader behind /v1/chat/completions; yields the base URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            parts = [
                part
                for message in body["messages"]
                for part in (
                    [message["content"]]
                    if isinstance(message["content"], str)
                    else [p.get("text", "") for p in message["content"]]
                )
            ]
            try:
                reply = reader(body["model"], "\n".join(parts), self.headers["Idempotency-Key"])
            except Exception:
                reader.failed.append(f"{body['model']}: {traceback.format_exc()}")
                return self._send(400, {"error": {"message": "no rule answers this"}})
            choice = {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": reply},
            }
            return self._send(
                200,
                {
                    "id": "r",
                    "object": "chat.completion",
                    "created": 0,
                    "model": body["model"],
                    "choices": [choice],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                },
            )

        def _send(self, status: int, payload: dict[str, Any]) -> None:
            raw = json.dumps(payload).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def roles() -> set[str]:
    """Every role that the reader plays."""
    return {name[1:] for name in vars(Reader) if name.startswith("_") and not name.startswith("__")}
