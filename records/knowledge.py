"""What the readers give and the store holds: articles, entities, claims, pictures."""

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
"""OpenSearch-VL's five coarse domains; an entity outside all of them has the domain "other"."""
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

    Only the fields of its kind are filled: `entity` (QID), `text` (string, monolingual, url, external_id,
    commons_media), `number` (quantity), `time` and `precision` (ISO 8601 with sign, as it is stated;
    see `questloom.records.periods`), `latitude`/`longitude` (coordinate).
    """

    kind: str
    entity: str = ""
    text: str = ""
    language: str = ""
    number: float | None = None
    unit: str = ""
    """QID of what it is counted in: a quantity's unit, a day's calendar, a coordinate's globe.

    "" for a bare number, the Gregorian calendar and the Earth."""
    time: str = ""
    precision: int = 0
    latitude: float | None = None
    longitude: float | None = None
    lower: float | None = None
    """Of a quantity that is not known exactly: what it is at least; None where nothing is said."""
    upper: float | None = None

    def __hash__(self) -> int:
        return hash((self.kind, self.entity, self.text, self.number, self.time))

    def key(self) -> str:
        """One string that is equal for equal values; claims are indexed by (property, key).

        A day of the Julian calendar has the key of the Gregorian day, a time that of its period. How exactly a
        quantity is known is not in it.
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
        """Year (negative before Christ), month and day of a time; a day of the Julian calendar is converted."""
        parts = parts_of(self.time)
        return to_gregorian(*parts) if self.unit == JULIAN and self.precision >= DAY else parts

    @property
    def bounds(self) -> tuple[float, float]:
        """What a quantity is at least and at most."""
        number = self.number or 0.0
        return (
            (number, number)
            if self.lower is None or self.upper is None
            else (self.lower, self.upper)
        )

    @property
    def year(self) -> int | None:
        """The year of a time of precision year or better, as it is stated; else None."""
        return parts_of(self.time)[0] if self.kind == "time" and self.precision >= YEAR else None


@functools.lru_cache(CACHED)
def entity_value(qid: str) -> Value:
    """The value that is the entity `qid`."""
    return Value(kind="entity", entity=qid)


def value_of_key(key: str) -> Value:
    """The value that has this key; of a period the first time, and zero for what the key leaves out.

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

    `best` is true where the statement has the best rank of its property and holds at the snapshot's date;
    only those are executed. `revision` is the revision of the entity (wikidata) or page (infobox, text).
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
    """Wikidata's statement id, or "" where the dump gives none."""

    def __hash__(self) -> int:
        return hash((self.subject, self.property, self.value))

    @functools.cached_property
    def id(self) -> str:
        """Hash of what the claim says, so that two readers of one statement agree."""
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
    """How well known an item is, as stated beside the dumps; None where nothing is stated."""

    sitelinks: int | None = None
    """Wikis that have a page about it."""
    page_views: int | None = None


@dataclass(frozen=True, kw_only=True)
class Entity(Record):
    """A Wikidata item, or one minted for an article without an item (id `wiki:title`)."""

    id: str
    labels: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    sitelinks: dict[str, str] = field(default_factory=dict)
    """Wiki name ("enwiki") to page title."""
    num_statements: int = 0
    classes: tuple[str, ...] = ()
    """Best values of P31."""
    class_closure: tuple[str, ...] = ()
    """Classes and all their superclasses over P279, sorted; filled at ingest."""
    domain: str = "other"
    topic: str = ""
    picture_files: tuple[str, ...] = ()
    """Best values of P18: Commons file names without the namespace."""
    in_degree: int = 0
    """Distinct articles that link to its article; filled at ingest."""
    revision: int = 0
    merged_ids: tuple[str, ...] = ()
    """Ids that redirect to this one."""
    popularity: Popularity | None = None
    """What a popularity file states of it; None where none was read, or it is not in there."""

    @property
    def num_sitelinks(self) -> int:
        """Wikis that have a page about it: those that the dump names, or more where more are stated."""
        stated = self.popularity.sitelinks if self.popularity else None
        return max(len(self.sitelinks), stated or 0)

    def label(self, language: str = "en") -> str:
        """The label in a language, else English, else the first one, else the id."""
        return label_in(self.labels, language) or next(iter(self.labels.values()), self.id)

    def other_names(self, language: str) -> tuple[str, ...]:
        """The aliases in a language, without doubles."""
        return tuple(
            dict.fromkeys(
                alias for code in codes_of(language) for alias in self.aliases.get(code, ())
            )
        )

    def names(self, languages: tuple[str, ...]) -> tuple[str, ...]:
        """Labels, aliases and titles in the given languages, sorted, without doubles; for leak checks."""
        found = {self.labels.get(code, "") for x in languages for code in codes_of(x)}
        found.update(alias for x in languages for alias in self.other_names(x))
        found.update(self.sitelinks.get(f"{x}wiki", "") for x in languages)
        return tuple(sorted(found - {""}))


@dataclass(frozen=True, kw_only=True)
class PropertyInfo(Record):
    """A property's own definition, as far as the certificate uses it."""

    id: str
    labels: dict[str, str] = field(default_factory=dict)
    datatype: str = ""
    single_value: bool = False
    """A single-value constraint (P2302 Q19474404) that is not deprecated."""
    single_best_value: bool = False
    """A single-best-value constraint (P2302 Q52060874) that is not deprecated."""
    separators: tuple[str, ...] = ()
    """P4155: qualifiers by which several values are legitimate."""
    exceptions: tuple[str, ...] = ()
    """P2303: entities exempt from the constraint."""
    stability: str = ""
    """P2668: never, rarely or frequently changes (QID of the class)."""
    expected_completeness: str = ""
    """P2429."""

    def label(self, language: str = "en") -> str:
        """The label in a language, else English, else the id."""
        return label_in(self.labels, language) or self.id


