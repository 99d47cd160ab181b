"""What the readers produce and the store holds: articles, entities, claims, pictures."""

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

    Only the fields of the value's kind are filled: `entity` (QID); `text` (string, monolingual,
    url, external_id, commons_media); `number` (quantity); `time` and `precision` (ISO 8601 with
    sign, see `questloom.records.periods`); `latitude` and `longitude` (coordinate).
    """

    kind: str
    entity: str = ""
    text: str = ""
    language: str = ""
    number: float | None = None
    unit: str = ""
    """QID of a quantity's unit, a day's calendar or a coordinate's globe.

    The unit is "" for a bare number, the Gregorian calendar and the Earth."""
    time: str = ""
    precision: int = 0
    latitude: float | None = None
    longitude: float | None = None
    lower: float | None = None
    """The least value that an inexact quantity can have; None where the claim states no bounds."""
    upper: float | None = None

    def __hash__(self) -> int:
        return hash((self.kind, self.entity, self.text, self.number, self.time))

    def key(self) -> str:
        """One string that is equal for equal values; claims are indexed by (property, key).

        A day of the Julian calendar has the key of its Gregorian day, and a time has the key of its
        period. The key leaves out how exactly a quantity is known.
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
        """Year (negative before Christ), month and day of a time. A Julian day is converted to the
        Gregorian calendar."""
        parts = parts_of(self.time)
        return to_gregorian(*parts) if self.unit == JULIAN and self.precision >= DAY else parts

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value that a quantity can have."""
        number = self.number or 0.0
        return (
            (number, number)
            if self.lower is None or self.upper is None
            else (self.lower, self.upper)
        )

    @property
    def year(self) -> int | None:
        """The stated year of a time with precision year or better; else None."""
        return parts_of(self.time)[0] if self.kind == "time" and self.precision >= YEAR else None


@functools.lru_cache(CACHED)
def entity_value(qid: str) -> Value:
    """The value whose entity is `qid`."""
    return Value(kind="entity", entity=qid)


def value_of_key(key: str) -> Value:
    """The value with this key. A period gives its first time; a field that the key leaves out is
    zero.

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
    """A qualifier of a claim: property id and value."""

    property: str
    value: Value


@dataclass(frozen=True, kw_only=True)
class Claim(Record):
    """One statement: subject, property, value.

    `best` is true where the statement has the best rank of its property and holds on the snapshot's
    date. The certificate executes only best claims. `revision` is the revision of the entity
    (wikidata) or of the page (infobox, text).
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
    """Wikidata's statement id; "" where the dump has none."""

    def __hash__(self) -> int:
        return hash((self.subject, self.property, self.value))

    @functools.cached_property
    def id(self) -> str:
        """Hash of what the claim states. Two readers of one statement therefore give the same id."""
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
    """How well known an item is, as a popularity file states it. A figure that the file lacks is None."""

    sitelinks: int | None = None
    """Number of wikis that have a page about the item."""
    page_views: int | None = None


@dataclass(frozen=True, kw_only=True)
class Entity(Record):
    """A Wikidata item, or an entity made for an article without an item (id `wiki:title`)."""

    id: str
    labels: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    sitelinks: dict[str, str] = field(default_factory=dict)
    """Wiki name ("enwiki") to page title."""
    num_statements: int = 0
    classes: tuple[str, ...] = ()
    """Best values of P31 (instance of)."""
    class_closure: tuple[str, ...] = ()
    """The classes and all their superclasses over P279 (subclass of), sorted; ingest fills them."""
    domain: str = "other"
    topic: str = ""
    picture_files: tuple[str, ...] = ()
    """Best values of P18 (image): Commons file names without the namespace."""
    in_degree: int = 0
    """Number of distinct articles that link to the entity's article; ingest fills it."""
    revision: int = 0
    merged_ids: tuple[str, ...] = ()
    """Ids that redirect to this entity."""
    popularity: Popularity | None = None
    """The entity's figures in the popularity file; None where there is no file, or where the file
    lacks the entity."""

    @property
    def num_sitelinks(self) -> int:
        """Number of wikis with a page about the entity: the dump's count or the popularity file's
        count, whichever is larger."""
        stated = self.popularity.sitelinks if self.popularity else None
        return max(len(self.sitelinks), stated or 0)

    def label(self, language: str = "en") -> str:
        """The label in a language, else the English label, else the first label, else the id."""
        return label_in(self.labels, language) or next(iter(self.labels.values()), self.id)

    def other_names(self, language: str) -> tuple[str, ...]:
        """The aliases in a language, without duplicates."""
        return tuple(
            dict.fromkeys(
                alias for code in codes_of(language) for alias in self.aliases.get(code, ())
            )
        )

    def names(self, languages: tuple[str, ...]) -> tuple[str, ...]:
        """Labels, aliases and titles in the given languages, sorted, without duplicates; for leak checks."""
        found = {self.labels.get(code, "") for x in languages for code in codes_of(x)}
        found.update(alias for x in languages for alias in self.other_names(x))
        found.update(self.sitelinks.get(f"{x}wiki", "") for x in languages)
        return tuple(sorted(found - {""}))


@dataclass(frozen=True, kw_only=True)
class PropertyInfo(Record):
    """The part of a property's own definition that the certificate uses."""

    id: str
    labels: dict[str, str] = field(default_factory=dict)
    datatype: str = ""
    single_value: bool = False
    """Whether the property has a single-value constraint (P2302 Q19474404) that is not deprecated."""
    single_best_value: bool = False
    """Whether the property has a single-best-value constraint (P2302 Q52060874) that is not deprecated."""
    separators: tuple[str, ...] = ()
    """P4155 of the constraint: qualifiers that make several values legitimate."""
    exceptions: tuple[str, ...] = ()
    """P2303 of the constraint: entities that the constraint exempts."""
    stability: str = ""
    """P2668: how often values change (QID of the class "never", "rarely" or "frequently")."""
    expected_completeness: str = ""
    """P2429: how complete the property's data are expected to be."""

    def label(self, language: str = "en") -> str:
        """The label in a language, else the English label, else the id."""
        return label_in(self.labels, language) or self.id


