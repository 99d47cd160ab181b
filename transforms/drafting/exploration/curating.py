"""The curator's plans: forms that a cluster of an evidence graph allows, each over a path from a picture to an answer.

    ability                        the plan
    perception                     what is seen on the picture is asked
    perception+reasoning           asked are the years between the one on the picture and a turn of the century
    perception+search              a way from the picture's thing to an attribute of the last node
    perception+search+reasoning    a way through both observations of a reasoning node; asked is its result, or an attribute of the thing that it chooses

The first picture may be that of any pictured node, not the seed's alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from questloom.prompts.phrases import property_use
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
from questloom.records.knowledge import Claim, Value
from questloom.records.synthesis import Answer, Hop
from questloom.transforms.certificate.compute import compute
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.exploration.reasoning import CHOOSES
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.one_of_class import single_value
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.facts.values import best_values
from questloom.transforms.writing.answers import answer_of
from questloom.transforms.writing.evidence import EvidenceGraph, Link, Observation, Reasoning
from questloom.transforms.writing.graph.clues import answerable
from questloom.transforms.writing.writer import Draft

PLACE_OF = {"P569": "P19", "P570": "P20", "P571": "P740"}
"""Of an event by which two things are compared the place is not asked: "where did the one who died later die?"."""
ATTRIBUTES = 3
"""Attributes of a way's last node that are tried."""


def num_claims(form: Form) -> int:
    """How many claims a question needs."""
    return len(form.of(ClaimClause))