@dataclass(frozen=True, kw_only=True)
class PropertyProfile(Record):
    """How one property is used by the instances of one class, counted over best claims in one pass over the store.

    `class_id` is a direct class of the subjects, or "" for all subjects together.
    """

    property: str
    class_id: str = ""
    num_instances: int = 0
    """Entities of the class in the store."""
    num_subjects: int = 0
    """Those with at least one best claim of the property."""
    num_pairs: int = 0
    """Distinct (subject, value) pairs; a somevalue counts as one."""
    num_values: int = 0
    """Distinct values."""
    num_dated: int = 0
    """Subjects with a best claim that says when it holds (P580, P582, P585)."""
    num_commonest: int = 0
    """Subjects that have the commonest value, dates of one year taken together: what a guess gets right."""

    @builtins.property
    def functionality(self) -> float:
        """Subjects ÷ pairs: 1.0 where every subject has one value."""
        return self.num_subjects / self.num_pairs if self.num_pairs else 0.0

    @builtins.property
    def coverage(self) -> float:
        """Subjects ÷ instances: 1.0 where no instance lacks the property."""
        return self.num_subjects / self.num_instances if self.num_instances else 0.0


@dataclass(frozen=True, kw_only=True)
class Section(Record):
    """A section's plain text; the lead has level 1 and title ""."""

    title: str
    level: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Link(Record):
    """A body link and the sentence it stands in; offsets are characters of the section's text."""

    target: str
    """Normalised title, redirects resolved at ingest."""
    anchor: str
    section: int
    """Index into the article's sections."""
    sentence_start: int
    sentence_end: int


@dataclass(frozen=True, kw_only=True)
class InfoboxField(Record):
    """One filled parameter of an infobox: its name, plain text, and the titles it links."""

    name: str
    text: str
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ArticlePicture(Record):
    """A picture that an article shows, by Commons file name (or ZIM path), and its caption."""

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
    """The item by sitelink or wikibase_item, else the minted `wiki:title`; filled at ingest."""
    sections: tuple[Section, ...] = ()
    links: tuple[Link, ...] = ()
    infobox_name: str = ""
    infobox: tuple[InfoboxField, ...] = ()
    pictures: tuple[ArticlePicture, ...] = ()
    categories: tuple[str, ...] = ()
    redirects: tuple[str, ...] = ()
    """Titles that redirect here; filled at ingest."""
    in_degree: int = 0
    item: str = ""
    """The page's own wikibase_item property, where the reader saw one."""

    @property
    def id(self) -> str:
        return record_id("Article", self.wiki, self.page_id, self.revision)

    @property
    def lead(self) -> str:
        return self.sections[0].text if self.sections else ""

    def sentence(self, link: Link) -> str:
        """The sentence that a link stands in."""
        return self.sections[link.section].text[link.sentence_start : link.sentence_end]


@dataclass(frozen=True, kw_only=True)
class Redirect(Record):
    """A page that only points elsewhere; both titles normalised.

    `revision` and `timestamp` (as of `Article`) say which of several pages of a title is the newest; they are 0 and ""
    where the source has none, and do not make it another redirect.
    """

    wiki: str
    title: str
    target: str
    revision: int = field(default=0, compare=False)
    timestamp: str = field(default="", compare=False)


@dataclass(frozen=True, kw_only=True)
class Detail(Record):
    """Something that is to be seen on a picture, as Commons structured data states it.

    From a file's statements: P1684 (inscription) gives `property` P1684 and a text; P180 (depicts) with a
    qualifier (P1114 quantity, P462 colour) gives the depicted thing's class in `part` and the qualifier's
    property and value. `box` is (left, top, width, height) in per cent, from P2677.
    """

    property: str
    value: Value
    part: str = ""
    """QID of the depicted part (a plaque, an arch, a band), or ""."""
    part_label: str = ""
    box: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ImageAsset(Record):
    """A picture and where it comes from. Its bytes and vector stand beside it in the store, not in the record.

    A missing licence is "" and is never filled by default.
    """

    id: str
    """sha256 of the source bytes, 64 hex digits."""
    file: str
    """Commons file name without namespace, or the path inside the ZIM or folder."""
    mime: str
    width: int
    height: int
    num_bytes: int
    licence: str = ""
    """Short name as given ("CC BY-SA 4.0", "Public domain"), or ""."""
    licence_url: str = ""
    author: str = ""
    """Whom to credit: in the words that the page wishes for, where it has a wish, else the author."""
    credit: str = ""
    source_page: str = ""
    description: str = ""
    categories: tuple[str, ...] = ()
    depicts: tuple[str, ...] = ()
    """QIDs of P180."""
    entity_ids: tuple[str, ...] = ()
    """Entities whose P18, infobox or article shows it; filled at ingest, sorted."""
    details: tuple[Detail, ...] = ()
    perceptual_hash: str = ""
    repository: str = ""
    """"shared" for Commons, "local" for a wiki's own upload (fair use: refused), "" where unknown."""


@dataclass(frozen=True, kw_only=True)
class Passage(Record):
    """A piece of an article as the text search indexes it."""

    id: str
    article_id: str
    entity_id: str
    title: str
    section: int
    text: str
    start: int = 0
    """Offset of the text in its section."""
    extra: Json = Json(None)
