"""Records that readers produce and the store holds: articles, entities, claims, pictures."""

import builtins
import functools
from dataclasses import dataclass, field

from questloom.records.identity import canonical_json, record_id
from questloom.records.names import codes_of, label_in
from questloom.records.periods import (
    DAY,
    JULIAN,
    YEAR,
    key_of_time,
    parts_of,
    time_of_key,
    to_gregorian,
)
from questloom.records.table import Json, Record

CACHED = 131_072
"""Values kept that are things: each is made thousands of times, and an equal one serves as well."""
VALUE_KINDS = (
    "entity",
    "time",
    "quantity",
    "string",
    "monolingual",
    "coordinate",
    "url",
    "external_id",
    "commons_media",
    "somevalue",
    "novalue",
)
RANKS = ("preferred", "normal", "deprecated")
SOURCES = ("wikidata", "infobox", "text")
DOMAINS = ("person", "building_or_place", "location", "organism", "artifact")
"""The five coarse domains of OpenSearch-VL. An entity outside all five has the domain "other"."""
TOPICS = (
    "math",
    "news",
    "geography",
    "sports",
    "history",
    "life",
    "arts",
    "science",
    "business",
    "politics",
    "entertainment",
)
"""ODE's eleven domains."""


@dataclass(frozen=True, kw_only=True)
class Value(Record):
    """One typed value of a claim, as in Wikidata's JSON data model.

    Only the fields of the value's kind are filled, as follows: `entity` (QID); `text` (string, monolingual, url,
    external_id, commons_media); `number` (quantity); `time` and `precision` (ISO 8601 with sign, see
    `questloom.records.periods`); `latitude` and `longitude` (coordinate).
    """

    kind: str
    entity: str = ""
    text: str = ""
    language: str = ""
    number: float | None = None
    unit: str = ""
    """The Wikidata id of a quantity's unit, a day's calendar or a coordinate's globe.

    The id is "" for a bare number, for the Gregorian calendar and for the Earth."""
    time: str = ""
    precision: int = 0
    latitude: float | None = None
    longitude: float | None = None
    lower: float | None = None
    """The lowest value that an inexact quantity can have; None if the claim states no bounds."""
    upper: float | None = None

    def __hash__(self) -> int:
        return hash((self.kind, self.entity, self.text, self.number, self.time))

    def key(self) -> str:
        """A string that is equal for equal values; claims are indexed by (property, key).

        A day in the Julian calendar has the key of its Gregorian day, and a longer time has the key of its period. The
        precision of a quantity is not part of the key.
        """
        return self.entity if self.kind == "entity" else self._key

    @functools.cached_property
    def _key(self) -> str:
        """Kept in the value: a margin compares the same values thousands of times."""
        match self.kind:
            case "time":
                return key_of_time(*self.gregorian, self.precision)
            case "quantity":
                return f"quantity:{self.number:.12g}:{self.unit}"
            case "coordinate":
                assert self.latitude is not None and self.longitude is not None
                east = (
                    self.longitude
                    if -180 <= self.longitude < 180
                    else (self.longitude + 180) % 360 - 180
                )
                place = ",".join(
                    f"{round(degrees, 5) + 0.0:.5f}" for degrees in (self.latitude, east)
                )
                return f"coordinate:{place}" + (f":{self.unit}" if self.unit else "")
            case "somevalue" | "novalue":
                return self.kind
            case _:
                return f"{self.kind}:{self.language}:{self.text}"

    @property
    def gregorian(self) -> tuple[int, int, int]:
        """Year (negative before Christ), month and day of a time. A Julian day is converted to the Gregorian
        calendar."""
        parts = parts_of(self.time)
        return to_gregorian(*parts) if self.unit == JULIAN and self.precision >= DAY else parts

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest value that a quantity can have."""
        number = self.number or 0.0
        return (
            (number, number)
            if self.lower is None or self.upper is None
            else (self.lower, self.upper)
        )

    @property
    def year(self) -> int | None:
        """The year of a time whose precision is a year or finer; else None."""
        return parts_of(self.time)[0] if self.kind == "time" and self.precision >= YEAR else None


@functools.lru_cache(CACHED)
def entity_value(qid: str) -> Value:
    """Makes the value whose entity is `qid`."""
    return Value(kind="entity", entity=qid)


def value_of_key(key: str) -> Value:
    """Makes the value that has this key. A period gets its first time; a field that the key does not contain is zero.

    >>> value_of_key("time:+1832/9").time, value_of_key("time:+18/7").time
    ('+1832-00-00T00:00:00Z', '+1801-00-00T00:00:00Z')
    """
    kind, _, rest = key.partition(":")
    if kind in ("somevalue", "novalue"):
        return Value(kind=kind)
    if kind == "time":
        time, precision = time_of_key(key)
        return Value(kind="time", time=time, precision=precision)
    if kind == "quantity":
        number, _, unit = rest.partition(":")
        return Value(kind="quantity", number=float(number), unit=unit)
    if kind == "coordinate":
        place, _, globe = rest.partition(":")
        latitude, longitude = place.split(",")
        return Value(
            kind="coordinate", latitude=float(latitude), longitude=float(longitude), unit=globe
        )
    if kind in VALUE_KINDS:
        language, _, text = rest.partition(":")
        return Value(kind=kind, language=language, text=text)
    return entity_value(key)


@dataclass(frozen=True, kw_only=True)
class Qualifier(Record):
    """A qualifier of a claim: a property id and a value."""

    property: str
    value: Value


@dataclass(frozen=True, kw_only=True)
class Claim(Record):
    """One statement about a thing: subject, property, value.

    `best` is true if the statement has the best rank of its property and holds on the snapshot's date. The certificate
    uses only best claims. `revision` is the revision of the entity (source wikidata) or of the page (source infobox or
    text).
    """

    subject: str
    property: str
    value: Value
    rank: str = "normal"
    best: bool = True
    qualifiers: tuple[Qualifier, ...] = ()
    source: str = "wikidata"
    revision: int = 0
    statement: str = ""
    """Wikidata's id of the statement; "" if the dump has none."""

    def __hash__(self) -> int:
        return hash((self.subject, self.property, self.value))

    @functools.cached_property
    def id(self) -> str:
        """The id of a claim: a hash of what the claim states. If two readers read the same statement, they therefore
        give the same id."""
        return record_id(
            "Claim",
            self.subject,
            self.property,
            self.value.key(),
            self.rank,
            self.source,
            canonical_json([[q.property, q.value.key()] for q in self.qualifiers]),
        )


