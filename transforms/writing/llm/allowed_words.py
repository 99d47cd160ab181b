"""Checks whether every word of an English question also occurs in the question's evidence.

`relation_words.py` knows the words that clearly state a relation. Nobody can list the other words
that make a sentence false ("never", "smallest", "crypt"). This module therefore lists what is
allowed. Small words such as "the" need no source, and names and numbers have rules of their own.
Every other word of a question needs a source.
"""

import re

from questloom.language.names_in_text import folded
from questloom.language.units import unit_of
from questloom.transforms.writing.llm.relation_words import RelationWords, find_relation_spans

STEM = 5
"""Two long words count as forms of the same word if this number of first letters is the same:
"designed" and "designer"."""
_WORD = re.compile(r"[^\W\d_]+?(?=n['’]t\b)|[^\W\d_]+")
_STARTS = re.compile(r"(?:^|[.?!:;]\s+|[\"“«(]\s*)$")
_FREE = frozenset(
    """
a an the this that these those it its he his him she her they their them there here who whom whose which what when where how and as well
at by for from in into of on over to with within under through across along among is was are were be been being has have had do does did s
much many far long one ones other another same then also person people man woman somebody someone something thing things place work
picture pictured image photo photograph portrait drawing shown seen century year years month day date name names called
known lie lies stand stands located situated
give given take took come came go goes get got make makes made exact exactly so number amount company organisation group colour language kind sort type
""".split()
)
"""Words of questions without a meaning of their own. The list contains no word that negates a
sentence, or that ranks or orders things."""
COMPARING = """after before between difference times older younger oldest youngest earlier later earliest latest first last more less greater lesser
    longer shorter longest shortest taller tallest higher lower highest lowest larger smaller largest smallest heavier lighter heaviest lightest
    wider narrower wide tall high heavy large old"""
"""Words that are also allowed in a question that computes with two dates or measures."""
SEEING = "gives shows bears carries reads says inscribed own"
"""Words that are also allowed in a question for which something must be read in a picture."""


def unsaid_words(text: str, relations: list[RelationWords], sources: list[str]) -> tuple[str, ...]:
    """The words of an English text that have no source: they occur in no relation of the evidence,
    and in none of the source texts. Names are not checked. A name in a source text does not count
    as a source of a word.

    >>> from questloom.transforms.writing.llm.relation_words import relation_words
    >>> founder = [relation_words("P112", "founded by")]
    >>> [unsaid_words(f"Who {done} the school in the picture?", founder, ["school"]) for done in ("founded", "never founded", "sold")]
    [(), ('never',), ('sold',)]
    >>> unsaid_words("Who was the last to paint it?", [], ["painting", "The Last Supper"])
    ('last',)

    Args:
        text: a question or description.
        relations: the relations that the text may state.
        sources: texts from which words may come, such as cited lines and names for the kinds of
            things.
    """
    covered = find_relation_spans(text, relations)
    named, called = set[str](), set[str]()
    for said in (
        word
        for source in (*sources, *(r.phrases for r in relations))
        for word in _WORD.findall(source)
    ):
        (called if said[0].islower() else named).update(folded(said).split())

    def known(word: str, capital: bool) -> bool:
        words = called | named if capital else called  # a sentence may begin with a name
        return (
            word in _FREE
            or bool(words & {word, word.removesuffix("s"), f"{word}s"})
            or (word.endswith(("s", "feet")) and unit_of(word) is not None)
            or (len(word) >= STEM and any(w.startswith(word[:STEM]) for w in words))
        )

    places = [
        m
        for m in _WORD.finditer(text)
        if (m[0][0].islower() or _STARTS.search(text[: m.start()]))
        and not any(start <= m.start() and m.end() <= end for start, end in covered)
    ]
    unsaid = dict.fromkeys(
        word for m in places for word in folded(m[0]).split() if not known(word, m[0][0].isupper())
    )
    return tuple(unsaid)
