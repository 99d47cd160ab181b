"""Prepares the kept questions for the page. The search index has one row for each question. A data
file holds the details."""

from collections.abc import Mapping
from typing import Any

from questloom.pipeline.report.evidence_text import evidence_text
from questloom.pipeline.report.path_graph import question_graph
from questloom.pipeline.report.people_names import Names, clause_words
from questloom.records.form import ClaimClause, Form
from questloom.records.knowledge import ImageAsset, Value, value_of_key
from questloom.records.synthesis import Certificate, Hop, Question
from questloom.transforms.reason_words import CHECKS, FILTERS, words

NO_RIVAL = 9
"""A margin of at least this value means that no wrong answer came near
(`questloom.transforms.certificate.margin.NO_RIVAL`)."""


def relations(question: Question) -> list[str]:
    """The properties of Wikidata that the question uses, sorted."""
    form = question.form if isinstance(question.form, dict) else {"clauses": []}
    return sorted(
        {c["property"] for c in form["clauses"] if c.get("property")}
        | {h.property for h in question.hops if h.property}
    )


def margin_words(certificate: Certificate | None) -> str:
    """The question's margin as the gallery's filter shows it: a number, "no rival" (no wrong answer
    came near), or "none" (the proof needs no margin)."""
    if certificate is None or certificate.margin < 0:
        return "none"
    return "no rival" if certificate.margin >= NO_RIVAL else str(certificate.margin)


def facets(
    question: Question, names: Names, asset: ImageAsset | None
) -> dict[str, str | list[str]]:
    """A question's values for the filters of the page. The keys are the names of the filters."""
    made = question.certificate
    needs = [
        w
        for w, needed in (
            ("close-up detail", question.needs_detail),
            ("computation", question.needs_computation),
            ("picture repair", question.enhancement is not None),
        )
        if needed
    ]
    return {
        "level": question.level,
        "method": question.method,
        "domain": words(question.domain),
        "topic": question.topic or "none",
        "answer": question.answer.type,
        "relation": [names.property(p) for p in relations(question)],
        "hops": str(made.effective_hops) if made and made.effective_hops is not None else "unknown",
        "margin": margin_words(made),
        "basis": made.basis if made else "none",
        "route": f"{question.route.calls} calls" if question.route else "unknown",
        "interest": f"{question.interest:.0f} of 5" if question.interest else "unknown",
        "needs": needs or ["nothing special"],
        "licence": (asset.licence if asset else "") or "unknown",
        "split": question.split or "none",
    }


def _constant(hop: Hop, question: Question) -> Value | None:
    """The fixed value at one end of a hop, if the formal query has no variable there."""
    subject, value = (hop.target, hop.source) if hop.reverse else (hop.source, hop.target)
    form = question.logical_form
    for clause in form.of(ClaimClause) if form else ():
        if clause.property == hop.property:
            if not subject and clause.object == value and isinstance(clause.subject, Value):
                return clause.subject
            if not value and clause.subject == subject and isinstance(clause.object, Value):
                return clause.object
    fuzzed = question.certificate.fuzzed if question.certificate else ()
    told = next((f for f in fuzzed if (f.var, f.property) == (subject, hop.property)), None)
    return value_of_key(told.value) if told else None


def hop_words(hop: Hop, question: Question, names: Names) -> dict[str, Any]:
    """One hop of a question, with the names of its two ends and the evidence for it."""

    def end(var: str) -> str:
        if not var:
            constant = _constant(hop, question)
            return names.value(constant) if constant else ""
        bound = question.bindings.get(var, "")
        return names.key(bound) if bound else var

    subject = question.bindings.get(hop.target if hop.reverse else hop.source, "")
    return {
        "from": end(hop.source),
        "to": end(hop.target),
        "label": names.property(hop.property),
        "reverse": hop.reverse,
        "evidence": hop.evidence,
        "revision": hop.revision,
        "stated": hop.stated,
        "article": hop.page or (names.entity(subject) if hop.article_id and subject else ""),
        "claim": hop.claim_id,
        "entity": subject,
    }


