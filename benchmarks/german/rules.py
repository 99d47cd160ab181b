"""A writer and a reader of German questions that are rules, behind a local chat endpoint.

The endpoint stands in for a model in `german_edition.py`. It sees the request's text alone, like a
model. The writer tells each step of the plan in a sentence ("Die Person starb in einer Stadt.") and
asks last. The reader looks for the words of each line by `language/relations.de.yaml`.
"""

import functools
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.german.edition import german_terms
from questloom.language.relations import relation
from questloom.language.sentences import sentence_spans
from questloom.transforms.writing.llm.relation_words import relation_words

ROLES = ("word_plan", "check_words")
FALLBACK = {"say": "{s.nom} hat als „%s“ {o.acc}", "ask": "Was ist „%s“ von {s.dat}?"}
SIGNS = {"flag": "die Flagge", "coat of arms": "das Wappen", "logo": "das Logo"}
WHEN = {
    "century": "In welchem Jahrhundert",
    "year": "In welchem Jahr",
    "month": "In welchem Monat welchen Jahres",
    "day": "An welchem Tag",
}
EIN = {
    "nom": ("ein", "eine", "ein"),
    "acc": ("einen", "eine", "ein"),
    "dat": ("einem", "einer", "einem"),
}
DIES = {
    "nom": ("dieser", "diese", "dieses"),
    "acc": ("diesen", "diese", "dieses"),
    "dat": ("diesem", "dieser", "diesem"),
}
WEAK = {"nom": ("e", "e", "e"), "acc": ("en", "e", "e"), "dat": ("en", "en", "en")}
MIXED = {"nom": ("er", "e", "es"), "acc": ("en", "e", "es"), "dat": ("en", "en", "en")}
ORDINALS = ("", "zweit", "dritt", "viert", "fünft")
_STEP = re.compile(
    r"^\d+\. (?P<a>.+?) — (?P<label>.+?): (?P<b>.+?)(?: \[[^\]]*\])?(?: \(\".*\"\))?$", re.MULTILINE
)


@functools.cache
def _by_label() -> dict[str, tuple[str, dict[str, Any]]]:
    return {term["label"]: (pid, term) for pid, term in german_terms()["relations"].items()}


@functools.cache
def _genders() -> dict[str, int]:
    return {noun: "mfn".index(gender) for noun, gender in german_terms()["classes"].values()}


