"""The driver of an exploration (ODE 3.1): seed, evidence graph, reasoning and perception nodes, plans, one deepening, and what accepts the question."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil

from questloom.records.form import Reads
from questloom.records.identity import chance
from questloom.records.knowledge import Entity
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Hop, Seed
from questloom.transforms.certificate.certify import Refusal, certify_form, given_by_picture
from questloom.transforms.drafting.accept import Accept, binding_of
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.exploration.curating import Curator, num_claims
from questloom.transforms.drafting.exploration.deepening import deeper
from questloom.transforms.drafting.exploration.growing import Shown, grown
from questloom.transforms.drafting.exploration.reasoning import reasonings
from questloom.transforms.drafting.interest import by_interest
from questloom.transforms.drafting.paths import describe_bridges
from questloom.transforms.drafting.schedule import SEARCH
from questloom.transforms.drafting.trail import Trail
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.readings import sure_readings
from questloom.transforms.writing.evidence import EvidenceGraph, Node, Observation
from questloom.transforms.writing.explorer import Explorer, attempt_of, seed_of
from questloom.transforms.writing.writer import Draft, Writer

MOST_CLAIMS = 5
"""As many claims as a reader keeps in mind."""
DEEPER = 4
"""Ways to deepen a plan that are tried."""
REASONING = "reasoning"


@dataclass(frozen=True, kw_only=True)
class Exploration:
    """What an exploration needs beside its seed.

    Args:
        facts: the store.
        explorer: plays the roles.
        composer: describes nodes by their claims; its words are used only where the writer is itself.
        writer: words and reads back the finished draft.
        accept: the judge.
        rules: the recipe's.
        shown: whether an entity may be a question's picture.
        recipe_seed: for every draw.
    """

    facts: Lookups
    explorer: Explorer
    composer: Writer
    writer: Writer
    accept: Accept
    rules: DraftRules
    shown: Shown
    recipe_seed: int

    async def draft(self, seed: Seed, entity: Entity, trail: Trail) -> Draft | None:
        """A draft of the seed's ability and level; None when all evidence graphs failed, the reasons being on the trail."""
        if why := await trail.attempt(
            "propose_seed", self.explorer.propose_seed(attempt_of(seed, 0), entity)
        ):
            trail.add(Refusal(reason=Reason.POOR_SEED, evidence={"why": why}), entity.label())
            return None
        for number in range(self.rules.explore.graphs):
            attempt = attempt_of(seed, number)
            graph = await self._graph(attempt, entity, trail)
            plans = self._plans(attempt, graph, trail)
            finished = await self._first_finished(attempt, graph, plans, trail)
            if finished is not None:
                return replace(finished, explored=graph.to_json())
        return None

    async def _graph(self, seed: Seed, entity: Entity, trail: Trail) -> EvidenceGraph:
        """The evidence graph; what is answered from the picture alone needs no exploring."""
        explore = self.rules.explore
        if SEARCH in seed.ability:
            graph = await trail.attempt(
                "explore",
                grown(
                    seed,
                    entity,
                    self.facts,
                    self.rules,
                    self.explorer,
                    self.shown,
                    reasons=REASONING in seed.ability,
                ),
            )
        else:
            graph = EvidenceGraph(nodes=(Node(id=entity.id, pictured=self.shown(entity.id)),))
        if graph is None:
            return EvidenceGraph(nodes=())
        seen = [
            Observation(node=n, property=d.property, part=d.part, value=d.value, seen=True)
            for n in graph.pictured()
            for d in sure_readings(self.facts, n)
        ]
        most = max(
            round(explore.perception_ratio * len(graph.pictured())),
            0 if SEARCH in seed.ability else 1,
        )
        if seen and most:
            graph = replace(
                graph,
                perceptions=tuple(
                    await trail.attempt("perceive", self.explorer.perceive(seed, graph, seen, most))
                    or ()
                ),
            )
        if SEARCH in seed.ability and REASONING in seed.ability:
            fits = self._curator(seed)
            found = [
                r
                for r in reasonings(graph, self.facts, self.rules.max_answer_words)
                if fits(replace(graph, reasonings=(r,)))
            ]
            most = max(1, ceil(explore.reasoning_ratio * len(graph.nodes)))
            if found:
                graph = replace(
                    graph,
                    reasonings=tuple(
                        await trail.attempt(
                            "reason", self.explorer.reason(seed, graph, found, most)
                        )
                        or ()
                    ),
                )
            else:
                trail.add_reason(Reason.NO_REASONING, entity.label())
        return graph

    def _curator(self, seed: Seed) -> Callable[[EvidenceGraph], list[Draft]]:
        """Makes the plans of a graph for the seed, which have room for one step more."""
        curator, size = (
            Curator(self.facts, self.rules),
            self.rules.explore.claims[seed.level] - 1,
        )
        return lambda graph: curator.plans(
            graph, seed.ability, size, chance(self.recipe_seed, seed.id, "plans")
        )

    def _plans(self, seed: Seed, graph: EvidenceGraph, trail: Trail) -> list[Draft]:
        """The plans of a graph that may be worth their while, the most interesting first."""
        found = self._curator(seed)(graph)
        if not found:
            trail.add_reason(Reason.NO_PLAN, graph.nodes[0].id if graph.nodes else "")
        room = MOST_CLAIMS - self.rules.explore.claims[seed.level]
        # A step against a claim's direction leads to a thing that has to be described, by a claim more as a rule.
        return sorted(
            by_interest(found, self.facts),
            key=lambda p: max(0, sum(h.reverse for h in p.hops) - room),
        )

    async def _first_finished(
        self, attempt: Seed, graph: EvidenceGraph, plans: list[Draft], trail: Trail
    ) -> Draft | None:
        """The first plan that is accepted, deepened where it has room for it."""
        ready: list[tuple[Draft, list[Draft]]] = []
        hopeless, num_tried = set[tuple[str, tuple[Hop, ...]]](), 0
        for plan in plans:
            if (plan.anchor, plan.hops) in hopeless or num_tried == self.rules.explore.plans:
                continue
            num_tried += 1
            if guessed := self.accept.guessed(plan):
                trail.add(guessed, plan.answer.text)
                continue
            described = await describe_bridges(
                plan, attempt, self.composer, self.accept, self.rules, trail
            )
            if described is None:
                hopeless.add((plan.anchor, plan.hops))
            elif found := await self._ready(attempt, graph, plan, described, trail):
                ready.append((described, found))
            if len(ready) == self.explorer.at_once:
                if finished := await self._worded(attempt, graph, ready, trail):
                    return finished
                ready = []
        return await self._worded(attempt, graph, ready, trail) if ready else None

    async def _ready(
        self, seed: Seed, graph: EvidenceGraph, plan: Draft, described: Draft, trail: Trail
    ) -> list[Draft]:
        """The forms of a described plan that would get a certificate: deepened by one step, or as it is where it is read off its own picture or is long
        enough."""
        assert plan.form is not None
        deepens = (
            SEARCH in seed.ability
            and not plan.form.of(Reads)
            and num_claims(plan.form) < self.rules.explore.claims[seed.level]
        )
        offered = (
            deeper(
                described,
                graph,
                self.facts,
                self.rules,
                self.shown,
                self.recipe_seed,
                seed.id,
            )
            if deepens
            else [described]
        )
        if not offered:
            trail.add_reason(Reason.NOT_DEEPENED, described.answer.text)
        found = []
        for draft in offered[:DEEPER]:
            whole = (
                await describe_bridges(draft, seed, self.composer, self.accept, self.rules, trail)
                if deepens
                else draft
            )
            if whole is not None and self._certified(whole, seed, trail):
                found.append(whole)
                if len(found) == self.explorer.at_once:
                    break
        return found

    def _certified(self, draft: Draft, seed: Seed, trail: Trail) -> bool:
        """Whether a form would get a certificate and asks for what its level asks for."""
        assert draft.form is not None
        if (
            SEARCH in seed.ability
            and num_claims(draft.form) < self.rules.explore.claims[seed.level]
        ):
            trail.add_reason(Reason.OFF_LEVEL, draft.answer.text)
            return False
        made = certify_form(
            draft.form,
            self.facts,
            given_by_picture(draft.form, binding_of(draft.bindings)),
            draft.bindings,
            self.accept.rules,
        )
        if isinstance(made, Refusal):
            trail.add(made, draft.answer.text)
            return False
        return True

    async def _worded(
        self,
        attempt: Seed,
        graph: EvidenceGraph,
        ready: list[tuple[Draft, list[Draft]]],
        trail: Trail,
    ) -> Draft | None:
        """The first of some certified plans whose words are accepted."""
        order = (
            await trail.attempt(
                "curate", self.explorer.curate(attempt, graph, [plan for plan, _ in ready])
            )
            or []
        )
        for place, plan in order:
            forms = ready[place][1]
            drafts = [replace(plan, form=d.form) for d in forms if len(d.hops) == len(plan.hops)]
            if not drafts:
                drafts = (
                    await trail.attempt("deepen", self.explorer.deepen(attempt, plan, forms)) or []
                )
            for draft in drafts:
                finished = await self.accept.finished(draft, self.writer, seed_of(attempt)[0])
                if isinstance(finished, Draft):
                    return finished
                trail.add(finished, draft.answer.text)
        return None
