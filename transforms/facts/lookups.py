"""Defines `Lookups`: a store with the recipe's trust in the store, and the answers derived from
both."""

from collections.abc import Iterator
from typing import Protocol

from questloom.records.knowledge import (
    Article,
    Claim,
    Entity,
    ImageAsset,
    PropertyInfo,
    PropertyProfile,
)
from questloom.transforms.facts.trust import Trust


class Facts(Protocol):
    """The look-ups of `questloom.knowledge.store.Store` that certificates need. Tests use small
    stores in memory.

    For a date, `subjects` returns the subjects of all overlapping dates
    (`questloom.knowledge.dates.overlapping`), because a question that names a year means every day
    of the year.
    """

    @property
    def edition(self) -> str:
        """The language of the pages."""

    @property
    def language(self) -> str:
        """The language of questions and answers."""

    def __hash__(self) -> int: ...
    def entity(self, entity_id: str) -> Entity | None: ...
    def claims(self, subject: str) -> tuple[Claim, ...]: ...
    def claims_into(self, entity_id: str, *, limit: int = ...) -> tuple[Claim, ...]: ...
    def subjects(self, property: str, value_key: str, *, limit: int = ...) -> tuple[str, ...]: ...
    def num_subjects(self, property: str, value_key: str) -> int: ...
    def subjects_by_value(self, property: str) -> Iterator[tuple[str, list[str]]]: ...
    def members(self, class_id: str, *, limit: int = ...) -> tuple[str, ...]: ...
    def num_members(self, class_id: str) -> int: ...
    def article(self, entity_id: str) -> Article | None: ...
    def entity_of_title(self, title: str) -> str | None: ...
    def images_of(self, entity_id: str) -> tuple[ImageAsset, ...]: ...
    def is_pictured(self, entity_id: str) -> bool: ...
    def property(self, property_id: str) -> PropertyInfo | None: ...
    def profile(self, property_id: str, class_id: str = "") -> PropertyProfile: ...
    def references(self) -> tuple[int, int]: ...
    def stated_members(self, class_id: str) -> int | None: ...


def languages_of(facts: Facts) -> tuple[str, ...]:
    """The languages in which a reader may meet a name: those of the question, of the pages, and
    English, in which a name stands if no other is known."""
    return tuple(dict.fromkeys((facts.language, facts.edition, "en")))


class Lookups:
    """A store and how far it is trusted. A `Lookups` answers every look-up of a store. The
    decorator `remembered` keeps derived answers in the `Lookups`.

    Make one `Lookups` per process and recipe (`Job.lookups`): the answers live as long as the
    object. A copy or a pickle of a `Lookups` starts without answers.

    Args:
        facts: the store.
        trust: the recipe's settings of trust.
        language: the language of questions and answers; "" for the language of the pages.
    """

    def __init__(self, facts: Facts, trust: Trust = Trust(), language: str = "") -> None:
        self.facts, self.trust = facts, trust
        self.edition, self.language = facts.edition, language or facts.language
        # the store's own methods, so that a look-up costs no extra call
        self.entity = facts.entity
        self.claims = facts.claims
        self.claims_into = facts.claims_into
        self.subjects = facts.subjects
        self.num_subjects = facts.num_subjects
        self.subjects_by_value = facts.subjects_by_value
        self.members = facts.members
        self.num_members = facts.num_members
        self.article = facts.article
        self.entity_of_title = facts.entity_of_title
        self.images_of = facts.images_of
        self.is_pictured = facts.is_pictured
        self.property = facts.property
        self.profile = facts.profile
        self.references = facts.references
        self.stated_members = facts.stated_members

    def __reduce__(self) -> tuple[type["Lookups"], tuple[Facts, Trust, str]]:
        return Lookups, (self.facts, self.trust, self.language)
