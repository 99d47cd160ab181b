"""Records that the readers of dumps produce and the store holds: articles, entities, claims,
pictures."""

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
"""Number of entity values that a cache keeps. One cached value can stand for the thousands of equal
values that occur."""
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
"""The five coarse domains of OpenSearch-VL. Any other entity has the domain "other"."""
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
"""The eleven topics of ODE."""


@dataclass(frozen=True, kw_only=True)
class Value(Record):
    """One typed value of a claim, as in Wikidata's JSON data model.

    `kind` decides which fields are filled:

    * entity: `entity`, the Wikidata id.
    * string, monolingual, url, external_id, commons_media: `text`.
    * quantity: `number`.
    * time: `time` (ISO 8601 with sign) and `precision`; see `questloom.records.periods`.
    * coordinate: `latitude` and `longitude`.
    """

    kind: str
    entity: str = ""
    text: str = ""
    language: str = ""
    number: float | None = None
    unit: str = ""
    """The Wikidata id of a quantity's unit, of a day's calendar, or of a coordinate's globe; "" for
    a quantity without a unit, for the Gregorian calendar, and for the Earth."""
    time: str = ""
    precision: int = 0
    latitude: float | None = None
    longitude: float | None = None
    lower: float | None = None
    """The lowest value that an inexact quantity can have; None if the claim gives no bounds."""
    upper: float | None = None

    def __hash__(self) -> int:
        return hash((self.kind, self.entity, self.text, self.number, self.time))

    def key(self) -> str:
        """A string that is the same for equal values; the store finds claims by (property, key).

        A day in the Julian calendar has the key of the same day in the Gregorian calendar. A time
        that is less exact than a day has the key of its period. The key of a quantity does not
        contain the quantity's bounds.
        """
        return self.entity if self.kind == "entity" else self._key

    @functools.cached_property
    def _key(self) -> str:
        """The value's key, which is computed once and then kept, since keys are compared thousands
        of times."""
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
        """Year, month and day of a time; the year is negative before Christ. A Julian day is
        converted to the Gregorian calendar."""
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
        """The year of a time that is exact to a year or better; else None."""
        return parts_of(self.time)[0] if self.kind == "time" and self.precision >= YEAR else None


@functools.lru_cache(CACHED)
def entity_value(qid: str) -> Value:
    """Makes the value whose entity is `qid`."""
    return Value(kind="entity", entity=qid)


def value_of_key(key: str) -> Value:
    """Makes the value that has a given key (see `Value.key`). If the key stands for a period, the
    value's time is the first time in that period. A field that the key does not contain is zero.

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
    """One statement about an entity: subject, property and value.

    `best` is true if no statement of the same property has a higher rank and the statement holds on
    the snapshot's date. The certificate (the proof that a question has one answer) uses only best
    claims. `revision` is the revision of the source: of the Wikidata entity, or of the page with
    the infobox or text.
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
        """The id of a claim: a hash of what the claim states. If two readers read the same
        statement, both claims have the same id."""
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
    """How well known an entity is, according to a popularity file. If the file lacks a figure, the
    field is None."""

    sitelinks: int | None = None
    """Number of wikis that have a page about the item."""
    page_views: int | None = None


@dataclass(frozen=True, kw_only=True)
class Entity(Record):
    """A Wikidata item.

    An article without an item gets an entity of its own, whose id is `wiki:title`.
    """

    id: str
    labels: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    sitelinks: dict[str, str] = field(default_factory=dict)
    """Titles of the pages about the entity, by the wiki's name ("enwiki")."""
    num_statements: int = 0
    classes: tuple[str, ...] = ()
    """Best values of the property P31 (instance of)."""
    class_closure: tuple[str, ...] = ()
    """The entity's classes and all their superclasses by P279 (subclass of), sorted. The ingest job
    fills this field."""
    domain: str = "other"
    topic: str = ""
    picture_files: tuple[str, ...] = ()
    """Best values of the property P18 (image): file names on Wikimedia Commons, without the prefix
    "File:"."""
    in_degree: int = 0
    """Number of different articles that link to the entity's article. The ingest job fills this
    field."""
    revision: int = 0
    merged_ids: tuple[str, ...] = ()
    """Former Wikidata ids that now redirect to this entity."""
    popularity: Popularity | None = None
    """The entity's figures in the popularity file; None if there is no file, or if the file has no
    figures for the entity."""

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
        """Labels, aliases and page titles in the given languages, sorted, without duplicates. The
        names are used to check that a question gives no name away."""
        found = {self.labels.get(code, "") for x in languages for code in codes_of(x)}
        found.update(alias for x in languages for alias in self.other_names(x))
        found.update(self.sitelinks.get(f"{x}wiki", "") for x in languages)
        return tuple(sorted(found - {""}))


