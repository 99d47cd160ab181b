"""`Facts` in memory, from a list of claims: what tests of certificates and drafting look things up in."""

from collections import Counter, defaultdict

from questloom.knowledge.dates import index_keys, keys_overlap, refined
from questloom.knowledge.store.profiles import PERIODS, answer_key
from questloom.records.knowledge import (
    Article,
    Claim,
    Entity,
    ImageAsset,
    PropertyInfo,
    PropertyProfile,
    Value,
    entity_value,
)
from questloom.transforms.facts.trust import Trust


def year(number: int) -> Value:
    """A date of precision year."""
    return Value(kind="time", time=f"+{number:04d}-00-00T00:00:00Z", precision=9)


class SmallFacts:
    """Stands for `questloom.transforms.facts.lookups.Lookups` over given claims, entities and pictures, believed as by default."""

    trust = Trust()
    edition = language = "en"

    def __init__(
        self,
        claims: list[Claim],
        entities: dict[str, Entity] | None = None,
        articles: dict[str, Article] | None = None,
        images: dict[str, tuple[ImageAsset, ...]] | None = None,
        properties: dict[str, PropertyInfo] | None = None,
        references: tuple[int, int] = (1000, 1000),
        class_counts: dict[str, int] | None = None,
    ) -> None:
        self._references, self._class_counts = references, class_counts or {}
        self.entities, self.articles, self.images, self.properties = (
            entities or {},
            articles or {},
            images or {},
            properties or {},
        )
        self._of, self._subjects, self._into, self._members = (
            defaultdict(list),
            defaultdict(dict),
            defaultdict(list),
            defaultdict(set),
        )
        for claim in sorted(claims, key=lambda c: (c.property, c.value.key(), c.id)):
            self._of[claim.subject].append(claim)
            if claim.best:
                for key in index_keys(claim.value):
                    self._subjects[claim.property].setdefault(key, set()).add(claim.subject)
                if claim.value.kind == "entity":
                    self._into[claim.value.entity].append(claim)
        for name in {c.subject for c in claims} | {
            c.value.entity for c in claims if c.value.entity
        }:
            self.entities.setdefault(name, Entity(id=name, labels={"en": name}))
        for name, entity in list(self.entities.items()):
            classes = (
                tuple(sorted({c.value.entity for c in self._of[name] if c.property == "P31"}))
                or entity.classes
            )
            closure = self._closure(classes)
            self.entities[name] = entity.replace(classes=classes, class_closure=closure)
            for class_id in closure:
                self._members[class_id].add(name)
        self._profiles: dict[tuple[str, str], PropertyProfile] = {}

    def _closure(self, classes: tuple[str, ...]) -> tuple[str, ...]:
        found = list(classes)
        for class_id in found:
            found.extend(
                c.value.entity
                for c in self._of[class_id]
                if c.property == "P279" and c.value.entity not in found
            )
        return tuple(sorted(found))

    def entity(self, entity_id):
        return self.entities.get(entity_id)

    def label(self, entity_id, language="en"):
        found = self.entities.get(entity_id)
        return found.label(language) if found else entity_id

    def claims(self, subject):
        return tuple(self._of.get(subject, ()))

    def claims_into(self, entity_id, *, limit=10_000):
        return tuple(self._into.get(entity_id, ())[:limit])

    def subjects(self, property, value_key, *, limit=10_000):
        found = self._subjects.get(property, {})
        return tuple(
            sorted({s for key in found if keys_overlap(value_key, key) for s in found[key]})[:limit]
        )

    def num_subjects(self, property, value_key):
        return len(self.subjects(property, value_key))

    def subjects_by_value(self, property):
        found = self._subjects.get(property, {})
        return ((key, sorted(found[key])) for key in sorted(found))

    def members(self, class_id, *, limit=10_000):
        return tuple(sorted(self._members.get(class_id, ()))[:limit])

    def num_members(self, class_id):
        return len(self._members.get(class_id, ()))

    def article(self, entity_id):
        return self.articles.get(entity_id)

    def entity_of_title(self, title):
        return next((e for e, a in self.articles.items() if a.title == title), None)

    def images_of(self, entity_id):
        return self.images.get(entity_id, ())

    def is_pictured(self, entity_id):
        return bool(self.images_of(entity_id))

    def references(self):
        return self._references

    def stated_members(self, class_id):
        return self._class_counts.get(class_id)

    def property(self, property_id):
        return self.properties.get(property_id)

    def profile(self, property_id, class_id=""):
        key = property_id, class_id
        if key not in self._profiles:
            members = [
                e for e, found in self.entities.items() if not class_id or class_id in found.classes
            ]
            found = [
                (e, [c for c in self._of.get(e, ()) if c.property == property_id and c.best])
                for e in members
            ]
            pairs = {(e, v.key()) for e, claims in found for v in refined(c.value for c in claims)}
            answering = Counter(
                answer
                for _, claims in found
                for answer in {
                    answer_key(c.value.key()) for c in claims if c.value.kind != "somevalue"
                }
            )
            dated = [
                e
                for e, claims in found
                if any(q.property in PERIODS for c in claims for q in c.qualifiers)
            ]
            self._profiles[key] = PropertyProfile(
                property=property_id,
                class_id=class_id,
                num_instances=len(members),
                num_pairs=len(pairs),
                num_subjects=len({s for s, _ in pairs}),
                num_values=len({v for _, v in pairs}),
                num_dated=len(dated),
                num_commonest=max(answering.values(), default=0),
            )
        return self._profiles[key]


def claim(subject: str, property: str, value: str | Value, **more) -> Claim:
    """A claim; a plain string is an entity id."""
    return Claim(
        subject=subject,
        property=property,
        value=entity_value(value) if isinstance(value, str) else value,
        **more,
    )