@dataclass(frozen=True, kw_only=True)
class Popularity(Record):
    """How well known an item is, as a popularity file states it. If the file lacks a figure, the value is None."""

    sitelinks: int | None = None
    """Number of wikis that have a page about the item."""
    page_views: int | None = None


@dataclass(frozen=True, kw_only=True)
class Entity(Record):
    """A Wikidata item, or an entity that was made for an article without an item (id `wiki:title`)."""

    id: str
    labels: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    sitelinks: dict[str, str] = field(default_factory=dict)
    """A dict from the wiki's name ("enwiki") to the page's title."""
    num_statements: int = 0
    classes: tuple[str, ...] = ()
    """Best values of P31 (instance of)."""
    class_closure: tuple[str, ...] = ()
    """The entity's classes and all their superclasses by P279 (subclass of), sorted; ingest fills this field."""
    domain: str = "other"
    topic: str = ""
    picture_files: tuple[str, ...] = ()
    """Best values of P18 (image): names of files on Commons, without the namespace."""
    in_degree: int = 0
    """Number of distinct articles that link to the entity's article; ingest fills this field."""
    revision: int = 0
    merged_ids: tuple[str, ...] = ()
    """Ids that redirect to this entity."""
    popularity: Popularity | None = None
    """The entity's figures in the popularity file; None if there is no file or the file lacks the entity."""

    @property
    def num_sitelinks(self) -> int:
        """Number of wikis with a page about the entity: the higher of the dump's count and the popularity file's
        count."""
        stated = self.popularity.sitelinks if self.popularity else None
        return max(len(self.sitelinks), stated or 0)

    def label(self, language: str = "en") -> str:
        """The label in a language, else the English label, else the first label, else the id."""
        return label_in(self.labels, language) or next(iter(self.labels.values()), self.id)

    def description(self, language: str) -> str:
        """The description in a language, else the English one, else ""."""
        return label_in(self.descriptions, language)

    def other_names(self, language: str) -> tuple[str, ...]:
        """The aliases in a language, without duplicates."""
        return tuple(
            dict.fromkeys(
                alias for code in codes_of(language) for alias in self.aliases.get(code, ())
            )
        )

    def names(self, languages: tuple[str, ...]) -> tuple[str, ...]:
        """Labels, aliases and titles in the given languages, sorted, without duplicates; used to check for leaks."""
        found = {self.labels.get(code, "") for x in languages for code in codes_of(x)}
        found.update(alias for x in languages for alias in self.other_names(x))
        found.update(self.sitelinks.get(f"{x}wiki", "") for x in languages)
        return tuple(sorted(found - {""}))