@dataclass(frozen=True, kw_only=True)
class PropertyInfo(Record):
    """The parts of a Wikidata property's definition that the certificate uses."""

    id: str
    labels: dict[str, str] = field(default_factory=dict)
    datatype: str = ""
    single_value: bool = False
    """Whether the property has a single-value constraint (P2302 Q19474404) that is not deprecated."""
    single_best_value: bool = False
    """Whether the property has a single-best-value constraint (P2302 Q52060874) that is not deprecated."""
    separators: tuple[str, ...] = ()
    """Properties whose qualifiers allow a subject to have several values (P4155 of the
    constraint)."""
    exceptions: tuple[str, ...] = ()
    """Entities to which the constraint does not apply (P2303 of the constraint)."""
    stability: str = ""
    """How often values of the property change (P2668): the Wikidata id of the class "never", "rarely" or
    "frequently"."""
    expected_completeness: str = ""
    """How completely Wikidata is expected to state the property (P2429)."""

    def label(self, language: str = "en") -> str:
        """The label in a language, else the English label, else the id."""
        return label_in(self.labels, language) or self.id


@dataclass(frozen=True, kw_only=True)
class PropertyProfile(Record):
    """How often the entities of one class have one property, and with which values. Only best
    claims are counted, in one pass over the store.

    `class_id` is a class that the subjects state directly (P31), without superclasses. For the
    subjects of all classes together, `class_id` is "".
    """

    property: str
    class_id: str = ""
    num_instances: int = 0
    """Number of entities of the class in the store."""
    num_subjects: int = 0
    """Number of entities of the class that have at least one best claim with the property."""
    num_pairs: int = 0
    """Number of different (subject, value) pairs; an unknown value (somevalue) counts as one
    value."""
    num_values: int = 0
    """Number of different values of the property."""
    num_dated: int = 0
    """Number of subjects with a best claim that is dated (P580 start time, P582 end time, P585
    point in time)."""
    num_commonest: int = 0
    """Number of subjects that have the most common value. Dates in the same year count as one
    value.

    This count shows how often a guess of the most common value is right.
    """

    @builtins.property
    def functionality(self) -> float:
        """Number of subjects ÷ number of (subject, value) pairs; 1.0 if every subject has exactly
        one value."""
        return self.num_subjects / self.num_pairs if self.num_pairs else 0.0

    @builtins.property
    def coverage(self) -> float:
        """Number of subjects with the property ÷ number of entities of the class; 1.0 if every
        entity has the property."""
        return self.num_subjects / self.num_instances if self.num_instances else 0.0


@dataclass(frozen=True, kw_only=True)
class Section(Record):
    """The text of a section, without markup. The first section of an article has level 1 and title ""."""

    title: str
    level: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Link(Record):
    """A link in the body text of an article, with the sentence that contains it.

    `sentence_start` and `sentence_end` count characters in the section's text.
    """

    target: str
    """Title of the target page in normal form. The ingest job replaces a redirect by its target."""
    anchor: str
    section: int
    """Number of the section in the article, from 0."""
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
    """A picture in an article: its caption, and its file name on Wikimedia Commons (or its path in
    a ZIM file)."""

    file: str
    caption: str = ""
    in_infobox: bool = False