@dataclass(frozen=True, kw_only=True)
class PropertyProfile(Record):
    """How the instances of one class use one property. One pass over the store counts the best
    claims.

    `class_id` is a direct class of the counted subjects, or "" for all subjects together.
    """

    property: str
    class_id: str = ""
    num_instances: int = 0
    """Number of entities of the class in the store."""
    num_subjects: int = 0
    """Number of instances with at least one best claim of the property."""
    num_pairs: int = 0
    """Number of distinct (subject, value) pairs; an unknown value (somevalue) counts as one value."""
    num_values: int = 0
    """Number of distinct values."""
    num_dated: int = 0
    """Number of subjects with a best claim that says when it holds (P580, P582, P585)."""
    num_commonest: int = 0
    """Number of subjects with the commonest value; dates of one year count as one value. This
    number measures how often a guess of that value is right."""

    @builtins.property
    def functionality(self) -> float:
        """Subjects ÷ pairs: 1.0 where every subject has exactly one value."""
        return self.num_subjects / self.num_pairs if self.num_pairs else 0.0

    @builtins.property
    def coverage(self) -> float:
        """Subjects ÷ instances: 1.0 where every instance has the property."""
        return self.num_subjects / self.num_instances if self.num_instances else 0.0


@dataclass(frozen=True, kw_only=True)
class Section(Record):
    """The plain text of a section. The lead has level 1 and title ""."""

    title: str
    level: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Link(Record):
    """A link in the body, and the sentence that contains it. Offsets are characters of the section's text."""

    target: str
    """Normalised title of the target page; ingest resolves redirects."""
    anchor: str
    section: int
    """Index into the article's sections."""
    sentence_start: int
    sentence_end: int


@dataclass(frozen=True, kw_only=True)
class InfoboxField(Record):
    """One filled parameter of an infobox: name, plain text, and the titles that it links to."""

    name: str
    text: str
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ArticlePicture(Record):
    """A picture that an article shows: its Commons file name (or ZIM path) and its caption."""

    file: str
    caption: str = ""
    in_infobox: bool = False


@dataclass(frozen=True, kw_only=True)
class Article(Record):
    """One page of the main namespace, as the fast extraction reads it."""

    wiki: str
    title: str
    page_id: int
    revision: int
    timestamp: str = ""
    entity_id: str = ""
    """Id of the page's item, by sitelink or wikibase_item, else `wiki:title`; ingest fills it."""
    sections: tuple[Section, ...] = ()
    links: tuple[Link, ...] = ()
    infobox_name: str = ""
    infobox: tuple[InfoboxField, ...] = ()
    pictures: tuple[ArticlePicture, ...] = ()
    categories: tuple[str, ...] = ()
    redirects: tuple[str, ...] = ()
    """Titles that redirect to this page; ingest fills them."""
    in_degree: int = 0
    item: str = ""
    """The wikibase_item property of the page; "" where the reader saw none."""

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
    """A page that only points to another page. The titles of both pages are normalised.

    `revision` and `timestamp` (as in `Article`) show which of several pages with one title is the
    newest. Sources without versions give 0 and "". `revision` and `timestamp` are no part of the
    redirect's identity.
    """

    wiki: str
    title: str
    target: str
    revision: int = field(default=0, compare=False)
    timestamp: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True)
class Detail(Record):
    """Something visible on a picture, as Commons structured data states it.

    A detail comes from a statement of the picture's file. P1684 (inscription) gives `property`
    P1684 and a text. P180 (depicts) with a qualifier (P1114 quantity, P462 colour) gives the class
    of the depicted thing in `part`, and the qualifier's property and value. `box` is (left, top,
    width, height) in per cent, from P2677.
    """

    property: str
    value: Value
    part: str = ""
    """QID of the depicted part (a plaque, an arch, a band); "" where the statement names no part."""
    part_label: str = ""
    box: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ImageAsset(Record):
    """A picture and its source. The store keeps the picture's bytes and vector outside this record.

    A missing licence is ""; no default ever fills it.
    """

    id: str
    """sha256 of the source bytes, 64 hex digits."""
    file: str
    """Commons file name without namespace, or the path inside the ZIM file or folder."""
    mime: str
    width: int
    height: int
    num_bytes: int
    licence: str = ""
    """Short name of the licence as given ("CC BY-SA 4.0", "Public domain"); "" where unknown."""
    licence_url: str = ""
    author: str = ""
    """The person to credit: in the page's own wording where the page asks for one, else the author."""
    credit: str = ""
    source_page: str = ""
    description: str = ""
    categories: tuple[str, ...] = ()
    depicts: tuple[str, ...] = ()
    """QIDs that P180 (depicts) names."""
    entity_ids: tuple[str, ...] = ()
    """Entities whose P18, infobox or article shows the picture, sorted; ingest fills them."""
    details: tuple[Detail, ...] = ()
    perceptual_hash: str = ""
    repository: str = ""
    """"shared" for Commons, "local" for a wiki's own upload (fair use: refused), "" where unknown."""


@dataclass(frozen=True, kw_only=True)
class Passage(Record):
    """A piece of an article that the text search indexes."""

    id: str
    article_id: str
    entity_id: str
    title: str
    section: int
    text: str
    start: int = 0
    """Offset of the passage in its section, in characters."""
    extra: Json = Json(None)
