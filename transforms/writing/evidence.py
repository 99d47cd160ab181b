"""The evidence graph of an exploration (ODE 3.1): what was found around a seed, what is seen on its pictures, what follows from several of them.

explored nodes     entities, with or without a picture, and the claims between them
perception nodes   a detail of a node's picture, seen on close look (`questloom.records.form.Reads`)
reasoning nodes    a value computed of two observations (`questloom.records.form.Compute`)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from questloom.records.knowledge import Value


@dataclass(frozen=True, kw_only=True)
class Node:
    """An entity of the graph."""

    id: str
    pictured: bool
    """Whether one of its pictures may be shown."""
    found_from: str = ""
    """The node around which it was found; "" for the seed."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """A step from one node to another over a claim, along or against its direction, that a question may take."""

    source: str
    target: str
    property: str
    reverse: bool
    """The claim's subject is the target."""
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One value of a node: of a claim, or of a detail of its picture."""

    node: str
    property: str
    value: Value
    part: str = ""
    """Of a detail, as `questloom.records.knowledge.Detail` names it."""
    seen: bool = False
    """Whether it is to be seen on the picture."""


@dataclass(frozen=True, kw_only=True)
class Reasoning:
    """What follows from two observations that belong together."""

    op: str
    """Of `questloom.records.form.OPERATIONS`."""
    first: Observation
    second: Observation
    result: Value
    """A number, or for earliest, latest, largest and smallest the node that wins."""


@dataclass(frozen=True, kw_only=True)
class EvidenceGraph:
    """A seed's graph. `nodes` begins with the seed; every other node is linked to an earlier one."""

    nodes: tuple[Node, ...]
    links: tuple[Link, ...] = ()
    perceptions: tuple[Observation, ...] = ()
    reasonings: tuple[Reasoning, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(n.id for n in self.nodes)

    def from_node(self, node: str) -> list[Link]:
        """The links that lead away from a node."""
        return [link for link in self.links if link.source == node]

    def pictured(self) -> list[str]:
        """The nodes with a picture that may be shown, the seed first."""
        return [n.id for n in self.nodes if n.pictured]

    def ways(self, start: str, num_links: int) -> Iterator[tuple[Link, ...]]:
        """The ways of so many links from a node that meet no node twice."""
        yield from self._ways((), start, frozenset({start}), num_links)

    def _ways(
        self, done: tuple[Link, ...], at: str, met: frozenset[str], left: int
    ) -> Iterator[tuple[Link, ...]]:
        if not left:
            yield done
            return
        for link in self.from_node(at):
            if link.target not in met:
                yield from self._ways((*done, link), link.target, met | {link.target}, left - 1)

    def to_json(self) -> dict[str, Any]:
        """Small JSON, for the question's row: nodes, links, perceptions and reasonings by ids and value keys."""

        def told(o: Observation) -> list[str]:
            return [o.node, o.property, o.part, o.value.key()]

        return {
            "nodes": [[n.id, n.pictured, n.found_from] for n in self.nodes],
            "links": [[k.source, k.property, k.target, k.reverse] for k in self.links],
            "perceptions": [told(o) for o in self.perceptions],
            "reasonings": [
                [r.op, told(r.first), told(r.second), r.result.key()] for r in self.reasonings
            ],
        }
