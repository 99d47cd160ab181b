"""The facts that only an entity's pictures show: years on plaques, inscriptions, numbers."""

import re

from questloom.records.knowledge import Detail, ImageAsset, Value
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.remembered import remembered

INSCRIPTION = "P1684"
SHOWN_ON_PAGE = 4
"""Maximum number of pictures of a page that a reader of the page sees."""

_YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-2][0-9])(?!\d)")


def reading_value(detail: Detail) -> Value:
    """The value of a detail. For an inscription with exactly one year, the value is the year."""
    if detail.value.kind in ("string", "monolingual"):
        years = _YEAR.findall(detail.value.text)
        if len(set(years)) == 1:
            return Value(kind="time", time=f"+{years[0]}-00-00T00:00:00Z", precision=9)
    return detail.value


@remembered()
def readings(facts: Facts, entity_id: str, property: str, part: str) -> tuple[Value, ...]:
    """The values of one kind of detail over all pictures of an entity, without duplicates, in a fixed order."""
    found: dict[str, Value] = {}
    for image in facts.images_of(entity_id):
        for detail in image.details:
            if (detail.property, detail.part) == (property, part):
                value = reading_value(detail)
                found[value.key()] = value
    return tuple(found[key] for key in sorted(found))


def year_readings(facts: Facts, entity_id: str) -> list[Detail]:
    """Details of an entity's pictures that give a year, with the year as their value, in a fixed order.

    A detail that two pictures state differently could be read in two ways, so it is left out.
    """
    return [detail for detail in sure_readings(facts, entity_id) if detail.value.year is not None]


def sure_readings(facts: Facts, entity_id: str) -> list[Detail]:
    """Details on which all pictures of an entity agree, each with its value, in a fixed order."""
    kinds = sorted(
        {
            (d.property, d.part): d for image in facts.images_of(entity_id) for d in image.details
        }.items(),
        key=lambda k: k[0],
    )
    found = [
        (detail, readings(facts, entity_id, property, part)) for (property, part), detail in kinds
    ]
    return [detail.replace(value=values[0]) for detail, values in found if len(values) == 1]


def pictures_on_page(facts: Facts, entity_id: str) -> tuple[ImageAsset, ...]:
    """The pictures that a reader of the thing's page sees; () where the thing has no page, or its
    page has too many pictures to show."""
    images = facts.images_of(entity_id)
    has_page = facts.article(entity_id) is not None
    return images if has_page and len(images) <= SHOWN_ON_PAGE else ()


@remembered()
def later_readings(facts: Facts, entity_id: str) -> tuple[Detail, ...]:
    """Details on which all pictures of a thing's page agree and which the page's text does not
    state, in a fixed order. To learn a detail that the text does not state, a solver must look at
    the pictures."""
    shown = pictures_on_page(facts, entity_id)
    article = facts.article(entity_id)
    if article is None or not shown:
        return ()
    said = " ".join((*(s.text for s in article.sections), *(f.text for f in article.infobox)))
    words = set(re.findall(r"\w+", said.lower()))

    def is_said(value: Value) -> bool:
        written = str(value.year) if value.year is not None else value.text
        return set(re.findall(r"\w+", written.lower())) <= words

    return tuple(
        d
        for d in sure_readings(facts, entity_id)
        if d.property == INSCRIPTION and not is_said(d.value)
    )
