"""The evidence graph of an explored question for drawing (ODE, arXiv 2605.10832, section 3.1): what was found, and what of it the question takes."""

from collections.abc import Sequence
from typing import Any

from questloom.pipeline.report.path_graph import PICTURE
from questloom.pipeline.report.people_names import Names
from questloom.records.form import ClaimClause, Term
from questloom.records.knowledge import VALUE_KINDS, Value
from questloom.records.synthesis import Question
from questloom.transforms.reason_words import words


class _Graph:
    def __init__(self, question: Question, names: Names) -> None:
        self.question, self.names = question, names
        form = question.logical_form
        self.claims = (
            [(self._key(c.subject), c.property, self._key(c.object)) for c in form.of(ClaimClause)]
            if form
            else []
        )
        self.answer = question.bindings.get(form.ask.var, "") if form else ""
        self.taken = {
            question.anchor,
            *(end for subject, _, value in self.claims for end in (subject, value)),
        }
        self.nodes: dict[str, dict[str, Any]] = {
            PICTURE: {"id": PICTURE, "kind": "picture", "label": "picture", "sub": ""}
        }
        self.edges: dict[tuple[str, str, str], dict[str, Any]] = {}

    def _key(self, term: Term) -> str:
        return term.key() if isinstance(term, Value) else self.question.bindings.get(term, "")

    def node(self, key: str) -> str:
        """The node of an entity, or of a value by its key."""
        literal = key.partition(":")[0] in VALUE_KINDS
        kind = (
            "answer"
            if key == self.answer
            else "constant"
            if literal
            else "entity"
            if key in self.taken
            else "found"
        )
        self.nodes.setdefault(
            key, {"id": key, "kind": kind, "label": self.names.key(key), "sub": ""}
        )
        return key

    def edge(self, source: str, target: str, label: str, kind: str) -> None:
        self.edges.setdefault(
            (source, target, label), {"from": source, "to": target, "label": label, "kind": kind}
        )

    def claim(self, subject: str, property_id: str, value: str) -> None:
        kind = "claim" if (subject, property_id, value) in self.claims else "found"
        self.edge(self.node(subject), self.node(value), self.names.property(property_id), kind)

    def observed(self, observation: Sequence[str]) -> str:
        """The node of a value of a node's claim, or of a detail on its picture."""
        of, property_id, part, key = observation
        if part:
            self.edge(
                self.node(of),
                self.node(key),
                f"reads: {self.names.property(property_id)}, {self.names.entity(part)}",
                "reads",
            )
        else:
            self.claim(of, property_id, key)
        return key


def evidence_graph(question: Question, names: Names) -> dict[str, Any] | None:
    """What `path_graph.question_graph` gives, of the evidence graph of an explored question; None where the question was not explored.

    Entities and claims that the question takes are of the kinds "entity" and "claim", the others "found". Details that are read on a picture, and what is
    computed, are nodes too. What the question needs beyond the graph (the step by which it was deepened, descriptions) is added from its form.
    """
    explored = question.explored
    if not isinstance(explored, dict):
        return None
    graph = _Graph(question, names)
    graph.edge(PICTURE, graph.node(question.anchor or question.seed_entity), "shows", "shows")
    for key, pictured, _ in explored["nodes"]:
        graph.nodes[graph.node(key)]["sub"] = "has a picture" if pictured else ""
    for source, property_id, target, reverse in explored["links"]:
        graph.claim(*((target, property_id, source) if reverse else (source, property_id, target)))
    for observation in explored["perceptions"]:
        graph.observed(observation)
    for op, first, second, result in explored["reasonings"]:
        node = f"operation {len(graph.nodes)}"
        graph.nodes[node] = {"id": node, "kind": "operation", "label": words(op), "sub": ""}
        for observation in (first, second):
            graph.edge(graph.observed(observation), node, "", "compute")
        graph.edge(node, graph.node(result), "gives", "compute")
    for claim in graph.claims:
        graph.claim(*claim)
    return {
        "nodes": list(graph.nodes.values()),
        "edges": list(graph.edges.values()),
        "answer": graph.answer if graph.answer in graph.nodes else "",
    }
