"""mwparserfromhell as the reference for the fast extraction: on sampled pages, in a child process that may be killed.

mwparserfromhell is right about nesting where expressions can only be careful, but takes 30 times longer and can explode: 30 GB
of memory on one page of 80 kB, time quadratic in unterminated braces. So the page's size, the wall-clock time and the
child's memory are limited.
"""

import collections
import os
import re
import resource
import selectors
import subprocess
import sys
from typing import Any, NamedTuple

import orjson

from questloom.knowledge.readers import markup
from questloom.knowledge.readers.language_variants import has_converter, without_rules
from questloom.knowledge.readers.mediawiki_xml import RawPage
from questloom.knowledge.readers.titles import FILE, Site, link_resolver
from questloom.records.knowledge import Article

MAX_CHARS = 1 << 20
SECONDS = 10.0
MEMORY_BYTES = 2 << 30
_WORD = re.compile(r"\w+")
_SKIPPED_TAGS = frozenset(
    ("ref", "references", "table", "gallery", "math", "timeline", "score", "chem")
)


class ReferencePage(NamedTuple):
    """What the reference parser finds on a page."""

    lead: str
    links: tuple[str, ...]
    """Targets of body links, normalised, each as often as it is linked."""


class Agreement(NamedTuple):
    """How well the fast extraction agrees with the reference, each from 0 to 1."""

    link_recall: float
    link_precision: float
    lead_similarity: float
    """Dice coefficient over the multisets of words."""


class ReferenceParser:
    """Parses pages in one child process, which is replaced when it is killed.

    Use as a context manager.

    Args:
        site: whose namespaces tell article links from others.
        seconds: wall-clock limit a page.
        memory_bytes: address space of the child.
    """

    def __init__(
        self, site: Site, *, seconds: float = SECONDS, memory_bytes: int = MEMORY_BYTES
    ) -> None:
        self.site, self.seconds, self.memory_bytes = site, seconds, memory_bytes
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "ReferenceParser":
        return self

    def __exit__(self, *exc: object) -> None:
        self._stop()

    def parse(self, page: RawPage) -> ReferencePage | str:
        """The page as the reference reads it, or which limit was reached."""
        if len(page.text) > MAX_CHARS:
            return f"{len(page.text):,} characters, {MAX_CHARS:,} allowed"
        text = page.text
        if "-{" in text and has_converter(self.site.language):
            # Its rules are read where comments and literal text are gone, as in `wikitext`.
            text = without_rules(
                markup.strip_tags(markup.without_noncharacters(text))[0], self.site.language
            )
        reply = self._ask(text)
        if isinstance(reply, str):
            return reply
        resolve = link_resolver(self.site)
        links = [t for t in map(resolve, reply["links"]) if t]
        return ReferencePage(markup.restore(reply["lead"]), tuple(links))

    def _ask(self, text: str) -> dict[str, Any] | str:
        """The child's reply, or why there is none."""
        if self._child is None:
            self._child = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.knowledge.readers.reference_parse",
                    str(self.memory_bytes),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            )
        child = self._child
        assert child.stdin and child.stdout
        pictures = sorted({n for n, k in self.site.namespaces if k == FILE} | {"file", "image"})
        try:
            child.stdin.write(orjson.dumps([text, pictures]) + b"\n")
            child.stdin.flush()
        except BrokenPipeError:
            self._stop()
            return "the parser's process ended"
        with selectors.DefaultSelector() as selector:
            selector.register(child.stdout, selectors.EVENT_READ)
            ready = selector.select(self.seconds)
        # The child writes its reply at once when it is done, so that a line that has begun also ends.
        line = child.stdout.readline() if ready else b""
        if not line:
            self._stop()
            return (
                "the parser's process ended (memory limit)"
                if ready
                else f"not parsed in {self.seconds:g} s"
            )
        reply = orjson.loads(line)
        return reply if "links" in reply else str(reply["error"])

    def _stop(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            for pipe in (self._child.stdin, self._child.stdout):
                assert pipe
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue  # what was still buffered is for a process that is gone
            self._child = None


def compare(article: Article, reference: ReferencePage) -> Agreement:
    """How well an article agrees with the reference's reading of its page. Where the reference has nothing, what was found decides."""
    ours = collections.Counter(link.target for link in article.links)
    theirs = collections.Counter(reference.links)
    common = (ours & theirs).total()
    return Agreement(
        common / theirs.total() if theirs else 1.0,
        common / ours.total() if ours else 1.0,
        _dice(article.lead, reference.lead),
    )


def _dice(left: str, right: str) -> float:
    a, b = (
        collections.Counter(_WORD.findall(left.lower())),
        collections.Counter(_WORD.findall(right.lower())),
    )
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else 1.0


def _parse(text: str, picture_prefixes: list[str]) -> dict[str, Any]:
    """In the child: lead and body links by walking the parsed nodes."""
    import mwparserfromhell
    from mwparserfromhell.nodes import ExternalLink, Heading, HTMLEntity, Tag, Text, Wikilink

    links: list[str] = []
    lead: list[str] = []
    in_lead = True

    def walk(code: Any, out: list[str]) -> None:
        nonlocal in_lead
        for node in code.nodes:
            if isinstance(node, Heading) and out is lead:
                in_lead = False
            elif isinstance(node, Text):
                if in_lead:
                    out.append(str(node.value))
            elif isinstance(node, HTMLEntity):
                if in_lead:
                    out.append(node.normalize())
            elif isinstance(node, Wikilink):
                target = str(node.title)
                prefix = target.partition(":")[0].strip().lower()
                if ":" in target and prefix in picture_prefixes:
                    continue
                links.append(target)
                if in_lead and (not target.lstrip().lower().startswith("category:")):
                    out.append(node.text.strip_code() if node.text is not None else target)
            elif isinstance(node, ExternalLink):
                if node.title is not None:
                    walk(node.title, out)
            elif (
                isinstance(node, Tag)
                and str(node.tag).strip().lower() not in _SKIPPED_TAGS
                and node.contents is not None
            ):
                walk(node.contents, out)

    walk(mwparserfromhell.parse(text), lead)
    return {"lead": "".join(lead).strip(), "links": links}


def _serve(memory_bytes: int) -> None:
    """The child: one JSON line in, one out. Its memory is limited, so an explosion ends it or becomes an error."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    for line in sys.stdin.buffer:
        text, pictures = orjson.loads(line)
        try:
            reply = _parse(text, pictures)
        except (MemoryError, RecursionError) as error:
            reply = {"error": type(error).__name__}
        sys.stdout.buffer.write(orjson.dumps(reply) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
