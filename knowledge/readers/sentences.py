"""Where sentences begin and end in plain text: rules, no model, the same on every machine."""
import re

_END = re.compile(
    r"""[.!?…]+["'”’»)\]]*(?=\s+["'“‘«(\[]*(?:[^\W_a-z]|\Z)|\s*\Z)"""  # Latin, Cyrillic …: a mark, a blank, then no lower-case letter
    r"|[。！？]+[”’」』）]*|[।؟۔]|\n")
_ABBREVIATIONS = frozenset("""
a.d adm apr aug approx b.c b.c.e bros c.e ca capt cf ch co col corp dec dept dr ed eds e.g esp est et etc e.v.a feb fig figs fl ft gen gov
hon i.e inc jan jr jul jun lit lt ltd mar maj mr mrs ms mt mts no nos nov nr oct op p pp ph.d pl pres prof pt r rep rev
sen sep sept sgt sr st ste stat supt univ v var viz vol vols vs
bzw ca d.h dr evtl geb ggf gest hl inkl jh jhd nr o.ä s.o sog u.a usw vgl z.b
""".split())
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘«]+\Z")
LOOK_BACK = 24


def sentence_ends(text: str) -> list[int]:
    """The offsets at which sentences end (exclusive), ascending; the last one is the text's end.

    A paragraph's end (newline) ends a sentence. Initials ("J. R. R."), common abbreviations and numbers do not.
    """
    ends = []
    for found in _END.finditer(text):
        begin, end = found.span()
        if text[begin] == "." and end - begin == 1 and end < len(text):
            word = _LAST_WORD.search(text, max(0, begin - LOOK_BACK), begin)
            if word and _is_abbreviation(word[0]):
                continue
        ends.append(end)
    if not ends or ends[-1] < len(text):
        ends.append(len(text))
    return ends


def _is_abbreviation(word: str) -> bool:
    if len(word) == 1:
        return word.isupper()  # an initial
    return word.lower() in _ABBREVIATIONS or (len(word) <= 5 and word[-2] == "." and word[-1].isupper() and word.count(".") >= 2)


def split_sentences(text: str) -> list[tuple[int, int]]:
    """The sentences of a text as (start, end) offsets, without the blanks around them."""
    spans, start = [], 0
    for end in sentence_ends(text):
        piece = text[start:end]
        begin = start + len(piece) - len(piece.lstrip())
        stop = start + len(piece.rstrip())
        if stop > begin:
            spans.append((begin, stop))
        start = end
    return spans
