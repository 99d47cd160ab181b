"""Reads entities with claims, and property definitions, from Wikidata JSON dumps (plain, bz2, gz; one entity per line)
and Special:EntityData files.

Source of the format: https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html
"""

import math
import re
from collections.abc import Iterator
from typing import Any

import orjson

from questloom.knowledge.dates import coarsened, dates_of
from questloom.knowledge.readers.byte_ranges import ByteRange
from questloom.knowledge.readers.pieces import Window
from questloom.knowledge.readers.rejections import reject
from questloom.records.knowledge import (
    RANKS,
    Claim,
    Entity,
    PropertyInfo,
    Qualifier,
    Redirect,
    Value,
)
from questloom.records.names import codes_of, names_by_language
from questloom.records.outcomes import Reason, Rejection
from questloom.records.periods import (
    DAY,
    JULIAN,
    MONTH,
    YEAR,
    date_of_day,
    day_number,
    key_of_time,
    parts_of,
    time_of,
    years_after,
)

MAX_LINE_BYTES = 256 << 20
"""Maximum length of a line in an undamaged file; Wikidata's largest entities have a few MB."""
WIKI = "wikidatawiki"
START_TIME, END_TIME = "P580", "P582"

Item = tuple[Entity, tuple[Claim, ...]]
_TIME = re.compile(r"[+-]\d{1,16}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
_TEXT_KINDS = {"commonsMedia": "commons_media", "url": "url", "external-id": "external_id"}
_PICTURE = "P18"
_SINGLE_VALUE, _SINGLE_BEST_VALUE = "Q19474404", "Q52060874"
_ONE, _EARTH = "Q199", "Q2"
"""In Wikidata's JSON, a number without a unit has the unit Q199 ("1"), and a place on Earth has the
globe Q2. A `Value` names neither Q199 nor Q2."""


def read_entities(
    part: ByteRange, *, snapshot: str, languages: tuple[str, ...] = (), keep_partial: bool = False
) -> Iterator[Item | PropertyInfo | Redirect | Rejection]:
    """Reads the entities on the lines of a range.

    Args:
        part: a range of `plan_ranges`.
        snapshot: a day ("2026-01-31"); a claim counts as a best claim only if it holds on this day.
        languages: languages of the labels, descriptions and aliases to keep; () keeps all.
        keep_partial: whether damaged places become rejections and the rest is read; if not, a
            damaged place raises an InputError.

    Raises:
        InputError: the data are damaged or truncated; the message names the place. If a line is not
            JSON, the result is a rejection (bad_entity), not an error.
    """
    window = Window(part)
    for line, index, is_last in _lines(window, part.start == 0, keep_partial):
        if isinstance(line, Rejection):
            yield line
            continue
        text = line.strip()
        if text in (b"", b"[", b"]"):
            continue
        try:
            data = orjson.loads(text.removesuffix(b","))
        except orjson.JSONDecodeError as error:
            if is_last and text.startswith(b"{") and not keep_partial:
                raise window.error(
                    index, "the file ends within the entity that begins here"
                ) from error
            yield _rejection(
                window.place(index), f"no JSON ({error})", text[:80].decode("utf-8", "replace")
            )
            continue
        yield from parse_entities(data, snapshot=snapshot, languages=languages)
        if is_last and text.endswith(b","):
            if not keep_partial:
                raise window.error(index, "the file ends after a comma, before the next entity")
            yield _rejection(window.place(index), "the file ends after a comma", "")


def _lines(
    window: Window, first: bool, keep_partial: bool
) -> Iterator[tuple[bytes | Rejection, int, bool]]:
    """Yields (line, index of the line in the window, whether the line is the last of the file). A
    line belongs to the range that contains the newline before the line."""
    pos, seen, begun = 0, 0, first
    while True:
        end = window.data.find(b"\n", seen)
        if end == -1 and not window.ended and (window.in_range or (begun and pos <= window.owned)):
            seen = len(window.data)
            what = window.more()
            if not what and len(window.data) - pos > MAX_LINE_BYTES:
                what = f"a line has more than {MAX_LINE_BYTES:,} bytes"
            if what:
                if not keep_partial:
                    raise window.error(pos, what)
                yield _rejection(window.place(pos), what, ""), pos, False
                window.drop(len(window.data))
                pos, seen, begun = 0, 0, False
            continue
        if end == -1 and not window.ended:
            return
        if begun and (pos <= window.owned):
            line = window.data[pos:end] if end != -1 else window.data[pos:]
            yield line, pos, window.ended and not window.data[pos + len(line) :].strip()
        if end == -1 or end >= window.owned:
            return
        pos = seen = end + 1
        begun = True
        if pos > 1 << 22:
            window.drop(pos)
            pos = seen = 0


def _rejection(where: str, what: str, shown: str) -> Rejection:
    return reject(
        Reason.BAD_ENTITY,
        "EntityLine",
        where,
        evidence={"where": where, "what": what[:200]},
        title=shown,
    )


def parse_entities(
    data: Any, *, snapshot: str, languages: tuple[str, ...] = ()
) -> Iterator[Item | PropertyInfo | Redirect | Rejection]:
    """Reads the entities of one JSON value: an entity, a redirect, or `{"entities": {…}}` of Special:EntityData."""
    if isinstance(data, dict) and isinstance(data.get("entities"), dict):
        for asked, entity in data["entities"].items():
            if (
                isinstance(entity, dict) and entity.get("id", asked) != asked
            ):  # the requested id is a redirect
                yield Redirect(wiki=WIKI, title=asked, target=entity["id"])
            yield parse_entity(entity, snapshot=snapshot, languages=languages)
    else:
        yield parse_entity(data, snapshot=snapshot, languages=languages)


def parse_entity(
    data: Any, *, snapshot: str, languages: tuple[str, ...] = ()
) -> Item | PropertyInfo | Redirect | Rejection:
    """Reads one entity of the dump: an item with its claims, a property's definition, a redirect, or a rejection."""
    name = str(data.get("id", "")) if isinstance(data, dict) else ""
    try:
        if isinstance(data, dict) and "redirect" in data:
            return Redirect(wiki=WIKI, title=str(data["entity"]), target=str(data["redirect"]))
        if not isinstance(data, dict) or not re.fullmatch(r"[QP]\d+", name):
            raise ValueError(
                f"type {data['type']}"
                if isinstance(data, dict) and "type" in data
                else "no entity with an id"
            )
        if "missing" in data:
            raise ValueError("missing")
        statements = data.get("claims") or {}
        if name.startswith("P"):
            return _property(data, name, statements)
        claims = _claims(name, statements, int(data.get("lastrevid") or 0), snapshot)
        labels, aliases = names_by_language(
            _texts(data, "labels", languages), _aliases(data, languages), languages
        )
        descriptions, _ = names_by_language(_texts(data, "descriptions", languages), {}, languages)
        return Entity(
            id=name,
            labels=labels,
            descriptions=descriptions,
            aliases=aliases,
            sitelinks={k: v["title"] for k, v in (data.get("sitelinks") or {}).items()},
            num_statements=sum(len(v) for v in statements.values()) if statements else 0,
            classes=tuple(
                dict.fromkeys(
                    c.value.entity
                    for c in claims
                    if c.property == "P31" and c.best and c.value.kind == "entity"
                )
            ),
            picture_files=tuple(
                dict.fromkeys(
                    c.value.text.replace("_", " ")
                    for c in claims
                    if c.property == _PICTURE and c.best and c.value.text
                )
            ),
            revision=int(data.get("lastrevid") or 0),
        ), claims
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        return reject(
            Reason.BAD_ENTITY,
            "Entity",
            name or repr(data)[:200],
            title=name,
            evidence={"id": name, "what": f"{type(error).__name__}: {error}"[:200]},
        )


def _texts(data: dict, key: str, languages: tuple[str, ...]) -> dict[str, str]:
    codes = {code for language in languages for code in codes_of(language)}
    return {k: v["value"] for k, v in (data.get(key) or {}).items() if not codes or k in codes}


def _aliases(data: dict, languages: tuple[str, ...]) -> dict[str, list[str]]:
    codes = {code for language in languages for code in codes_of(language)}
    found = (data.get("aliases") or {}).items()
    return {k: [a["value"] for a in v] for k, v in found if v and (not codes or k in codes)}


def _claims(subject: str, statements: dict, revision: int, snapshot: str) -> tuple[Claim, ...]:
    """Returns the statements of an entity as claims, in the dump's order. If two statements are
    equal, the first is kept."""
    found: dict[tuple, Claim] = {}
    for prop, group in statements.items():
        ranks = {s.get("rank", "normal") for s in group}
        best_rank = "preferred" if "preferred" in ranks else "normal"
        for statement in group:
            rank = statement.get("rank", "normal")
            if rank not in RANKS:
                raise ValueError(f"rank {rank!r}")
            qualifiers = tuple(
                Qualifier(property=p, value=read_value(q))
                for p, snaks in (statement.get("qualifiers") or {}).items()
                for q in snaks
            )
            value = read_value(statement["mainsnak"])
            key = (prop, value.key(), rank, tuple((q.property, q.value.key()) for q in qualifiers))
            if key not in found:
                found[key] = Claim(
                    subject=subject,
                    property=prop,
                    value=value,
                    rank=rank,
                    qualifiers=qualifiers,
                    revision=revision,
                    statement=statement.get("id", ""),
                    best=rank == best_rank and holds_at(qualifiers, snapshot),
                )
    return tuple(found.values())


def holds_at(qualifiers: tuple[Qualifier, ...], day: str) -> bool:
    """Whether a statement with given qualifiers holds on a day. The statement's start (P580) must
    not be later than the day, and its end (P582) must not be earlier.

    An unknown end (somevalue) counts as an end in the past. If the end states only a year or a
    month, the statement holds until this year or month is over.
    """
    for qualifier in qualifiers:
        value = qualifier.value
        if qualifier.property == END_TIME and (
            value.kind == "somevalue" or (value.kind == "time" and _compare(value, day) < 0)
        ):
            return False
        if qualifier.property == START_TIME and value.kind == "time" and _compare(value, day) > 0:
            return False
    return True


def _compare(value: Value, day: str) -> int:
    """Returns -1, 0 or 1 if the period of a time lies before a day, contains the day, or lies after
    the day. The day must be AD."""
    first, last = dates_of(value)[-1].span
    return (first > parts_of(f"+{day}")) - (last < parts_of(f"+{day}"))


def read_value(snak: dict) -> Value:
    """The value of a snak, which is the main value or a qualifier of a statement. An invalid value,
    such as a date in month 13, becomes a somevalue (a value that is not known)."""
    if snak["snaktype"] != "value":
        return Value(kind=snak["snaktype"])
    value, kind = snak["datavalue"]["value"], snak["datavalue"]["type"]
    match kind:
        case "wikibase-entityid":
            letter = {"item": "Q", "property": "P", "lexeme": "L"}.get(value.get("entity-type"), "")
            return Value(kind="entity", entity=value.get("id") or f"{letter}{value['numeric-id']}")
        case "string":
            datatype = snak.get("datatype") or (
                "commonsMedia" if snak.get("property") == _PICTURE else ""
            )
            return Value(kind=_TEXT_KINDS.get(datatype, "string"), text=value)
        case "monolingualtext":
            return Value(kind="monolingual", text=value["text"], language=value["language"])
        case "quantity":
            return make_quantity(
                value["amount"], value["unit"], value.get("lowerBound"), value.get("upperBound")
            )
        case "time":
            return _surely(
                make_time(value["time"], int(value["precision"]), value.get("calendarmodel") or ""),
                int(value.get("before") or 0),
                int(value.get("after") or 0),
            )
        case "globecoordinate":
            return make_coordinate(
                float(value["latitude"]), float(value["longitude"]), value.get("globe") or ""
            )
        case _:
            return Value(kind="somevalue")


def make_quantity(
    amount: str, unit: str, lower: str | None = None, upper: str | None = None
) -> Value:
    """Reads a quantity, with its bounds if they differ from the amount. If a number in the quantity
    is malformed, the result is a somevalue."""
    number, least, most = (
        float(x or amount) + 0.0 for x in (amount, lower, upper)
    )  # turns -0 into 0
    if not math.isfinite(number):
        return Value(kind="somevalue")
    unit = unit.rpartition("/")[2]
    value = Value(kind="quantity", number=number, unit="" if unit in ("1", _ONE) else unit)
    return (
        value.replace(lower=least, upper=most)
        if least < most and math.isfinite(most - least)
        else value
    )


def make_coordinate(latitude: float, longitude: float, globe: str) -> Value:
    """Reads a place on a globe; if the place is impossible, the result is a somevalue."""
    globe = globe.rpartition("/")[2]
    if not (abs(latitude) <= 90 and abs(longitude) <= 360):
        return Value(kind="somevalue")
    return Value(
        kind="coordinate",
        latitude=latitude,
        longitude=longitude,
        unit="" if globe == _EARTH else globe,
    )


def make_time(time: str, precision: int, calendar: str = "") -> Value:
    """Reads a time value; if the date is impossible, the result is a somevalue. If the month or day
    of the date is missing (month 00), the precision is lowered to match.

    As in the query service, the calendar is kept only if the precision is a day. For a month, a
    year or a longer period, the calendar is dropped, because the day is unknown that would shift in
    another calendar.
    """
    if not _TIME.match(time):
        return Value(kind="somevalue")
    year, month, day = parts_of(time)
    if year == 0 or month > 12 or day > 31:
        return Value(kind="somevalue")
    precision = min(precision, YEAR if month == 0 else MONTH if day == 0 else DAY)
    return Value(
        kind="time",
        time=time_of(year, month, day),
        precision=precision,
        unit=JULIAN if calendar.endswith(JULIAN) and precision == DAY else "",
    )


def _surely(value: Value, before: int, after: int) -> Value:
    """Returns a time without its uncertainty, with the finest precision at which the time is still
    certain.

    `before` and `after` are the uncertainty in units of the time's precision.

    Example: for "1850, up to 10 years later", only the century is certain.
    """
    if value.kind != "time" or not (before or after):
        return value
    ends = [_shifted(value, -before), _shifted(value, after)]
    sure = (
        p
        for p in range(value.precision, -1, -1)
        if len({key_of_time(*end, p) for end in ends}) == 1
    )
    precision = next(sure, None)
    return Value(kind="somevalue") if precision is None else coarsened(value, precision)


def _shifted(value: Value, units: int) -> tuple[int, int, int]:
    """Returns the year, month and day of a time after a shift by `units` units of its precision."""
    year, month, day = parts_of(value.time)
    if value.precision == DAY:
        return date_of_day(day_number(year, month, 1) + day - 1 + units)
    if value.precision == MONTH:
        years, month = divmod(month - 1 + units, 12)
        return years_after(year, years), month + 1, 0
    return years_after(year, units * 10 ** (YEAR - value.precision)), 0, 0


def _property(data: dict, name: str, statements: dict) -> PropertyInfo:
    """Reads the definition of a property: its single-value constraints with their exceptions, how
    much its values change, and how complete they are expected to be."""
    kinds, separators, exceptions = set(), dict[str, None](), dict[str, None]()
    for statement in statements.get("P2302", ()):
        kind = read_value(statement["mainsnak"]).entity
        if kind in (_SINGLE_VALUE, _SINGLE_BEST_VALUE) and statement.get("rank") != "deprecated":
            kinds.add(kind)
            qualifiers = statement.get("qualifiers") or {}
            separators.update((read_value(q).entity, None) for q in qualifiers.get("P4155", ()))
            exceptions.update((read_value(q).entity, None) for q in qualifiers.get("P2303", ()))

    def advice(prop: str) -> str:
        group = sorted(
            (s for s in statements.get(prop, ()) if s.get("rank") != "deprecated"),
            key=lambda s: s.get("rank") != "preferred",
        )
        return read_value(group[0]["mainsnak"]).entity if group else ""

    labels, _ = names_by_language(_texts(data, "labels", ()), {}, ())
    return PropertyInfo(
        id=name,
        labels=labels,
        datatype=data.get("datatype", ""),
        single_value=_SINGLE_VALUE in kinds,
        single_best_value=_SINGLE_BEST_VALUE in kinds,
        separators=tuple(x for x in separators if x),
        exceptions=tuple(x for x in exceptions if x),
        stability=advice("P2668"),
        expected_completeness=advice("P2429"),
    )
