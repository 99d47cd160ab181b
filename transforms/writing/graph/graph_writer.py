"""The graph writer: questions composed from claims and infobox fields, without a model.

It is the default and needs no key. A question is a logical form first; `verbalise.py` puts it into English. Its
methods are coroutines only because the protocol's are.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from questloom.knowledge.dates import coarsened
from questloom.records.form import (
    Ask,
    ClaimClause,
    ClassClause,
    Clause,
    Compute,
    Form,
    Image,
    Reads,
)
from questloom.records.identity import chance
from questloom.records.knowledge import Claim, Entity, Value, entity_value
from questloom.records.periods import YEAR
from questloom.records.synthesis import Answer, Hop, Rewrite, Seed
from questloom.transforms.certificate.compute import compute
from questloom.transforms.facts.completeness import nearly_complete
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.one_of_class import single_value
from questloom.transforms.facts.readings import year_readings
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.facts.values import best_values
from questloom.transforms.writing.answers import answer_of
from questloom.transforms.writing.form_edits import (
    constants,
    describe_variable,
    hide_constant,
    next_var,
    show_constant,
)
from questloom.transforms.writing.graph.clues import (
    answerable,
    attributes,
    by_weight,
    centuries,
    class_clause,
    clue_clauses,
    find_answer_property,
    role_clauses,
    taken_properties,
)
from questloom.transforms.writing.graph.english import English
from questloom.transforms.writing.graph.expected_fit import ExpectedFit
from questloom.transforms.writing.writer import Draft, Fact, Mention, Vote


@dataclass(frozen=True)
class GraphWriter:
    """Implements `questloom.transforms.writing.writer.Writer` on the store alone.

    Args:
        facts: the store.
        english: puts forms into words.
        recipe_seed: for every draw.
        max_clauses, max_answer_words, drafts: the recipe's limits (`DraftRules`).
        detail_share, computation_share: how often a draft tries to need a detail or a computation.
        min_views: how many pictures an entity must have for one of them to be shown (2 where search withholds the question's own).
    """

    facts: Lookups
    english: English
    recipe_seed: int
    max_answer_words: int
    max_clauses: int = 3
    drafts: int = 40
    detail_share: float = 0.2
    computation_share: float = 0.2
    max_hub: int = 10_000
    min_views: int = 1

    name: str = "graph"

    def _chance(self, seed: Seed, role: str) -> Random:
        return chance(self.recipe_seed, seed.id, f"graph:{role}")

    async def word(self, draft: Draft, seed: Seed) -> Draft | None:
        """The draft in words, and every step of its history too; None where no wording is fit for readers."""
        assert draft.form is not None
        worded = self.english.question(draft.form, draft.bindings, seed.id)
        if worded.problems:
            return None
        forms = [*(d.form for d in draft.earlier), draft.form]
        texts = [
            *(
                self.english.question(d.form, d.bindings, seed.id).text
                for d in draft.earlier
                if d.form
            ),
            worded.text,
        ]
        history = []
        for step, before, after, earlier, later in zip(
            draft.history, texts, texts[1:], forms, forms[1:], strict=False
        ):
            assert earlier is not None and later is not None
            history.append(
                replace(
                    step,
                    before=before,
                    after=after,
                    fact=self._added(step.entity_id, earlier, later),
                )
            )
        return replace(
            draft, text=worded.text, anchor_phrase=worded.anchor_phrase, history=tuple(history)
        )

    def _added(self, entity_id: str, before: Form, after: Form) -> str:
        """What a step says of its entity, in words; "" for the step that shows it as the picture."""
        added = after.clauses[len(before.clauses) :]
        kind = next((c for c in added if isinstance(c, ClassClause)), None)
        return self.english.fact(entity_id, added, kind.var) if kind else ""

    # Starting points

    async def seed_question(self, seed: Seed, entity: Entity, last: bool = False) -> list[Draft]:
        """One draft an attribute of the seed that can be asked, in random order weighted by how telling it is."""
        draw = self._chance(seed, "seed_question")
        found = []
        for claim, answer in self._asked(entity, frozenset({entity.id}), draw):
            form = Form(
                clauses=(
                    ClaimClause(
                        subject=entity_value(entity.id), property=claim.property, object="a"
                    ),
                ),
                ask=ask_for("a", answer),
            )
            found.append(
                Draft(text="", answer=answer, form=form, bindings={"a": claim.value.key()})
            )
        return found

    async def canonical_question(
        self, seed: Seed, hops: tuple[Hop, ...], entities: tuple[Entity, ...]
    ) -> list[Draft]:
        """Drafts over the path: with a reading or a computation where chance asks for one and the facts allow it, then plain."""
        draw = self._chance(seed, "canonical_question:" + entities[-1].id)
        clauses: list[Clause] = [Image(var="x0")]
        for hop in hops:
            subject, value = (hop.target, hop.source) if hop.reverse else (hop.source, hop.target)
            clauses.append(ClaimClause(subject=subject, property=hop.property, object=value))
        for hop, source, target in zip(hops, entities, entities[1:], strict=False):
            clauses.extend(self._told_apart(source.id, hop, target.id))
        bindings = {f"x{i}": e.id for i, e in enumerate(entities)}
        nodes = frozenset(e.id for e in entities)
        drafts: list[Draft] = []
        wants_detail, wants_computation = (
            draw.random() < self.detail_share,
            draw.random() < self.computation_share,
        )
        if wants_detail and len(hops) <= 2 and year_readings(self.facts, entities[0].id):
            drafts = self._with_readings(clauses[:2], hops[:1], entities[:2], draw)
            if not drafts and draw.random() < 0.8:
                return []  # another walk may lead past a date, and then the year on the picture counts
        if (itself := self._asking_last(tuple(clauses), bindings, hops, entities)) is not None:
            drafts.append(itself)
        for claim, answer in self._asked(entities[-1], nodes, draw):
            plain = self._asking(tuple(clauses), bindings, hops, entities, claim, answer)
            deeper = self._with_span(plain, claim.value, draw) if wants_computation else None
            if deeper is not None:
                drafts.insert(0, deeper)
            drafts.append(plain)
        dated = centuries(self.facts, entities[-1], self.max_answer_words)
        return drafts + [
            self._asking(tuple(clauses), bindings, hops, entities, claim, answer)
            for claim, answer in dated
        ]

    def _with_readings(
        self,
        clauses: list[Clause],
        hops: tuple[Hop, ...],
        entities: tuple[Entity, ...],
        draw: Random,
    ) -> list[Draft]:
        """Drafts that count the years between a year on the picture and a date of what stands one hop from it.

        Both dates must have to do with each other: nobody compares the picture's year with the founding of a town, or with a date farther off.
        """
        if not hops or not belong_together(entities[0], entities[-1], hops[0].property):
            return []
        bindings = {f"x{i}": e.id for i, e in enumerate(entities)}
        plain = (
            (self._asking(tuple(clauses), bindings, hops, entities, claim, answer), claim.value)
            for claim, answer in self._asked(entities[-1], frozenset(e.id for e in entities), draw)
        )
        return [
            deeper
            for draft, value in plain
            if (deeper := self._with_reading(draft, value, draw)) is not None
        ]

    def _asking(
        self,
        clauses: tuple[Clause, ...],
        bindings: dict[str, str],
        hops: tuple[Hop, ...],
        entities: tuple[Entity, ...],
        claim: Claim,
        answer: Answer,
    ) -> Draft:
        """The draft that asks for an attribute of a path's last node."""
        asked = Hop(source=f"x{len(entities) - 1}", target="a", property=claim.property)
        form = Form(
            clauses=(
                *clauses,
                ClaimClause(subject=asked.source, property=claim.property, object="a"),
                *self._told_apart(claim.subject, asked, claim.value.entity),
            ),
            ask=ask_for("a", answer),
        )
        return Draft(
            text="",
            answer=answer,
            form=form,
            bindings={**bindings, "a": claim.value.key()},
            hops=hops,
            anchor=entities[0].id,
        )

    def _asking_last(
        self,
        clauses: tuple[Clause, ...],
        bindings: dict[str, str],
        hops: tuple[Hop, ...],
        entities: tuple[Entity, ...],
    ) -> Draft | None:
        """The draft that asks for the path's last node itself: "Which film was shot at this castle?"; None where its last step follows a claim.

        That would be the question for an attribute of the node before it.
        """
        last, of_class = entities[-1], find_descriptor_class(self.facts, entities[-1].id)
        answer = answer_of(self.facts, entity_value(last.id))
        if (
            not hops
            or not hops[-1].reverse
            or not of_class
            or answer is None
            or len(answer.text.split()) > self.max_answer_words
        ):
            return None
        var = hops[-1].target
        form = Form(
            clauses=(*clauses, ClassClause(var=var, class_id=of_class)), ask=ask_for(var, answer)
        )
        return Draft(
            text="", answer=answer, form=form, bindings=bindings, hops=hops, anchor=entities[0].id
        )

    def _told_apart(self, source: str, hop: Hop, target: str) -> tuple[ClassClause, ...]:
        """The class of a hop's target, where that is what tells it from the property's other values: the county, not the state."""
        if hop.reverse or not target or single_value(self.facts, source, hop.property) is not None:
            return ()
        return (ClassClause(var=hop.target, class_id=find_descriptor_class(self.facts, target)),)

    def _asked(
        self, entity: Entity, avoid: frozenset[str], draw: Random
    ) -> list[tuple[Claim, Answer]]:
        found = answerable(self.facts, entity, self.max_answer_words, avoid)
        return [
            (claim, answer)
            for _, claim, answer in sorted(found, key=lambda f: (-f[0] * draw.random(), f[1].id))
        ]

    # Deeper: a reading on the picture, a computation

    def _with_reading(self, draft: Draft, value: Value, draw: Random) -> Draft | None:
        """The draft asking for the years between its date and the year read on the picture."""
        readings = year_readings(self.facts, draft.anchor) if value.year is not None else []
        if not readings:
            return None
        detail = draw.choice(readings)
        assert draft.form is not None
        reads = Reads(var="r", of=draft.form.anchor, property=detail.property, part=detail.part)
        return self._span(draft, (reads,), "r", detail.value, value)

    def _with_span(self, draft: Draft, value: Value, draw: Random) -> Draft | None:
        """The draft asking for the years between its date and a date of the node before it."""
        assert draft.form is not None
        before, dated = (
            _before(draft.form),
            next(c.subject for c in draft.form.of(ClaimClause) if c.object == draft.form.ask.var),
        )
        entity = self.facts.entity(draft.bindings[before])
        link = (
            next(
                (
                    c.property
                    for c in draft.form.of(ClaimClause)
                    if {c.subject, c.object} == {before, dated}
                ),
                "",
            )
            if isinstance(dated, str)
            else ""
        )
        if (
            value.year is None
            or entity is None
            or not belong_together(entity, self._dated(draft), link)
        ):
            return None
        dates = [
            c
            for _, c, a in attributes(self.facts, entity, self.max_answer_words, frozenset())
            if a.type == "date"
        ]
        if not dates:
            return None
        claim = draw.choice(dates)
        return self._span(
            draft,
            (ClaimClause(subject=before, property=claim.property, object="b"),),
            "b",
            claim.value,
            value,
        )

    def _dated(self, draft: Draft) -> Entity:
        """The entity whose date is asked."""
        assert draft.form is not None
        subject = next(
            c.subject for c in draft.form.of(ClaimClause) if c.object == draft.form.ask.var
        )
        entity = self.facts.entity(
            subject.entity if isinstance(subject, Value) else draft.bindings[subject]
        )
        assert entity is not None, "a claim of it is asked"
        return entity

    def _span(
        self, draft: Draft, clauses: tuple[Clause, ...], other: str, first: Value, second: Value
    ) -> Draft | None:
        span = compute("difference", (coarsened(first, YEAR), coarsened(second, YEAR)))
        if span is None or not span.number:
            return None
        assert draft.form is not None
        form = Form(
            clauses=(
                *draft.form.clauses,
                *clauses,
                Compute(out="n", op="difference", args=(other, "a")),
            ),
            ask=Ask(var="n", type="quantity", unit="years"),
        )
        answer = answer_of(self.facts, span, unit_label="years")
        assert answer is not None
        return replace(
            draft,
            form=form,
            answer=answer,
            bindings={**draft.bindings, other: first.key(), "n": span.key()},
        )

    # Descriptions

    async def describe(self, draft: Draft, mention: Mention, seed: Seed) -> list[Fact]:
        """Descriptions of a node, the shortest first: its class alone, with one claim, with two, …"""
        return self._bundles(draft, mention, seed, fewest=0)

    async def take_fact(
        self, draft: Draft, mention: Mention, seed: Seed, last: bool = False
    ) -> list[Fact]:
        """Facts that can stand for a named entity; a class alone names nobody."""
        return self._bundles(draft, mention, seed, fewest=1)

    def _bundles(self, draft: Draft, mention: Mention, seed: Seed, fewest: int) -> list[Fact]:
        entity = self.facts.entity(mention.entity_id)
        kind = class_clause(self.facts, entity) if entity else None
        if entity is None or kind is None or draft.form is None:
            return []
        avoid = frozenset(
            {*draft.bindings.values(), draft.answer.value.key(), entity.id, *constants(draft.form)}
        )
        draw = self._chance(seed, f"bundles:{mention.entity_id}:{len(draft.history)}")
        weighted = clue_clauses(
            self.facts,
            entity,
            avoid,
            find_answer_property(draft.form, mention),
            taken_properties(draft.form, mention),
        )
        order = by_weight(weighted, draw)
        bundles: list[tuple[Clause, ...]] = []
        if fewest == 0:
            bundles.append(())
        else:
            # "the town where X was born": one functional claim of a named entity is enough to say which town.
            bundles.extend(
                (c,)
                for c in by_weight(role_clauses(self.facts, entity, avoid), draw)[
                    : self.drafts // 4
                ]
            )
        is_likely_to_fit = ExpectedFit.of(self.facts, kind, mention, draft)
        # Where the store may lack members of the class, nothing singles one of them out but a hop that leads to it alone.
        sizes = (
            range(max(1, fewest), self.max_clauses + 1)
            if nearly_complete(self.facts, kind.class_id)
            else ()
        )
        for size in sizes:
            bundles.extend(
                _subsets(order, size, self.drafts // (self.max_clauses + 1), is_likely_to_fit)
            )
        if fewest:
            # One of the named entities will have to become the picture.
            bundles.sort(key=lambda bundle: not any(self._pictured(c) for c in bundle))
        return [
            Fact(entity_id=entity.id, text="", clauses=(kind, *clues))
            for clues in bundles[: self.drafts]
        ]

    def _can_be_shown(self, entity_id: str) -> bool:
        return len(self.facts.images_of(entity_id)) >= self.min_views

    def _pictured(self, clause: Clause) -> bool:
        terms = [clause.subject, clause.object] if isinstance(clause, ClaimClause) else []
        return any(
            isinstance(t, Value) and t.kind == "entity" and self._can_be_shown(t.entity)
            for t in terms
        )

    async def inject(
        self, draft: Draft, mention: Mention, facts: tuple[Fact, ...], seed: Seed
    ) -> Draft:
        """The question with the facts in place of the name (or beside the hop, for a node of a path)."""
        assert draft.form is not None
        clauses = tuple(c for f in facts for c in f.clauses)
        if mention.var:
            form, bindings = describe_variable(draft.form, mention.var, clauses), draft.bindings
        else:
            var = next_var(draft.form)
            form, bindings = (
                hide_constant(draft.form, mention.entity_id, var, clauses),
                {**draft.bindings, var: mention.entity_id},
            )
        step = Rewrite(
            round=len(draft.history) + 1,
            role="describe" if mention.var else "inject",
            before=draft.text,
            after="",
            entity_id=mention.entity_id,
        )
        return draft.rewritten(step, form=form, bindings=bindings, text="")

    # Mentions

    async def pick_entity(self, draft: Draft, seed: Seed, last: bool = False) -> list[Mention]:
        """Named entities of the question that can be described, in random order; hubs last."""
        draw = self._chance(seed, f"pick_entity:{len(draft.history)}")
        named = (
            [
                e
                for e in (self.facts.entity(c) for c in constants(draft.form))
                if e is not None and e.classes
            ]
            if draft.form
            else []
        )
        # A genus or family has the class "taxon" as a species has, and would be called a species.
        named = [e for e in named if not self.facts.num_subjects("P171", e.id)]
        order = sorted(named, key=lambda e: (e.in_degree > self.max_hub, draw.random(), e.id))
        return [Mention(entity_id=e.id, surface=e.label()) for e in order]

    async def pick_image_entity(self, draft: Draft, seed: Seed) -> list[Mention]:
        """Named entities that have a picture, those farthest from what is asked first."""
        assert draft.form is not None
        pictured = [c for c in constants(draft.form) if self._can_be_shown(c)]
        # Constants of later injections lie deeper in the question; a date can be counted from a year on the picture.
        order = pictured[::-1]
        if (
            draft.answer.type == "date"
            and self._chance(seed, "readable").random() < self.detail_share
        ):
            order.sort(key=lambda c: not year_readings(self.facts, c))
        return [Mention(entity_id=c, surface=self.english.label(c)) for c in order]

    async def hide_entity(self, draft: Draft, mention: Mention, seed: Seed) -> Draft:
        """The question with the mention shown by the picture; then, by chance, deepened by a reading on it."""
        assert draft.form is not None
        var = next_var(draft.form)
        form = show_constant(draft.form, mention.entity_id, var)
        shown = replace(
            draft,
            form=form,
            bindings={**draft.bindings, var: mention.entity_id},
            anchor=mention.entity_id,
        )
        draw = self._chance(seed, "hide_entity")
        deeper = None
        if draft.answer.type == "date":
            value = self._asked_value(shown)
            shows, dated = self.facts.entity(mention.entity_id), self._dated(shown)
            link = next(
                (
                    c.property
                    for c in form.of(ClaimClause)
                    if var in (c.subject, c.object) and c.object != form.ask.var
                ),
                "",
            )
            if (
                value is not None
                and shows
                and _before(form) == var
                and belong_together(shows, dated, link)
                and draw.random() < self.detail_share
            ):
                deeper = self._with_reading(shown, value, draw)
            if value is not None and deeper is None and draw.random() < self.computation_share:
                deeper = self._with_span(shown, value, draw)
        step = Rewrite(
            round=len(draft.history) + 1,
            role="hide_entity",
            before=draft.text,
            after="",
            entity_id=mention.entity_id,
        )
        return (deeper or shown).rewritten(step, text="")

    def _asked_value(self, draft: Draft) -> Value | None:
        """The full value of the asked date, from the claim it rests on."""
        assert draft.form is not None
        for clause in draft.form.of(ClaimClause):
            if clause.object == draft.form.ask.var:
                subject = (
                    clause.subject.entity
                    if isinstance(clause.subject, Value)
                    else draft.bindings[clause.subject]
                )
                return next(
                    (
                        v
                        for v in best_values(self.facts, subject, clause.property)
                        if v.key() == draft.bindings["a"]
                    ),
                    None,
                )
        return None

    async def obfuscate_answer(self, draft: Draft, seed: Seed) -> Draft | None:
        return None  # its questions end at an attribute already

    # A writer without a model has no votes, and its words are made from the form.

    async def check_words(self, draft: Draft, seed: Seed, num: int = 0) -> list[Vote] | None:
        return None

    async def check_picture(self, draft: Draft, seed: Seed) -> list[Vote]:
        return []

    async def check_unique(self, draft: Draft, seed: Seed) -> list[Vote]:
        return []

    async def check_invariant(self, before: Draft, after: Draft, seed: Seed) -> list[Vote]:
        return []


MAKERS = frozenset(
    {
        "P50",
        "P57",
        "P61",
        "P84",
        "P86",
        "P110",
        "P112",
        "P170",
        "P175",
        "P176",
        "P178",
        "P287",
        "P631",
        "P943",
    }
)
"""Relations between a thing and whoever made it."""


def belong_together(one: Entity, other: Entity, link: str) -> bool:
    """Whether somebody would count the years between dates of two linked things: both of one kind, or a thing and its maker, but no places."""
    domains = {one.domain, other.domain}
    return bool(link) and "location" not in domains and (len(domains) == 1 or link in MAKERS)


def _before(form: Form) -> str:
    """The node next to the one whose date is asked, the picture's where that is next; the picture's where no other is."""
    claims = [c for c in form.of(ClaimClause) if isinstance(c.subject, str)]
    dated = next((c.subject for c in claims if c.object == form.ask.var), form.anchor)
    beside = {
        t
        for c in claims
        for t in (c.subject, c.object)
        if dated in (c.subject, c.object) and isinstance(t, str)
    } - {dated, form.ask.var}
    return form.anchor if form.anchor in beside or not beside else min(beside)


def ask_for(var: str, answer: Answer) -> Ask:
    """What is asked for an answer: its type, unit and precision."""
    return Ask(var=var, type=answer.type, unit=answer.unit, precision=answer.precision)


def _subsets(
    order: list[Clause],
    size: int,
    most: int,
    is_likely_to_fit: Callable[[tuple[Clause, ...]], bool],
) -> list[tuple[Clause, ...]]:
    """The first `most` subsets of a size that are likely to fit, those of early clauses first, no property twice."""
    found: list[tuple[Clause, ...]] = []

    def grow(start: int, chosen: tuple[Clause, ...]) -> None:
        if len(found) >= most:
            return
        if len(chosen) == size:
            if is_likely_to_fit(chosen):
                found.append(chosen)
            return
        for at in range(start, len(order)):
            if order[at].property not in {c.property for c in chosen}:  # type: ignore[union-attr]
                grow(at + 1, (*chosen, order[at]))

    grow(0, ())
    return found
