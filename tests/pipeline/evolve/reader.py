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
CALLED = r"(.*?)(?: \(([^()]*)\))?"
TOLD = re.compile(r"^(?:She|He|It) (.*)\.$")
ENDS_IN_A_LINK = re.compile(r"^(?:She|He|It) ([^\[A-Z]*) \[\[([^\]]*)\]\]\*?\.$")
LINK = re.compile(r"\[\[([^]]*)\]\]\*?")
Blocks = dict[str, str]


def numbered(block: str) -> dict[int, str]:
    """The numbered lines of a block."""
    return {int(number): words for number, words in LINE.findall(block)}


def bare(value: str) -> str:
    """A claim's value without what stands in brackets behind it."""
    return re.sub(r" \((?:the page:.*|[^()]*)\)$", "", value)


def kind_of(described: str | None) -> str:
    return (described or "thing").split(",")[0]


def named(name: str) -> str:
    """A pattern for a name as a question has it."""
    return rf"(?:\b[Tt]he )?[“\"]?{re.escape(name)}[”\"]?"


def asked_for(claim: str, precision: str) -> dict[str, Any]:
    """A claim's value as an answer."""
    value = bare(claim.partition(": ")[2])
    kind = (
        "date"
        if precision in ("day", "month", "year")
        else "quantity"
        if re.fullmatch(r"[\d.,]+(?: .*)?", value)
        else "entity"
    )
    return {
        "answer": value,
        "answer_type": kind,
        "precision": precision if kind == "date" else "",
        "aliases": [],
    }


def askable(blocks: Blocks) -> list[tuple[int, str, str]]:
    """Claims that may be asked for, with precision and wording."""
    found = re.findall(
        r"^(\d+)(?: \((\w+)[^)]*\))?: (.+\?)$", blocks.get("askable", ""), re.MULTILINE
    )
    return [(int(number), precision, words) for number, precision, words in found]


def described_by(
    kind: str, claims: dict[int, str], numbers: list[int], joined: str = ""
) -> dict[str, Any]:
    """A description of a kind of thing by some claims."""
    words = []
    for number in numbers:
        subject, dash, rest = claims[number].partition(" — ")
        relation, _, value = (rest if dash else subject).partition(": ")
        words.append(
            f"that is the {relation} of {subject}" if dash else f"whose {relation} is {bare(value)}"
        )
    return {
        "text": f"{kind}{joined} {' and '.join(words)}",
        "claims": [{"number": n, "words": w} for n, w in zip(numbers, words, strict=True)],
        "sentence": None,
    }