@dataclass
class Things:
    """The things of a question: named, or called by a noun with a number ("diese zweite Person")."""

    kinds: dict[str, str]
    named: frozenset[str]
    nouns: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The noun and the ordinal of each thing that was introduced, by its name."""

    def call(self, name: str, case: str) -> str:
        """The words for a thing in a case; the first call introduces it."""
        if name in self.named or re.match(r"[\d(]", name):
            return f"am {name}" if re.match(r"\d+\. ", name) else name
        is_new = name not in self.nouns
        if is_new:
            noun = next((k for k in self.kinds.get(name, "").split(", ") if k in _genders()), "Ort")
            before = sum(noun == other for other, _ in self.nouns.values())
            self.nouns[name] = noun, ORDINALS[min(before, len(ORDINALS) - 1)]
        noun, ordinal = self.nouns[name]
        gender = _genders().get(noun, 0)
        articles, endings = (EIN, MIXED) if is_new else (DIES, WEAK)
        adjective = f"{ordinal}{endings[case][gender]} " if ordinal else ""
        return f"{articles[case][gender]} {adjective}{noun}"

    def knows(self, name: str) -> bool:
        return name in self.nouns or name in self.named


def _told(template: str, things: Things, subject: str, other: str) -> str:
    def call(match: re.Match[str]) -> str:
        return things.call(subject if match[1] == "s" else other, match[2] or "nom")

    said = re.sub(r"\{([so])(?:\.(\w+))?\}", call, template)
    return said[0].upper() + said[1:]


def word_plan(request: str) -> dict[str, str]:
    """The reply of the role `word_plan`: the plan's steps as German sentences, then the question."""
    shown = re.search(r"The picture shows (.+?)(?: \(anybody sees: (.*?)\))?\.\n", request)
    assert shown is not None, "every request names the thing in the picture"
    sign = next((s for s in SIGNS if f"with this {s}" in request), "")
    anchor = shown[1].removeprefix(f"the {sign} of ") if sign else shown[1]
    kinds = dict(re.findall(r"^(.+?): (.+)$", _block(request, "kinds"), re.MULTILINE))
    named = re.search(r"Names that have to appear: (.+)", request)
    things = Things(kinds, frozenset(named[1].split("; ") if named else ()))
    first = things.call(anchor, "dat" if sign else "nom")
    said = [
        f"Das Bild zeigt {SIGNS[sign]} von {first}."
        if sign
        else f"Auf dem Bild ist {first} zu sehen."
    ]
    asked = re.search(r'Asked is the value of "(.+?) — (.+?): ', request)
    steps = [m.groupdict() for m in _STEP.finditer(_block(request, "steps"))]
    rest = [s for s in steps if asked is None or (s["a"], s["label"]) != asked.groups()]
    while rest:
        step = next((s for s in rest if things.knows(s["a"]) or things.knows(s["b"])), rest[0])
        rest.remove(step)
        said.append(_told(_term(step["label"], "say"), things, step["a"], step["b"]) + ".")
    answer = re.search(r"The answer is (.+?) \((\w+) ?(.*?)\)\.\n", request)
    assert answer is not None, "every request names the answer"
    if asked is None:
        said.append(f"Wie heißt {things.call(answer[1], 'nom')}?")
    else:
        ask = _term(asked[2], "ask").replace("{when}", WHEN.get(answer[3], "Wann"))
        said.append(_told(ask.replace("{unit}", answer[3] or "Zahl"), things, asked[1], ""))
    return {"question": " ".join(said), "phrase": said[0].rstrip(".")}


def _term(label: str, key: str) -> str:
    return _by_label().get(label, ("", {}))[1].get(key) or FALLBACK[key] % label


def check_words(request: str) -> dict[str, Any]:
    """The reply of the role `check_words`: for each line, the sentence that has its words."""
    question = _block(request, "question").strip()
    spans = [question[start:end] for start, end in sentence_spans(question)]
    said = []
    for number, line in enumerate(_STEP.finditer(_block(request, "lines")), start=1):
        pid, _ = _by_label().get(line["label"], ("", {}))
        pattern = (
            relation_words(pid, line["label"], "de").subject
            if pid and relation(pid, "de").read
            else None
        )
        found = [s for s in spans if pattern is None or pattern.search(s.casefold())]
        said += [{"line": number, "words": s} for s in found[-1:]]
    precision = next((name for name, words in WHEN.items() if words in question), "")
    return {
        "said": said,
        "precision": precision,
        "beyond": [],
        "wrong": None,
        "why": "rules",
        "holds": True,
    }


def _block(request: str, kind: str) -> str:
    found = re.search(rf"<{kind}[^>]*>\n(.*?)\n</{kind}", request, re.DOTALL)
    return found[1] if found else ""


@contextmanager
def answering() -> Iterator[dict[str, Any]]:
    """Serves the rules on loopback; yields a recipe's section `models`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = "\n".join(str(message["content"]) for message in body["messages"])
            reply = {"word_plan": word_plan, "check_words": check_words}[body["model"]](text)
            message = {"role": "assistant", "content": json.dumps(reply, ensure_ascii=False)}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            raw = json.dumps(
                {
                    "object": "chat.completion",
                    "model": body["model"],
                    "choices": [choice],
                    "usage": usage,
                }
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield {
            "endpoints": [
                {"name": "rules", "base_url": f"http://127.0.0.1:{server.server_port}/v1"}
            ],
            "roles": {role: {"endpoint": "rules", "model": role} for role in ROLES},
        }
    finally:
        server.shutdown()
        server.server_close()
