"""Turns infobox fields into claims. A field is used only if its name means the same property in
every infobox, and if its value can be read without doubt."""

import json
import re
from collections.abc import Callable, Iterator
from importlib import resources

from questloom.knowledge.dates import dates_in, time_value
from questloom.records.knowledge import Article, Claim, Value, entity_value

_DATA = json.loads(
    resources.files("questloom.transforms.ingest").joinpath("data/infobox.json").read_text()
)
_FIELDS = {
    name: (prop, entry["kind"])
    for prop, entry in _DATA["fields"].items()
    for name in entry["names"]
}
_AGE = re.compile(r"\s*\((?:aged?|age)[^)]*\)|\s*\(\d{4}-\d\d-\d\d\)")
_UNIT = "|".join(sorted(map(re.escape, _DATA["units"]), key=len, reverse=True))
_QUANTITY = re.compile(rf"(\d{{1,3}}(?:,\d{{3}})+|\d+)(\.\d+)? ?({_UNIT})(?: \([^)]*\))?")


def infobox_claims(article: Article, entity_of: Callable[[str], str]) -> Iterator[Claim]:
    """The claims of an article's infobox. The claims are not marked as best, because only the
    caller knows whether better claims exist.

    Args:
        article: the article, with its entity id.
        entity_of: returns the entity of a title, or "".
    """
    name = re.sub(r"^infobox ", "", article.infobox_name.lower())
    if name in _DATA["classes"]:
        yield _claim(article, "P31", entity_value(_DATA["classes"][name]))
    for field in article.infobox:
        prop, kind = _FIELDS.get(field.name.lower().replace("_", " ").strip(), ("", ""))
        if kind == "entity":
            for title in field.targets:
                if entity := entity_of(title):
                    yield _claim(article, prop, entity_value(entity))
        elif (kind == "time" and (value := read_date(field.text))) or (
            kind == "quantity" and (value := read_quantity(field.text))
        ):
            yield _claim(article, prop, value)


def _claim(article: Article, prop: str, value: Value) -> Claim:
    return Claim(
        subject=article.entity_id,
        property=prop,
        value=value,
        best=False,
        source="infobox",
        revision=article.revision,
    )


def read_date(text: str) -> Value | None:
    """The date of a text that holds only a date and perhaps an age; None for other texts ("c.
    1850", "1850 or 1851").

    >>> read_date("12 March 1850 (aged 60)").time
    '+1850-03-12T00:00:00Z'
    """
    text = _AGE.sub("", text).strip().title()  # cells write "12 march 1850" and "MARCH 1850" too
    match dates_in(text, "plain"):
        case [(date, 0, end)] if end == len(text):
            return time_value(date)
        case _:
            return None


def read_quantity(text: str) -> Value | None:
    """A number with a metric unit, perhaps with a conversion in parentheses; None for any other
    text.

    >>> read_quantity("31.5 m (103 ft)").number
    31.5
    """
    match = _QUANTITY.fullmatch(text.replace("\u00a0", " ").strip())
    if not match:
        return None
    return Value(
        kind="quantity",
        number=float(match[1].replace(",", "") + (match[2] or "")),
        unit=_DATA["units"][match[3]],
    )
