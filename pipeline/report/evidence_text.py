"""Turns evidence, which may be any JSON, into text. The names of things replace their ids. If there
are several cases of the same kind, each gets a line."""

import re
from typing import Any

from questloom.pipeline.report.people_names import Names, clause_words
from questloom.records.form import Form
from questloom.records.identity import canonical_json
from questloom.transforms.reason_words import words

MAX_EVIDENCE = 2_000
"""The report shows at most this number of characters of evidence."""
_MACHINE_NAME = re.compile(r"[a-z]+(_[a-z]+)+")
_LACK = re.compile(r"(members|claims|steps|values) (Q\d+)(?: (P\d+))?")
"""What a store lacks, as `transforms/planning/lacking.py` writes it into the evidence."""


def evidence_text(evidence: Any, names: Names) -> str:
    """Evidence in words, such as "margin: 1 · rival: Thalmor School (Q5)". The text is cut after
    `MAX_EVIDENCE` characters. Empty values are left out."""
    text = _say(evidence, names)
    return text if len(text) <= MAX_EVIDENCE else text[:MAX_EVIDENCE] + " …"


def _say(value: Any, names: Names) -> str:
    match value:
        case None:
            return ""
        case str():
            return words(value) if _MACHINE_NAME.fullmatch(value) else names.spoken(value)
        case [dict(), *_]:
            return "".join(f"\n– {_say(part, names)}" for part in value)
        case list():
            return ", ".join(filter(None, (_say(part, names) for part in value)))
        case {"clauses": _, "ask": _}:
            try:
                return "; ".join(clause_words(Form.from_json(value), names, {}))
            except ValueError:  # a model's form may be invalid; then it is shown unchanged
                return canonical_json(value)
        case {"reason": str() as reason, "evidence": proof}:
            said = _say(proof, names)
            return f"{words(reason)}: {said}" if said else words(reason)
        case {"entity_id": str() as entity_id, "gaps": gaps}:  # a `Rival`
            label = names.entity(entity_id)
            return f"{label if label == entity_id else f'{label} ({entity_id})'}{', gaps: ' if gaps else ''}{_say(gaps, names)}"
        case dict():
            # entries with lines of their own come last
            parts = sorted(
                value.items(),
                key=lambda item: (
                    isinstance(item[1], list) and item[1][:1] != [] and isinstance(item[1][0], dict)
                ),
            )
            return " · ".join(
                f"{_say_key(key, names)}: {said}"
                for key, part in parts
                if (said := _say(part, names))
            )
    return canonical_json(value)


def _say_key(key: str, names: Names) -> str:
    if lack := _LACK.fullmatch(key):
        of_property = f" for {lack[3]}" if lack[3] else ""
        return names.spoken(f"{lack[1]} of {lack[2]}{of_property}")
    return words(key)
