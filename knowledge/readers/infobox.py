"""Infobox fields: name, plain text, and the titles that the field links."""
import re
from collections.abc import Callable

from knowledge.readers.markup import arguments, restore, unescape
from knowledge.readers.templates import expand_templates
from records.knowledge import InfoboxField

MAX_FIELDS = 300
_PREFIXES = ("infobox", "taxobox", "automatic taxobox", "speciesbox", "geobox", "chembox", "drugbox", "starbox", "ficha ", "info/", "infocaja",
             "infoboks", "infotaula", "карточка", "信息框", "基礎情報")
_LINK = re.compile(r"\[\[([^\[\]|\n]*)(?:\|([^\[\]]*))?\]\]")
_EXTERNAL = re.compile(r"\[(?:https?:)?//[^\s\]]*[ ]?([^\]\n]*)\]")
_MARKUP = re.compile(r"[\[{'&\n*#\ufdd0-\ufddf]|  ")
_BLANKS = re.compile(r"[ \t]+")
_LINES = re.compile(r"\s*\n[\s*#:;]*")
_PICTURE_FIELD = re.compile(r"(?:image|photo|picture|img|bild|imagen|immagine|foto|cover|logo|flag|map|pushpin)", re.I)


def is_infobox(name: str) -> bool:
    """Whether a template of this (lower-case) name is an infobox."""
    return name.startswith(_PREFIXES) or " infobox" in name


def read_infobox(inside: str, resolve: Callable[[str], str]) -> tuple[str, tuple[InfoboxField, ...], dict[str, str]]:
    """An infobox out of a template's inside (without tags and comments).

    Returns:
        (name as written, filled fields, raw values of fields that name pictures).
    """
    parts = list(arguments(inside))
    name = " ".join(parts[0].replace("_", " ").split())
    fields, pictures = [], {}
    for part in parts[1:MAX_FIELDS]:
        key, equals, value = part.partition("=")
        key, value = key.strip(), value.strip()
        if not equals or not key or not value or "{" in key or "[" in key:
            continue
        if _PICTURE_FIELD.match(key):
            pictures[key] = value
        targets: list[str] = []
        text = field_text(value, resolve, targets)
        if text:
            fields.append(InfoboxField(name=key, text=text, targets=tuple(dict.fromkeys(targets))))
    return name, tuple(fields), pictures


def field_text(value: str, resolve: Callable[[str], str] = lambda target: target, targets: list[str] | None = None) -> str:
    """Wikitext of a field or caption as plain text on one line; lines and list items are joined by "; ".

    Args:
        value: without tags and comments.
        resolve: from a raw link target to an article's title or "".
        targets: takes the titles of links, if given.
    """
    if not _MARKUP.search(value):
        return value.strip()
    if "[[" in value:
        if targets is not None:
            targets.extend(t for t in (resolve(m[0]) for m in _LINK.findall(value)) if t)
        value = _LINK.sub(lambda m: (m[1].lstrip(": ") if m[2] is None else m[2]), value)
    value = expand_templates(value, separator="\n")
    if "[" in value:
        value = _EXTERNAL.sub(r"\1", value).replace("[[", "").replace("]]", "")
    if "''" in value:
        value = value.replace("'''", "").replace("''", "")
    value = _BLANKS.sub(" ", unescape(value).replace("{{", "").replace("}}", ""))
    return restore(_LINES.sub("; ", value.strip().lstrip("*#:; ")).strip("; "))


def is_disambiguation(name: str) -> bool:
    """Whether a template of this (lower-case) name marks a disambiguation page."""
    return name in _DISAMBIGUATION


_DISAMBIGUATION = frozenset("""disambiguation disambig disamb dab hndis geodis numberdis letter-numberdis schooldis mathdab roaddis shipindex begriffsklärung
    homonymie desambiguación disambigua doorverwijspagina 消歧义 消歧義""".split()) | {
    "disambiguation page", "human name disambiguation", "place name disambiguation", "airport disambiguation", "hospital disambiguation",
    "letter–number combination disambiguation", "disambiguation cleanup", "call sign disambiguation", "species latin name disambiguation"}