def worded(plan: str) -> tuple[str, str] | None:
    """A plan's question and the words that point to the picture; None where its lines lead nowhere by these rules."""
    shown = re.search(r"The picture shows (.*?)\.$", plan, re.MULTILINE)[1]
    told, _, known = plan.partition("  Kinds, sexes")
    kinds = {
        name: kind_of(words)
        for name, words in re.findall(r"^    (.*?): (.*)$", known, re.MULTILINE)
    }
    phrase = f"the {kinds.get(shown, 'thing')} in the picture"
    said = {shown: phrase}
    asked, precision, unit = re.search(
        r"^  Asked: (.*?)(?:, exact to the (\w+)|, in (\w+))?$", told, re.MULTILINE
    ).groups()
    left = [
        line.strip()
        for line in told.split("\n")[1:]
        if line.strip() and not line.startswith("  Asked")
    ]
    for _, line in [(n, line) for n in left for line in left]:
        if line not in left:
            continue
        if found := re.match(r"Read on the picture, (.*) on the (.*): (.*)$", line):
            said[found[3]] = f"the {found[1]} on the {found[2]} of {phrase}"
        elif (found := re.match(r"(.*) is the difference of (.*), (.*)$", line)) and (
            found[2] in said or found[3] in said
        ):
            said[found[1]] = (
                f"the number of years from {said.get(found[3], found[3])} to {said.get(found[2], found[2])}"
            )
        elif (found := re.match(r"(.*) — (.*?): (.*)$", line)) and found[1] in said:
            said[bare(found[3])] = f"the {found[2]} of {said[found[1]]}"
        elif found and bare(found[3]) in said:
            said[found[1]] = (
                f"the {kinds.get(found[1], 'thing')} whose {found[2]} is {said[bare(found[3])]}"
            )
        else:
            continue
        left.remove(line)
    if left or asked not in said:
        return None
    ask = (
        f"How many {unit} are"
        if unit
        else {"year": "In which year was", "day": "On which day was"}.get(
            precision or "", "What is"
        )
    )
    return f"{ask} {said[asked]}?", phrase


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

    # writers: injection

    def _seed_question(self, text: str, blocks: Blocks) -> Any:
        claims = numbered(blocks["claims"])
        found = [
            {"question": words, **asked_for(claims[n], precision), "claim": n, "sentence": None}
            for n, precision, words in askable(blocks)
        ]
        about = re.search(rf"questions? about {CALLED}(?:, best first)?\. Language", text)
        for number, sentence in numbered(blocks.get("sentences", "")).items():
            if (said := ENDS_IN_A_LINK.match(sentence)) and about:
                found.append(
                    {
                        "question": f"{about[1]} {said[1]} which one?",
                        "answer": said[2],
                        "answer_type": "entity",
                        "claim": None,
                        "sentence": number,
                    }
                )
        return {"questions": found[:10]}

    def _pick_entity(self, text: str, blocks: Blocks) -> Any:
        names = re.search(
            r"(?:Articles are at hand for|Pictures are at hand of): (.*?)\.?(?: \(\* with a picture\)\.)?\n",
            text,
        )
        return {
            "entities": [
                {"surface": name, "title": name}
                for part in (names[1] if names else "").split("; ")
                if (name := part.strip(" *.")) and name in blocks["question"]
            ]
        }

    _pick_image_entity = _pick_entity

    def _take_fact(self, text: str, blocks: Blocks) -> Any:
        _, described = re.search(
            rf"^Describe {CALLED} without naming it", text, re.MULTILINE
        ).groups()
        claims, kind = numbered(blocks["claims"]), f"the {kind_of(described)}"
        offered = re.search(
            r"(?:Sets of claims that will do|The claims that will do): (.*?)\. [AT]", text
        )
        if offered:
            sets = [list(map(int, re.findall(r"\d+", part))) for part in offered[1].split(";")]
            return {"descriptions": [described_by(kind, claims, numbers) for numbers in sets][:10]}
        found = []
        for number, sentence in numbered(blocks.get("sentences", "")).items():
            if "[[" in sentence and (said := TOLD.match(sentence)):
                told = f"{kind} that {LINK.sub(lambda link: link[1], said[1])}"
                two = next(
                    (
                        n
                        for n, claim in claims.items()
                        if " — " not in claim and bare(claim) != claim and "(the page" not in claim
                    ),
                    None,
                )
                if two is not None and not found:
                    found.append(described_by(told, claims, [two], " and") | {"sentence": number})
                found.append({"text": told, "claims": [], "sentence": number})
        return {"descriptions": found[:4]}

    _describe = _take_fact

    def _inject(self, text: str, blocks: Blocks) -> Any:
        said = blocks["descriptions"].removeprefix("- ")
        hidden = re.search(r'which the question calls "(.*?)"\. Put', text)
        return {
            "question": re.sub(named(hidden[1]), said, blocks["question"], count=1)
            if hidden
            else f"{blocks['question']} It is {said}."
        }

    def _hide_entity(self, text: str, blocks: Blocks) -> Any:
        _, described, surface = re.search(
            rf'The picture shows {CALLED}, which the question calls "(.*?)"\.', text
        ).groups()
        phrase = f"the {kind_of(described)} in the picture"
        return {
            "question": re.sub(named(surface), phrase, blocks["question"], count=1),
            "phrase": phrase,
        }

    # writers: paths

    def _canonical_question(self, text: str, blocks: Blocks) -> Any:
        phrase = said = last = ""
        edge: tuple[str, ...] = ()
        for line in blocks["path"].split("\n"):
            if stop := re.match(rf"Stop \d+.*?: {CALLED}$", line):
                last, kind = stop[1], f"the {kind_of(stop[2])}"
                said = (
                    f"the {edge[1]} of {said}"
                    if edge and edge[2] == last
                    else f"{kind} whose {edge[1]} is {said}"
                    if edge
                    else f"{kind} in the picture"
                )
                phrase = phrase or said
            else:
                edge = re.match(r"  (.*) — (.*?): (.*)$", line).groups()
        claims = numbered(blocks["claims"])
        return {
            "questions": [
                {
                    "question": re.sub(named(last), said, words, count=1),
                    **asked_for(claims[n], precision),
                    "claim": n,
                    "sentence": None,
                    "phrase": phrase,
                }
                for n, precision, words in askable(blocks)
            ][:10]
        }

    def _obfuscate_answer(self, text: str, blocks: Blocks) -> Any:
        number, claim = next(
            (
                (n, claim)
                for n, claim in numbered(blocks["claims"]).items()
                if bare(claim) != claim and "(the page" not in claim
            ),
            (0, "x: y"),
        )
        return {
            "question": f"{blocks['question']} What is the {claim.partition(': ')[0]} of that one?",
            **asked_for(claim, ""),
            "claim": number,
        }

    # writers: explorations

    def _propose_seed(self, text: str, blocks: Blocks) -> Any:
        return {"why": "", "fit": True}

    def _explore(self, text: str, blocks: Blocks) -> Any:
        most = int(re.search(r"Choose up to (\d+) of them", text)[1])
        return {"why": "", "numbers": list(numbered(blocks["lines"]))[:most]}

    _reason = _perceive = _explore

    def _curate(self, text: str, blocks: Blocks) -> Any:
        plans = re.findall(
            r"^(Plan (\d+)\..*?)(?=^Plan \d+\.|\Z)", blocks["plans"], re.MULTILINE | re.DOTALL
        )
        made = [
            {"number": int(number), "question": found[0], "phrase": found[1]}
            for plan, number in plans
            if (found := worded(plan))
        ]
        return {"plans": made[:5]}

    def _deepen(self, text: str, blocks: Blocks) -> Any:
        return next(iter(self._curate(text, blocks)["plans"]), {"number": None})

    # votes

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

    def _check_unique(self, text: str, blocks: Blocks) -> Any:
        return {"why": "", "holds": True}

    _check_invariant = _check_unique

    def _check_picture(self, text: str, blocks: Blocks) -> Any:
        return {"why": "", "needed": True}

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
