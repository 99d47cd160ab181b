"""Evidence, which is any JSON, as one line of text with labels for ids."""

from typing import Any

from pipeline.report.names import Names, clause_words
from records.form import Form
from records.identity import canonical_json

MAX_EVIDENCE = 2_000
"""Characters that the report shows."""


def evidence_text(evidence: Any, names: Names) -> str:
    """Evidence as one line: "margin: 1 · rival: Thalmor School (Q5)"; cut at `MAX_EVIDENCE`. What is empty is left out."""
    is_list_of_facts = isinstance(evidence, dict) and not _is_form(evidence)
    text = " · ".join(_pairs(evidence, names)) if is_list_of_facts else _say(evidence, names)
    return text if len(text) <= MAX_EVIDENCE else text[:MAX_EVIDENCE] + " …"


def _is_form(value: dict) -> bool:
    return value.keys() == {"clauses", "ask"}


def _pairs(value: dict, names: Names) -> list[str]:
    return [f"{key.replace('_', ' ')}: {said}" for key, part in value.items() if (said := _say(part, names))]


def _say(value: Any, names: Names) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return names.spoken(value)
    if isinstance(value, list):
        return ", ".join(filter(None, (_say(part, names) for part in value)))
    if isinstance(value, dict):
        if _is_form(value):
            try:
                return "; ".join(clause_words(Form.from_json(value), names, {}))
            except ValueError:  # a model's form may be none: then it is shown as it came
                return canonical_json(value)
        return f"({'; '.join(_pairs(value, names))})" if value else ""
    return canonical_json(value)