@dataclass(frozen=True, kw_only=True)
class PropertyInfo(Record):
    """The parts of a property's definition that the certificate uses."""

    id: str
    labels: dict[str, str] = field(default_factory=dict)
    datatype: str = ""
    single_value: bool = False
    """Whether the property has a single-value constraint (P2302 Q19474404) that is not deprecated."""
    single_best_value: bool = False
    """Whether the property has a single-best-value constraint (P2302 Q52060874) that is not deprecated."""
    separators: tuple[str, ...] = ()
    """Qualifiers that make several values legitimate (P4155 of the constraint)."""
    exceptions: tuple[str, ...] = ()
    """Entities that are exempt from the constraint (P2303 of the constraint)."""
    stability: str = ""
    """How often values of the property change (P2668): the Wikidata id of the class "never", "rarely" or
    "frequently"."""
    expected_completeness: str = ""
    """How complete the property's data are expected to be (P2429)."""

    def label(self, language: str = "en") -> str:
        """The label in a language, else the English label, else the id."""
        return label_in(self.labels, language) or self.id


@dataclass(frozen=True, kw_only=True)
class PropertyProfile(Record):
    """How the instances of one class use one property. The best claims are counted in one pass over the store.

    `class_id` is a direct class of the counted subjects; "" stands for all subjects together.
    """

    property: str
    class_id: str = ""
    num_instances: int = 0
    """Number of entities of the class in the store."""
    num_subjects: int = 0
    """Number of instances with at least one best claim that uses the property."""
    num_pairs: int = 0
    """Number of distinct (subject, value) pairs; an unknown value (somevalue) counts as one value."""
    num_values: int = 0
    """Number of distinct values of the property."""
    num_dated: int = 0
    """Number of subjects with a best claim that says when it holds (P580, P582, P585)."""
    num_commonest: int = 0
    """Number of subjects that have the commonest value; dates in the same year count as one value. The number shows how
    often a guess of the commonest value is right."""

    @builtins.property
    def functionality(self) -> float:
        """Subjects ÷ pairs; the quotient is 1.0 if every subject has exactly one value."""
        return self.num_subjects / self.num_pairs if self.num_pairs else 0.0

    @builtins.property
    def coverage(self) -> float:
        """Subjects ÷ instances; the quotient is 1.0 if every instance has the property."""
        return self.num_subjects / self.num_instances if self.num_instances else 0.0


@dataclass(frozen=True, kw_only=True)
class Section(Record):
    """The text of a section, without markup. The first section of an article has level 1 and title ""."""

    title: str
    level: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Link(Record):
    """A link in the body text, with the sentence that contains it. Offsets count characters in the section's text."""

    target: str
    """Normalised title of the target page; ingest follows redirects."""
    anchor: str
    section: int
    """Index of the section in the article."""
    sentence_start: int
    sentence_end: int


