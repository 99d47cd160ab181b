"""Reads the fields of infoboxes. A field has a name, a plain text, and the titles to which it
links."""

import re
from collections.abc import Callable
from typing import NamedTuple

from questloom.knowledge.readers.markup import arguments, restore, unescape
from questloom.knowledge.readers.templates import expand_templates
from questloom.records.knowledge import InfoboxField

MAX_FIELDS = 300
MAX_NAME_CHARS = 1000
"""Number of characters at the start of a field in which the name of a picture's file is
searched."""
_PREFIXES = (
    "infobox",
    "taxobox",
    "automatic taxobox",
    "speciesbox",
    "geobox",
    "chembox",
    "drugbox",
    "starbox",
    "ficha ",
    "info/",
    "infocaja",
    "infoboks",
    "infotaula",
    "карточка",
    "信息框",
    "基礎情報",
)
_LINK = re.compile(r"\[\[([^\[\]|\n]{0,512}+)(?:\|([^\[\]]*+))?\]\]")
_EXTERNAL = re.compile(r"\[(?:https?:)?//[^\s\]]*[ ]?([^\]\n]*)\]")
_MARKUP = re.compile(r"[\[{'&\n*#\ufdd0-\ufddf]|  ")
_BLANKS = re.compile(r"[ \t]+")
_LINES = re.compile(r" ?\n[\s*#:;]*")
PICTURE_NAME = re.compile(r"[^\[\]{}|<>\n]{1,240}\.(?:jpe?g|png|gif|svg|tiff?|webp)\b", re.I)
_PICTURE_FIELD = re.compile(
    r"(?:image|photo|picture|img|bild|imagen|immagine|foto|cover|logo|flag|map|pushpin)", re.I
)


def is_infobox(name: str) -> bool:
    """Whether a template with this name (in lower case) is an infobox."""
    return name.startswith(_PREFIXES) or " infobox" in name


class Infobox(NamedTuple):
    """The contents of one infobox."""

    name: str = ""
    """The template's name as written ("Infobox officeholder"); "" for a page without infobox."""
    fields: tuple[InfoboxField, ...] = ()
    pictures: tuple[tuple[str, str], ...] = ()
    """The pictures, each as (file as written, caption)."""


def read_infobox(inside: str, resolve: Callable[[str], str]) -> Infobox:
    """Reads an infobox from the text inside its template, without tags and comments.

    Args:
        inside: the text between the braces.
        resolve: a function from a raw link target to an article's title or "".
    """
    parts = list(arguments(inside))
    fields: dict[str, InfoboxField] = {}
    files: dict[str, str] = {}
    for part in parts[1:MAX_FIELDS]:
        key, equals, value = part.partition("=")
        key, value = key.strip(), value.strip()
        if not equals or not key or not value or "{" in key or "[" in key:
            continue
        if _PICTURE_FIELD.match(key) and (file := PICTURE_NAME.search(value[:MAX_NAME_CHARS])):
            files.setdefault(file[0].strip(), key)
        targets: list[str] = []
        if text := field_text(value, resolve, targets):
            fields[key] = InfoboxField(name=key, text=text, targets=tuple(dict.fromkeys(targets)))
    captions = {
        name.lower().replace("_", " "): field.text
        for name, field in fields.items()
        if "caption" in name.lower()
    }
    main = next((captions[name] for name in ("caption", "image caption") if name in captions), "")
    pictures = tuple(
        (
            file,
            captions.get(f"{key.lower().replace('_', ' ')} caption", main if number == 0 else ""),
        )
        for number, (file, key) in enumerate(files.items())
    )
    return Infobox(" ".join(parts[0].replace("_", " ").split()), tuple(fields.values()), pictures)


def field_text(
    value: str,
    resolve: Callable[[str], str] = lambda target: target,
    targets: list[str] | None = None,
) -> str:
    """The plain text of a field or caption, on one line. Lines and list items of a field are joined
    by "; ".

    Args:
        value: wikitext without tags and comments.
        resolve: a function from a raw link target to an article's title or "".
        targets: a list to which the titles of the field's links are added, if given.
    """
    if not _MARKUP.search(value):
        return value.strip()
    if "[[" in value:
        if targets is not None:
            targets.extend(t for t in (resolve(m[0]) for m in _LINK.findall(value)) if t)
        value = _LINK.sub(lambda m: m[1].lstrip(": ") if m[2] is None else m[2], value)
    value = expand_templates(value, separator="\n")
    if "[" in value:
        value = _EXTERNAL.sub(r"\1", value).replace("[[", "").replace("]]", "")
    if "''" in value:
        value = value.replace("'''", "").replace("''", "")
    value = _BLANKS.sub(" ", unescape(value).replace("{{", "").replace("}}", ""))
    return restore(_LINES.sub("; ", value.strip().lstrip("*#:; ")).strip("; "))


def is_disambiguation(name: str) -> bool:
    """Whether a template with this name (in lower case) marks a disambiguation page."""
    return name in _DISAMBIGUATION


_DISAMBIGUATION = frozenset(
    """disambiguation disambig disamb dab hndis geodis numberdis letter-numberdis schooldis mathdab roaddis
    shipindex begriffsklärung homonymie desambiguación disambigua doorverwijspagina 消歧义 消歧義""".split()
) | {
    "disambiguation page",
    "human name disambiguation",
    "place name disambiguation",
    "airport disambiguation",
    "hospital disambiguation",
    "letter–number combination disambiguation",
    "disambiguation cleanup",
    "call sign disambiguation",
    "species latin name disambiguation",
}
