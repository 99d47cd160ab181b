"""The roles of an exploration (ODE 3.1) by a chat model: it chooses by numbers among what the store gives, and words the plans that it chose.

It has no way to add a claim, a detail or a step. The form of a plan was certified before the model sees it; its words are held against the form by rules here,
and read back by `check_words` afterwards. A role with nothing to choose costs no call.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from questloom.prompts import replies
from questloom.prompts.fence import Fenced, fenced
from questloom.records.knowledge import Entity, Value
from questloom.records.synthesis import Seed
from questloom.transforms.facts.readings import sure_readings
from questloom.transforms.writing.evidence import EvidenceGraph, Link, Observation, Reasoning
from questloom.transforms.writing.explorer import seed_of
from questloom.transforms.writing.llm.draft_parts import blocks, question_values
from questloom.transforms.writing.llm.evidence_words import clause_words, kinds_lines, roles_of
from questloom.transforms.writing.llm.llm_writer import LlmWriter, Read
from questloom.transforms.writing.llm.material import property_label, value_words
from questloom.transforms.writing.llm.word_proof import things
from questloom.transforms.writing.writer import Draft

_T = TypeVar("_T")
_PROCEDURE = re.compile(
    r"\b(?:zoom\w*|crop\w*|ocr|search (?:for|the)|look(?:ing)? up|google\w*|(?:image|reverse|web) search|calculat\w*|comput\w*|tools?"
    r"|step \d)\b|<image:\d+>|\b(?:image|picture) \d+\b",
    re.IGNORECASE,
)
"""How to find an answer is for its reader to find out, and pictures have no numbers there."""


@dataclass(frozen=True)
class LlmExplorer(LlmWriter):
    """Implements `questloom.transforms.writing.explorer.Explorer`; beside them it has the writer's roles, of which it uses the reading of replies."""

    at_once: int = 3

    async def _ask(
        self,
        role: str,
        seed: Seed,
        read: Callable[[Any], Read],
        values: Mapping[str, Any],
        sample: int = 0,
    ) -> Read:
        """Each evidence graph of a seed is another sample of the same prompts: the cache would answer the second as it did the first."""
        seed, number = seed_of(seed)
        return await super()._ask(role, seed, read, values, sample=sample + number)

    async def propose_seed(self, seed: Seed, entity: Entity) -> str:
        shown = self._describing.material(entity, inverse=False)
        seen = [
            Observation(node=entity.id, property=d.property, part=d.part, value=d.value, seen=True)
            for d in sure_readings(self.store, entity.id)
        ]

        def read(reply: replies.SeedProposed) -> str:
            return "" if reply.fit else reply.why or "not worth exploring"

        return await self._ask(
            "propose_seed",
            seed,
            read,
            {
                **self._called(entity),
                "topic": seed.topic or seed.domain,
                "ability": seed.ability.replace("+", ", "),
                "claims": blocks(shown)["claims"],
                "seen": fenced(
                    "seen", "\n".join(map(self._observed, seen)) or "(nothing that is known)"
                ),
            },
        )

    async def explore(
        self, seed: Seed, graph: EvidenceGraph, links: Sequence[Link], most: int
    ) -> list[Link]:
        """At most one link to each node."""
        to = list({k.target: k for k in links}.values())
        chosen = await self._choose(
            "explore",
            seed,
            graph,
            to,
            most,
            self._step,
            name=self._name(to[0].source) if to else "",
        )
        return chosen[:most]

    async def reason(
        self, seed: Seed, graph: EvidenceGraph, found: Sequence[Reasoning], most: int
    ) -> list[Reasoning]:
        return await self._choose("reason", seed, graph, found, most, self._result)

    async def perceive(
        self, seed: Seed, graph: EvidenceGraph, found: Sequence[Observation], most: int
    ) -> list[Observation]:
        return await self._choose("perceive", seed, graph, found, most, self._observed)

    async def curate(
        self, seed: Seed, graph: EvidenceGraph, plans: Sequence[Draft]
    ) -> list[tuple[int, Draft]]:
        def read(reply: replies.Curated) -> list[tuple[int, Draft]]:
            return [
                (worded.number - 1, self._worded(plans, worded))
                for worded in reply.plans
                if worded.number is not None
            ]

        return await self._ask(
            "curate", seed, read, {"plans": self._plans(plans), "most": len(plans)}
        )

    async def deepen(self, seed: Seed, draft: Draft, deeper: Sequence[Draft]) -> list[Draft]:
        def read(reply: replies.Worded) -> list[Draft]:
            if reply.number is None:
                return []
            made = self._worded(deeper, reply)
            *before, last = made.history
            told = last.replace(
                before=draft.text,
                after=reply.question,
                fact="; ".join(self._new_lines(draft, made)),
            )
            return [replace(made, history=(*before, told))]

        return await self._ask(
            "deepen",
            seed,
            read,
            {**question_values(draft), "phrase": draft.anchor_phrase, "plans": self._plans(deeper)},
        )

    async def _choose(
        self,
        role: str,
        seed: Seed,
        graph: EvidenceGraph,
        found: Sequence[_T],
        most: int,
        words: Callable[[_T], str],
        **values: str,
    ) -> list[_T]:
        """The model's choice among numbered lines."""
        if len(found) <= most:
            return list(found)

        def read(reply: replies.Chosen) -> list[_T]:
            if wrong := [n for n in reply.numbers if not 1 <= n <= len(found)]:
                raise ValueError(
                    f"there is no line {wrong[0]}; the lines are numbered 1 to {len(found)}"
                )
            return [found[n - 1] for n in dict.fromkeys(reply.numbers)][:most]

        numbered = "\n".join(f"{n}. {words(each)}" for n, each in enumerate(found, start=1))
        return await self._ask(
            role,
            seed,
            read,
            {
                "graph": self._graph(graph),
                "lines": fenced("lines", numbered),
                "most": most,
                **values,
            },
        )

    def _worded(self, plans: Sequence[Draft], reply: replies.Worded) -> Draft:
        """A chosen plan with its words. Raises ValueError, with words for the model."""
        assert reply.number is not None
        if not 1 <= reply.number <= len(plans):
            raise ValueError(
                f"there is no plan {reply.number}; the plans are numbered 1 to {len(plans)}"
            )
        if hint := _PROCEDURE.search(reply.question):
            raise ValueError(
                f'the question says how to find the answer ("{hint[0]}"); leave that out'
            )
        return self._proven(
            replace(plans[reply.number - 1], text=reply.question, anchor_phrase=reply.phrase)
        )

    # In words

    def _name(self, entity_id: str) -> str:
        return str(self.store.label(entity_id, self.language))

    def _claim(self, subject: str, property: str, value: str) -> str:
        return f"{subject} — {property_label(self.store, property, self.language)}: {value}"

    def _step(self, link: Link) -> str:
        subject, value = (link.target, link.source) if link.reverse else (link.source, link.target)
        entity = self.store.entity(link.target)
        about = entity.descriptions.get(self.language, "") if entity else ""
        pictured = " [picture]" if self.store.images_of(link.target) else ""
        return f"{self._claim(self._name(subject), link.property, self._name(value))}{f' ({self._name(link.target)}: {about})' if about else ''}{pictured}"

    def _value(self, value: Value) -> str:
        return value_words(self.store, value, self.language) or value.key()

    def _observed(self, o: Observation) -> str:
        if not o.seen:
            return self._claim(self._name(o.node), o.property, self._value(o.value))
        part = f" on the {self._name(o.part)}" if o.part else ""
        return f"seen on the picture of {self._name(o.node)}: {property_label(self.store, o.property, self.language)}{part}: {self._value(o.value)}"

    def _result(self, r: Reasoning) -> str:
        return f"{self._value(r.result)} is the {r.op} of ({self._observed(r.first)}) and ({self._observed(r.second)})"

    def _graph(self, graph: EvidenceGraph) -> Fenced:
        lines = [self._step(k) for k in graph.links] or [self._name(n.id) for n in graph.nodes]
        return fenced("graph", "\n".join([*lines, *map(self._observed, graph.perceptions)]))

    def _plans(self, plans: Sequence[Draft]) -> Fenced:
        told = []
        for number, plan in enumerate(plans, start=1):
            lines = clause_words(self.store, plan, self.language)
            kinds = kinds_lines(
                self.store, things(plan), plan.anchor, self.language, roles_of(plan)
            ).splitlines()
            told.append(
                f"Plan {number}. The picture shows {self._name(plan.anchor)}.\n  "
                + "\n  ".join(
                    [
                        *lines,
                        f"Asked: {self._asked_for(plan)}",
                        "Kinds, sexes and occupations by which they may be called:",
                        *(f"  {kind}" for kind in kinds),
                    ]
                )
            )
        return fenced("plans", "\n".join(told))

    def _asked_for(self, plan: Draft) -> str:
        assert plan.form is not None
        ask = plan.form.ask
        how = (
            f", exact to the {ask.precision}"
            if ask.precision
            else f", in {ask.unit}"
            if ask.unit
            else ""
        )
        return f"{plan.answer.text}{how}"

    def _new_lines(self, before: Draft, after: Draft) -> list[str]:
        known = set(clause_words(self.store, before, self.language))
        return [
            line for line in clause_words(self.store, after, self.language) if line not in known
        ]
