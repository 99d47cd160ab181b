"""The path of a question as a graph for a drawing. Nodes are the picture, entities, described
values, operations and the answer."""

from typing import Any

from questloom.pipeline.report.people_names import Names, read_words, vague_words
from questloom.records.form import (
    ClaimClause,
    ClassClause,
    Compare,
    Compute,
    Form,
    Fuzzy,
    Image,
    Reads,
    SentenceClause,
    Term,
    variables,
)
from questloom.records.knowledge import Value
from questloom.records.synthesis import Question
from questloom.transforms.reason_words import words

PICTURE = "picture"
_OP_WORDS = {"<": "is less than", ">": "is more than", "=": "equals"}


class _Graph:
    def __init__(self, question: Question, names: Names) -> None:
        self.question, self.names = question, names
        self.nodes: dict[str, dict[str, Any]] = {
            PICTURE: {"id": PICTURE, "kind": "picture", "label": "picture", "sub": ""}
        }
        self.edges: list[dict[str, Any]] = []

    def variable(self, var: str, answer: str) -> str:
        if var not in self.nodes:
            bound = self.question.bindings.get(var, "")
            label = self.question.answer.text if var == answer else self.names.key(bound) or var
            self.nodes[var] = {
                "id": var,
                "kind": "answer" if var == answer else "entity",
                "label": label,
                "sub": "",
            }
        return var

    def term(self, term: Term, answer: str) -> str:
        if isinstance(term, Value):
            key = f"constant {len(self.nodes)}"
            self.nodes[key] = {
                "id": key,
                "kind": "constant",
                "label": self.names.value(term),
                "sub": "",
            }
            return key
        return self.variable(term, answer)

    def edge(self, source: str, target: str, label: str, kind: str = "claim") -> None:
        self.edges.append({"from": source, "to": target, "label": label, "kind": kind})

    def _vague(self, clause: Fuzzy, answer: str) -> str:
        """A node for a value that the question only describes. A described thing that the picture
        shows has a second node, without the description."""
        said, term = self.names, clause.object
        label = said.value(term) if isinstance(term, Value) else self.variable(term, answer)
        bound = self.question.bindings.get(str(term), "")
        key = f"constant {len(self.nodes)}"
        text = vague_words(clause, said, said.key(bound) if bound else label)
        self.nodes[key] = {"id": key, "kind": "constant", "label": text, "sub": ""}
        return key

    def add(self, clause: Any, answer: str) -> None:
        match clause:
            case Image():
                self.edge(PICTURE, self.variable(clause.var, answer), "shows", "shows")
            case ClaimClause():
                self.edge(
                    self.term(clause.subject, answer),
                    self.term(clause.object, answer),
                    self.names.property(clause.property),
                )
            case SentenceClause():
                self.edge(
                    clause.subject,
                    self.term(clause.object, answer),
                    clause.relation or "told in an article",
                    "sentence",
                )
            case ClassClause():
                self.nodes[self.variable(clause.var, answer)]["sub"] = self.names.entity(
                    clause.class_id
                )
            case Compare():
                self.edge(
                    self.term(clause.left, answer),
                    self.term(clause.right, answer),
                    _OP_WORDS[clause.op],
                    "compare",
                )
            case Fuzzy():
                self.edge(
                    self.variable(clause.subject, answer),
                    self._vague(clause, answer),
                    self.names.property(clause.property),
                )
            case Reads():  # on the question's picture, or on one of a thing that is found first
                form = self.question.logical_form
                is_shown = form is not None and clause.of == form.anchor
                self.edge(
                    PICTURE if is_shown else self.variable(clause.of, answer),
                    self.variable(clause.var, answer),
                    f"{'reads' if is_shown else 'its picture reads'}: {read_words(clause, self.names)}",
                    "reads",
                )
            case Compute():
                node = f"operation {len(self.nodes)}"
                self.nodes[node] = {
                    "id": node,
                    "kind": "operation",
                    "label": words(clause.op),
                    "sub": "",
                }
                for arg in (*clause.args, *clause.keys):
                    self.edge(self.term(arg, answer), node, "", "compute")
                self.edge(node, self.variable(clause.out, answer), "gives", "compute")


def question_graph(question: Question, names: Names) -> dict[str, Any]:
    """The graph as JSON: {"nodes": [{id, kind, label, sub}], "edges": [{from, to, label, kind}],
    "answer": the id of a node}.

    The graph is built from the question's logical form. If the question has no logical form, the
    graph is built from the hops.
    """
    graph = _Graph(question, names)
    form = question.logical_form
    if form is not None:
        _from_form(graph, form)
        answer = form.ask.var
    else:
        answer = question.hops[-1].target if question.hops else "answer"
        for hop in question.hops:
            source, target = graph.variable(hop.source, answer), graph.variable(hop.target, answer)
            ends = (target, source) if hop.reverse else (source, target)
            graph.edge(*ends, names.property(hop.property), "claim" if hop.property else "sentence")
        first = question.hops[0].source if question.hops else graph.variable(answer, answer)
        graph.edge(PICTURE, first, "shows", "shows")
    return {"nodes": list(graph.nodes.values()), "edges": graph.edges, "answer": answer}


def _from_form(graph: _Graph, form: Form) -> None:
    answer = form.ask.var
    for clause in form.clauses:  # variables first, so that nodes keep the order of the form
        for var in variables(clause):
            graph.variable(var, answer)
    for clause in form.clauses:
        graph.add(clause, answer)