@dataclass(frozen=True)
class Curator:
    """Makes plans of evidence graphs.

    Args:
        facts: the store and how far it is believed.
        rules: the recipe's.
    """

    facts: Lookups
    rules: DraftRules

    def plans(self, graph: EvidenceGraph, ability: str, size: int, draw: Random) -> list[Draft]:
        """The drafts of an ability, in random order; those with a search have so many claims or one fewer, since a description may add one.

        Args:
            graph: where they are taken from.
            ability: of `questloom.records.synthesis.ABILITIES`.
            size: claims, before a step is put in front.
            draw: for the order.
        """
        match ability:
            case "perception":
                found = [plan for o in graph.perceptions if (plan := self._read(o))]
            case "perception+reasoning":
                found = [
                    plan
                    for o in graph.perceptions
                    if o.value.year is not None and (plan := self._counted(o))
                ]
            case "perception+search":
                found = [
                    plan
                    for way in self._ways(graph, (size - 1, size - 2))
                    for plan in self._asked(way, draw)
                ]
            case _:
                found = [
                    plan for r in graph.reasonings for plan in self._reasoned(graph, r, size, draw)
                ]
        draw.shuffle(found)
        return sorted(found, key=lambda plan: num_claims(plan.form) < size if plan.form else True)

    # From the picture alone

    def _read(self, seen: Observation) -> Draft | None:
        answer = answer_of(self.facts, seen.value)
        if answer is None or len(answer.text.split()) > self.rules.max_answer_words:
            return None
        form = Form(clauses=(Image(var="x0"), _reads(seen)), ask=_ask("r", answer))
        return Draft(
            text="",
            answer=answer,
            form=form,
            bindings={"x0": seen.node, "r": seen.value.key()},
            anchor=seen.node,
        )

    def _counted(self, seen: Observation) -> Draft | None:
        """The years between the one on the picture and the nearest turn of a century: all else that it could be counted from would have to be searched for."""
        year = seen.value.year or 0
        turn = (year + 50) // 100 * 100
        result = compute(
            "difference",
            (
                seen.value,
                turned := Value(kind="time", time=f"+{turn:04d}-00-00T00:00:00Z", precision=9),
            ),
        )
        if year <= 0 or result is None or not result.number:
            return None
        bindings = {"x0": seen.node, "r": seen.value.key()}
        return self._computed(
            (Image(var="x0"), _reads(seen)),
            bindings,
            (),
            seen.node,
            ("r", turned),
            "difference",
            result,
            "years",
        )

    # Over claims

    def _ways(
        self, graph: EvidenceGraph, lengths: Sequence[int]
    ) -> Iterator[tuple[str, tuple[Link, ...]]]:
        """Ways of some lengths from every node that may be shown, none of which takes the same kind of step twice in a row."""
        for start in graph.pictured():
            for length in sorted({n for n in lengths if n >= 0}, reverse=True):
                yield from (
                    (start, way)
                    for way in graph.ways(start, length)
                    if not any(repeats(a, b.property) for a, b in pairwise(way))
                )

    def _asked(self, start_way: tuple[str, tuple[Link, ...]], draw: Random) -> Iterator[Draft]:
        start, way = start_way
        clauses, bindings, hops = self._along(start, way)
        end = way[-1].target if way else start
        for claim, answer in self._attributes(end, frozenset(bindings.values()), draw)[:ATTRIBUTES]:
            if not (way and repeats(way[-1], claim.property)):
                yield self._ask_attribute(
                    clauses, bindings, hops, start, f"x{len(way)}", claim, answer
                )

    def _reasoned(
        self, graph: EvidenceGraph, r: Reasoning, size: int, draw: Random
    ) -> Iterator[Draft]:
        """The plans through both observations of a reasoning node; what is seen must be on the question's own picture."""
        ends = {r.first.node, r.second.node}
        seen = [o for o in (r.first, r.second) if o.seen]
        # What is read keeps its picture, so no step is put in front of it later.
        of_values = sum(not o.seen for o in (r.first, r.second)) + (r.op in CHOOSES)
        longest = size + bool(seen) - of_values
        # Two dates of linked things are three claims at least, so at a low level there is no room for a step in front of them.
        lengths = (
            (longest,)
            if seen
            else (longest, longest - 1)
            if longest > 0
            else (1,)
            if 1 + of_values == size + 1
            else ()
        )
        for start, way in self._ways(graph, lengths):
            met = {start, *(k.target for k in way)}
            last = way[-1].target if way else start
            if ends <= met and last in ends and all(o.node == start for o in seen):
                yield from (
                    self._chosen(start, way, r, draw)
                    if r.op in CHOOSES
                    else [self._result(start, way, r)]
                )

    def _result(self, start: str, way: tuple[Link, ...], r: Reasoning) -> Draft:
        clauses, bindings, hops = self._along(start, way)
        at = {node: var for var, node in bindings.items()}
        args = []
        for name, o in (("b", r.first), ("c", r.second)):
            var = "r" if o.seen else name
            clauses += (
                _reads(o)
                if o.seen
                else ClaimClause(subject=at[o.node], property=o.property, object=var),
            )
            bindings[var] = o.value.key()
            args.append(var)
        return self._computed(
            clauses,
            bindings,
            hops,
            start,
            (args[0], args[1]),
            r.op,
            r.result,
            "years" if r.first.value.kind == "time" else "",
        )

    def _chosen(
        self, start: str, way: tuple[Link, ...], r: Reasoning, draw: Random
    ) -> Iterator[Draft]:
        """An attribute of the thing that wins; the other must have another, or nothing would have to be compared."""
        clauses, bindings, hops = self._along(start, way)
        at = {node: var for var, node in bindings.items()}
        winner = r.result.entity
        loser = ({r.first.node, r.second.node} - {winner}).pop()
        clauses += tuple(
            ClaimClause(subject=at[o.node], property=o.property, object=key)
            for key, o in (("b", r.first), ("c", r.second))
        )
        clauses += (
            Compute(out="w", op=r.op, args=(at[r.first.node], at[r.second.node]), keys=("b", "c")),
        )
        bindings |= {"b": r.first.value.key(), "c": r.second.value.key(), "w": winner}
        taken = {r.first.property, *(k.property for k in way)}
        for claim, answer in self._attributes(winner, frozenset(bindings.values()), draw):
            other = best_values(self.facts, loser, claim.property)
            if (
                claim.property not in taken | {PLACE_OF.get(r.first.property, "")}
                and other
                and claim.value.key() not in {v.key() for v in other}
            ):
                yield self._ask_attribute(clauses, bindings, hops, start, "w", claim, answer)
                return

    def _along(
        self, start: str, way: tuple[Link, ...]
    ) -> tuple[tuple[Clause, ...], dict[str, str], tuple[Hop, ...]]:
        """The clauses of a way, what its variables stand for, and its hops."""
        clauses: tuple[Clause, ...] = (Image(var="x0"),)
        bindings, hops = {"x0": start}, list[Hop]()
        for i, link in enumerate(way):
            hop = Hop(
                source=f"x{i}", target=f"x{i + 1}", property=link.property, reverse=link.reverse
            )
            clauses += step_clauses(self.facts, hop, link)
            bindings[hop.target] = link.target
            hops.append(hop)
        return clauses, bindings, tuple(hops)

    def _attributes(
        self, node: str, avoid: frozenset[str], draw: Random | None = None
    ) -> list[tuple[Claim, Answer]]:
        entity = self.facts.entity(node)
        assert entity is not None
        found = answerable(self.facts, entity, self.rules.max_answer_words, avoid | {node})
        return [
            (c, a)
            for _, c, a in sorted(
                found, key=lambda f: (-f[0] * (draw.random() if draw else 1.0), f[1].id)
            )
        ]

    def _ask_attribute(
        self,
        clauses: tuple[Clause, ...],
        bindings: dict[str, str],
        hops: tuple[Hop, ...],
        anchor: str,
        var: str,
        claim: Claim,
        answer: Answer,
    ) -> Draft:
        asked = ClaimClause(subject=var, property=claim.property, object="a")
        told = _told_apart(self.facts, claim.subject, claim.property, claim.value.entity, "a")
        form = Form(clauses=(*clauses, asked, *told), ask=_ask("a", answer))
        return Draft(
            text="",
            answer=answer,
            form=form,
            bindings={**bindings, "a": claim.value.key()},
            hops=hops,
            anchor=anchor,
        )

    def _computed(
        self,
        clauses: tuple[Clause, ...],
        bindings: dict[str, str],
        hops: tuple[Hop, ...],
        anchor: str,
        args: tuple[str, str | Value],
        op: str,
        result: Value,
        unit: str,
    ) -> Draft:
        answer = answer_of(self.facts, result, unit_label=unit)
        assert answer is not None, "a number is an answer"
        form = Form(clauses=(*clauses, Compute(out="n", op=op, args=args)), ask=_ask("n", answer))
        return Draft(
            text="",
            answer=answer,
            form=form,
            bindings={**bindings, "n": result.key()},
            hops=hops,
            anchor=anchor,
        )


def repeats(link: Link, property: str) -> bool:
    """Whether a step over a property after a link would be more of the same: the town of the district of the town."""
    step = property_use(link.property).step
    return bool(step) and step == property_use(property).step


def step_clauses(facts: Lookups, hop: Hop, link: Link) -> tuple[Clause, ...]:
    """The claim of a step, and the class of its target where that tells it from the property's other values."""
    subject, value = (hop.target, hop.source) if link.reverse else (hop.source, hop.target)
    told = (
        ()
        if link.reverse
        else _told_apart(facts, link.source, link.property, link.target, hop.target)
    )
    return (ClaimClause(subject=subject, property=link.property, object=value), *told)


def _told_apart(
    facts: Lookups, source: str, property: str, target: str, var: str
) -> tuple[ClassClause, ...]:
    if not target or single_value(facts, source, property) is not None:
        return ()
    return (ClassClause(var=var, class_id=find_descriptor_class(facts, target)),)


def _reads(seen: Observation) -> Reads:
    return Reads(var="r", of="x0", property=seen.property, part=seen.part)


def _ask(var: str, answer: Answer) -> Ask:
    return Ask(var=var, type=answer.type, unit=answer.unit, precision=answer.precision)