def _certificate(question: Question, names: Names) -> dict[str, Any] | None:
    made = question.certificate
    if made is None:
        return None
    known = {
        h.claim_id: f"{a['from']} — {a['label']} — {a['to']}"
        for h in made.evidence
        for a in [hop_words(h, question, names)]
        if h.claim_id
    }
    rival = made.nearest_rival
    if rival is not None and names.sources is not None and set(made.breaking_claims) - known.keys():
        known.update(
            (
                c.id,
                f"{names.entity(c.subject)} — {names.property(c.property)} — {names.value(c.value)}",
            )
            for c in names.sources.claims(rival.entity_id)
        )
    smallest = Form.from_json(made.smallest_part) if made.smallest_part else None
    return {
        "basis": made.basis,
        "margin": margin_words(made),
        "nominal": made.nominal_hops,
        "effective": made.effective_hops,
        "without": made.answers_without_picture,
        "breaking": [known.get(c, f"claim {c}") for c in made.breaking_claims],
        "rival": rival
        and {
            "id": rival.entity_id,
            "label": rival.label or names.entity(rival.entity_id),
            "gaps": [names.spoken(g) for g in rival.gaps],
            "num": rival.num_gaps,
            "of": names.key(question.bindings.get(rival.var, "")) or rival.var,
        },
        "fuzzed": [
            {
                "kind": f.kind,
                "claim": f"{names.key(question.bindings.get(f.var, ''))} — {names.property(f.property)} — {names.key(f.value)}",
                "before": f.before,
                "after": f.after,
            }
            for f in made.fuzzed
        ],
        "smallest": clause_words(smallest, names, question.bindings) if smallest else [],
        "checks": [
            {
                "name": words(c.name),
                "passed": c.passed,
                "score": c.score,
                "evidence": evidence_text(c.evidence, names),
                "about": CHECKS.get(c.name, ""),
            }
            for c in made.checks
        ],
        "votes": evidence_text(made.votes, names),
    }


def _picture(asset: ImageAsset) -> dict[str, Any]:
    return {
        "file": asset.file,
        "author": asset.author,
        "licence": asset.licence,
        "licenceUrl": asset.licence_url,
        "credit": asset.credit,
        "page": asset.source_page,
        "width": asset.width,
        "height": asset.height,
    }


def detail(
    question: Question,
    names: Names,
    asset: ImageAsset | None,
    helps: Mapping[str, str] = FILTERS,
) -> dict[str, Any]:
    """The details of a question that its row of the index lacks. `helps` says, for each filter,
    what passing the filter means."""
    hops = (
        question.certificate.evidence
        if question.certificate and question.certificate.evidence
        else question.hops
    )
    answer = question.answer
    return {
        "id": question.id,
        "seed": question.seed_id,
        "entity": question.seed_entity,
        "name": names.entity(question.seed_entity),
        "writer": question.writer,
        "language": question.language,
        "image": question.image_id,
        "aliases": list(answer.aliases),
        "unit": names.entity(answer.unit),
        "precision": answer.precision,
        "picture": asset and _picture(asset),
        "grounding": evidence_text(question.grounding, names),
        "provenance": evidence_text(question.provenance, names),
        "enhancement": question.enhancement
        and {
            "degradation": question.enhancement.degradation,
            "tool": question.enhancement.tool,
            "severity": question.enhancement.severity,
            "original": question.enhancement.original_image_id,
        },
        "graph": question_graph(question, names),
        "hops": [hop_words(h, question, names) for h in hops],
        "certificate": _certificate(question, names),
        "verdicts": [
            {
                "filter": v.filter,
                "about": helps.get(v.filter, ""),
                "passed": v.passed,
                "solver": v.solver,
                "samples": v.num_samples,
                "correct": v.num_correct,
                "evidence": evidence_text(v.evidence, names),
            }
            for v in sorted(question.verdicts, key=lambda v: v.filter)
        ],
    }


class Index:
    """The search index of the gallery. Each column is stored as one list. The values of filters are
    stored as small numbers, so that filtering is fast."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Any]] = {
            "text": [],
            "reply": [],
            "image": [],
            "phrase": [],
            "nominal": [],
        }
        self.values: dict[str, dict[str, int]] = {}
        self.codes: dict[str, list[Any]] = {}

    def __len__(self) -> int:
        return len(self.columns["text"])

    def add(self, question: Question, found: dict[str, str | list[str]]) -> int:
        """Adds a row. Returns the number of the new row."""
        made = question.certificate
        row = {
            "text": question.text,
            "reply": question.answer.text,
            "image": question.image_id,
            "phrase": question.anchor_phrase,
            "nominal": made.nominal_hops if made else len(question.hops),
        }
        for name, value in row.items():
            self.columns[name].append(value)
        for facet, value in found.items():
            known = self.values.setdefault(facet, {})
            many = value if isinstance(value, list) else [value]
            codes = [known.setdefault(v, len(known)) for v in many]
            self.codes.setdefault(facet, []).append(codes if isinstance(value, list) else codes[0])
        return len(self) - 1

    def payload(self) -> dict[str, Any]:
        """The index as JSON. The value of `facets` is {name: {"values": […], "codes": [code or list
        of codes per row]}}."""
        return {
            **self.columns,
            "facets": {
                name: {"values": list(self.values[name]), "codes": self.codes[name]}
                for name in self.values
            },
        }