@dataclass(frozen=True, kw_only=True)
class InfoboxField(Record):
    """One filled parameter of an infobox: its name, its plain text, and the titles to which it links."""

    name: str
    text: str
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ArticlePicture(Record):
    """A picture in an article: its Commons file name (or ZIM path) and its caption."""

    file: str
    caption: str = ""
    in_infobox: bool = False


@dataclass(frozen=True, kw_only=True)
class Article(Record):
    """One page of the main namespace, as the readers extract it."""

    wiki: str
    title: str
    page_id: int
    revision: int
    timestamp: str = ""
    entity_id: str = ""
    """The id of the page's Wikidata item, from a sitelink or wikibase_item, or else `wiki:title`; ingest fills this
    field."""
    sections: tuple[Section, ...] = ()
    links: tuple[Link, ...] = ()
    infobox_name: str = ""
    infobox: tuple[InfoboxField, ...] = ()
    pictures: tuple[ArticlePicture, ...] = ()
    categories: tuple[str, ...] = ()
    redirects: tuple[str, ...] = ()
    """Titles that redirect to this page; ingest fills this field."""
    in_degree: int = 0
    item: str = ""
    """The page's property wikibase_item; "" if the reader found none."""

    @property
    def id(self) -> str:
        return record_id("Article", self.wiki, self.page_id, self.revision)

    @property
    def lead(self) -> str:
        return self.sections[0].text if self.sections else ""

    def sentence(self, link: Link) -> str:
        """The sentence that contains a link."""
        return self.sections[link.section].text[link.sentence_start : link.sentence_end]


@dataclass(frozen=True, kw_only=True)
class Redirect(Record):
    """A page that only points to another page. The titles of both pages are in normal form.

    Several pages may have the same title; `revision` and `timestamp` (as in `Article`) show which of them is the
    newest. If a source has no versions, the values are 0 and "". The identity of the redirect does not depend on
    `revision` and `timestamp`.
    """

    wiki: str
    title: str
    target: str
    revision: int = field(default=0, compare=False)
    timestamp: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True)
class Detail(Record):
    """Something visible in a picture, as Commons' structured data states it.

    A detail comes from a statement about the picture's file. P1684 (inscription) gives `property` P1684 and a text.
    P180 (depicts) with a qualifier (P1114 quantity, P462 colour) gives three fields: the class of the depicted thing in
    `part`, the qualifier's property, and its value. `box` is (left, top, width, height) in per cent, from P2677.
    """

    property: str
    value: Value
    part: str = ""
    """The Wikidata id of the depicted part (a plaque, an arch, a band); "" if the statement names no part."""
    part_label: str = ""
    box: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ImageAsset(Record):
    """A picture with its source, licence and author. The store keeps the picture's bytes and vector outside this
    record.

    If the licence is unknown, the field is ""; no default value is ever used.
    """

    id: str
    """The sha256 of the source file's bytes, 64 hex digits."""
    file: str
    """Commons file name without namespace, or the path inside the ZIM file or folder."""
    mime: str
    width: int
    height: int
    num_bytes: int
    licence: str = ""
    """Short name of the licence as the source states it ("CC BY-SA 4.0", "Public domain"); "" if unknown."""
    licence_url: str = ""
    author: str = ""
    """The person to credit: in the page's own words if the page asks for a wording, else the author."""
    credit: str = ""
    source_page: str = ""
    description: str = ""
    categories: tuple[str, ...] = ()
    depicts: tuple[str, ...] = ()
    """The Wikidata ids that P180 (depicts) names."""
    entity_ids: tuple[str, ...] = ()
    """Entities whose image (P18), infobox or article shows the picture, sorted; ingest fills this field."""
    details: tuple[Detail, ...] = ()
    perceptual_hash: str = ""
    repository: str = ""
    """"shared" for Commons, "local" for a wiki's own upload (refused, because it may be fair use), "" if unknown."""


@dataclass(frozen=True, kw_only=True)
class Passage(Record):
    """A piece of an article that text search can find."""

    id: str
    article_id: str
    entity_id: str
    title: str
    section: int
    text: str
    start: int = 0
    """Position of the passage in its section, in characters."""
    extra: Json = Json(None)