@dataclass(frozen=True, kw_only=True)
class Article(Record):
    """One article page of a wiki, as the readers extract it."""

    wiki: str
    title: str
    page_id: int
    revision: int
    timestamp: str = ""
    entity_id: str = ""
    """The id of the page's Wikidata item, or `wiki:title` if the page has none. The ingest job
    takes the item from a sitelink or from the page's property wikibase_item."""
    sections: tuple[Section, ...] = ()
    links: tuple[Link, ...] = ()
    infobox_name: str = ""
    infobox: tuple[InfoboxField, ...] = ()
    pictures: tuple[ArticlePicture, ...] = ()
    categories: tuple[str, ...] = ()
    redirects: tuple[str, ...] = ()
    """Titles that redirect to this page. The ingest job fills this field."""
    in_degree: int = 0
    item: str = ""
    """The item that the page itself names in its property wikibase_item; "" if the reader found
    none."""

    @property
    def id(self) -> str:
        return record_id("Article", self.wiki, self.page_id, self.revision)

    @property
    def lead(self) -> str:
        return self.sections[0].text if self.sections else ""

    def sentence(self, link: Link) -> str:
        """The sentence that contains the given link."""
        return self.sections[link.section].text[link.sentence_start : link.sentence_end]


@dataclass(frozen=True, kw_only=True)
class Redirect(Record):
    """A wiki page that only points to another page. The titles of the page and of its target are in
    normal form.

    Several pages may have the same title. Among pages with the same title, `revision` and
    `timestamp` (as in `Article`) show which page is the newest. In a source without versions,
    `revision` is 0 and `timestamp` is "". Two redirects that differ only in `revision` and
    `timestamp` are equal.
    """

    wiki: str
    title: str
    target: str
    revision: int = field(default=0, compare=False)
    timestamp: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True)
class Detail(Record):
    """Something visible in a picture, as the structured data of Wikimedia Commons states it.

    Each detail comes from one statement about the picture's file. A statement with P1684
    (inscription) gives a detail whose `property` is P1684 and whose value is the text. A statement
    with P180 (depicts) gives a detail if it has a qualifier such as P1114 (quantity) or P462
    (colour). For a statement with P180, `part` is the class of the depicted thing; `property` and
    `value` are those of the qualifier. `box` is (left, top, width, height) in per cent of the
    picture, from P2677.
    """

    property: str
    value: Value
    part: str = ""
    """The Wikidata id of the depicted part (such as a plaque, an arch or a band); "" if the
    statement names no part."""
    part_label: str = ""
    box: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ImageAsset(Record):
    """A picture with its source, licence and author. The store keeps the bytes and the embedding
    vector of the picture elsewhere.

    If the licence is unknown, `licence` is "". No default licence is ever assumed.
    """

    id: str
    """The sha256 of the source file's bytes, 64 hex digits."""
    file: str
    """File name on Wikimedia Commons without the prefix "File:", or the path inside the ZIM file or
    folder."""
    mime: str
    width: int
    height: int
    num_bytes: int
    licence: str = ""
    """Short name of the licence as the source states it ("CC BY-SA 4.0", "Public domain"); "" if unknown."""
    licence_url: str = ""
    author: str = ""
    """Whom to credit, in the words that the picture's page demands; without such words, the
    author's name."""
    credit: str = ""
    source_page: str = ""
    description: str = ""
    categories: tuple[str, ...] = ()
    depicts: tuple[str, ...] = ()
    """The Wikidata ids that the property P180 (depicts) names."""
    entity_ids: tuple[str, ...] = ()
    """Entities that show the picture in their property P18 (image), their infobox or their article,
    sorted. The ingest job fills this field."""
    details: tuple[Detail, ...] = ()
    perceptual_hash: str = ""
    repository: str = ""
    """"shared" if the picture is on Wikimedia Commons; "local" if a wiki stores it itself; "" if
    unknown. Local pictures are refused, because they may be shown under fair use only."""


@dataclass(frozen=True, kw_only=True)
class Passage(Record):
    """A piece of an article that a text search can return."""

    id: str
    article_id: str
    entity_id: str
    title: str
    section: int
    text: str
    start: int = 0
    """Number of characters in the section before the passage."""
    extra: Json = Json(None)
