"""Pages of a real dump as a small store: articles as the readers give them, claims from their infoboxes."""

import re
from functools import cache

from questloom.knowledge.readers.byte_ranges import plan_ranges
from questloom.knowledge.readers.mediawiki_xml import RawPage, read_pages, read_site
from questloom.knowledge.readers.wikitext import read_article
from questloom.records.knowledge import (
    Article,
    Claim,
    Entity,
    ImageAsset,
    PropertyInfo,
    entity_value,
)
from questloom.transforms.ingest.infobox_claims import read_date
from tests.shared_data import SHARED, needs
from tests.small_facts import SmallFacts

DUMP = SHARED / "data/dumps/enwiki-20160501-pages-articles-shortened.xml.bz2"
needs_dump = needs(f"dumps/{DUMP.name}")

PROPERTIES = {
    "P31": "instance of",
    "P57": "director",
    "P58": "screenwriter",
    "P161": "cast member",
    "P50": "author",
    "P110": "illustrator",
    "P123": "publisher",
    "P19": "place of birth",
    "P20": "place of death",
    "P119": "place of burial",
    "P69": "educated at",
    "P750": "distributor",
    "P166": "award received",
    "P737": "influenced by",
    "P577": "publication date",
    "P569": "date of birth",
    "P570": "date of death",
}
ENTITY_FIELDS = {
    "director": "P57",
    "writer": "P58",
    "starring": "P161",
    "author": "P50",
    "illustrator": "P110",
    "publisher": "P123",
    "birth_place": "P19",
    "death_place": "P20",
    "placeofburial": "P119",
    "alma_mater": "P69",
    "distributor": "P750",
    "awards": "P166",
    "influences": "P737",
}
DATE_FIELDS = {"birth_date": "P569", "death_date": "P570", "release_date": "P577"}
CLASSES = {
    "film": ("Q11424", "film"),
    "book": ("Q571", "book"),
    "person": ("Q5", "human"),
    "scientist": ("Q5", "human"),
}
KINDS = {
    "Albert Einstein": ("P106", "physicist"),
    "Arthur Schopenhauer": ("P106", "philosopher"),
    "Princeton, New Jersey": ("P31", "town"),
    "Albert Sidney Johnston": ("P106", "general"),
}
"""What Wikidata says of these things and no infobox does; of people their sex, too."""
DESCRIPTIONS = {"Animalia (book)": "alphabet book"}
"""In place of Wikidata's description, which the dump lacks: what a thing may be called that its class does not say."""
MALE = "Q6581097"
PAGES = (
    "Actrius",
    "Animalia (book)",
    "Albert Sidney Johnston",
    "Albert Einstein",
    "Arthur Schopenhauer",
)


class RealPages(SmallFacts):
    """The store; every title has the id `wiki:title`, every entity a picture."""

    def entity_of_title(self, title):
        return f"wiki:{title}" if f"wiki:{title}" in self.entities else None

    def images_of(self, entity_id):
        return (
            ImageAsset(
                id="0" * 64, file="x.jpg", mime="image/jpeg", width=800, height=800, num_bytes=1
            ),
        )


@cache
def real_pages() -> RealPages:
    """The five pages. Reads the dump, once."""
    site, articles = read_site(str(DUMP)), {}
    for part in plan_ranges(str(DUMP)):
        for page in read_pages(part, site):
            if isinstance(page, RawPage) and page.title in PAGES:
                article = read_article(page, site)
                assert isinstance(article, Article)
                articles[f"wiki:{page.title}"] = article.replace(entity_id=f"wiki:{page.title}")
    claims, entities = [], {}
    for entity_id, article in articles.items():
        found = list(_claims(entity_id, article, entities))
        claims.extend({c.id: c for c in found}.values())
        name = re.sub(r" \(.*\)$", "", article.title)
        about = {"en": DESCRIPTIONS[article.title]} if article.title in DESCRIPTIONS else {}
        entities[entity_id] = Entity(
            id=entity_id,
            labels={"en": name},
            descriptions=about,
            sitelinks={"enwiki": article.title},
        )
    entities[MALE] = Entity(id=MALE, labels={"en": "male"})
    for title, (property_id, kind) in KINDS.items():
        entities[f"kind:{kind}"] = Entity(id=f"kind:{kind}", labels={"en": kind})
        claims.append(
            Claim(subject=f"wiki:{title}", property=property_id, value=entity_value(f"kind:{kind}"))
        )
        claims += (
            [Claim(subject=f"wiki:{title}", property="P21", value=entity_value(MALE))]
            if property_id == "P106"
            else []
        )
    properties = {p: PropertyInfo(id=p, labels={"en": label}) for p, label in PROPERTIES.items()}
    return RealPages(claims, entities, articles, properties=properties)


def _claims(entity_id: str, article: Article, entities: dict[str, Entity]):
    kind = CLASSES.get(re.sub(r"^infobox ", "", article.infobox_name.lower()))
    if kind:
        entities.setdefault(kind[0], Entity(id=kind[0], labels={"en": kind[1]}))
        yield Claim(
            subject=entity_id,
            property="P31",
            value=entity_value(kind[0]),
            source="infobox",
            revision=article.revision,
        )
    for field in article.infobox:
        if field.name in DATE_FIELDS and (date := read_date(field.text)):
            yield Claim(
                subject=entity_id,
                property=DATE_FIELDS[field.name],
                value=date,
                source="infobox",
                revision=article.revision,
            )
        for title in field.targets[:8] if field.name in ENTITY_FIELDS else ():
            entities.setdefault(f"wiki:{title}", Entity(id=f"wiki:{title}", labels={"en": title}))
            yield Claim(
                subject=entity_id,
                property=ENTITY_FIELDS[field.name],
                value=entity_value(f"wiki:{title}"),
                source="infobox",
                revision=article.revision,
            )
