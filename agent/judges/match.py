"""Compares a final answer with the expected answer by strict rules for each type of answer, without a model.

If the rules find a match, the answer is certainly right. If the rules find no match, the answer may
still be right. The final answer must *be* the expected answer. A longer text that only contains the
expected answer is refused. Only two kinds of other words are allowed: words such as "the answer is
…", and words that repeat the question ("… directed Titanic"). Hedges, negations, lists of
candidates and explanations are rejected. Rules that accept wrong answers train a model to be vague.
Rules that reject a right answer only cost a call of the judging model.
"""

import re
from dataclasses import dataclass

from questloom.agent.judges.dates import dates, readable_date
from questloom.agent.judges.frame import framed_name, is_frame, names, says_yes_or_no
from questloom.knowledge.dates import PRECISIONS, dates_of
from questloom.language import amounts as amounts_
from questloom.language.normalise import clean, same_name, without_bracket
from questloom.language.units import Unit, unit_of
from questloom.records.synthesis import Answer

MAX_CHARS = 300
"""A final answer is a phrase or a short sentence."""


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """The errors that the rules allow in numbers."""

    relative: float = 5e-10
    """The default value allows only the rounding to ten digits that answer texts have.

    The allowed relative error if the answer has the expected unit. The same error is allowed for
    units that differ by a power of ten, and for hours and minutes. With the value 0.01, the rules
    accept the answer 1.1 million for 1,097,379.
    """
    converted: float = 5e-3
    """The allowed relative error after a conversion between unit systems, such as feet to metres.
    People give at most three digits when they convert."""
    kelvin: float = 0.6
    """The allowed error in degrees after a conversion between °C and °F. A relative error has no
    meaning for temperatures."""


EXACT = Tolerance()


def match(
    answer: Answer,
    said: str,
    *,
    question: str = "",
    language: str = "en",
    tolerance: Tolerance = EXACT,
) -> str:
    """The name of the rule that accepts the final answer ("wording", "framed", "quantity", "date",
    "yes_no"), or "" if no rule accepts the answer.

    Args:
        answer: the expected answer with its typed value, text, aliases, unit and precision.
        said: the final answer, without other text.
        question: the question, whose words the answer may repeat.
        language: language of question and answer.
        tolerance: allowed errors of quantities.

    A date must be at least as precise as the question asks (`answer.precision`). If
    `answer.precision` is missing, the precision of the expected value counts. The year, month and
    day of the stated date must agree with the known parts of the expected date. If the question
    asks for a year, a full date in that year is also right, unless its month or day contradicts the
    expected date.
    """
    if not said.strip() or len(said) > MAX_CHARS or "\n" in said.strip():
        return ""
    wordings = [w for w in dict.fromkeys((answer.text, *answer.aliases)) if w.strip()]
    if "?" in clean(said) and not any("?" in clean(w) for w in wordings):
        return ""
    if answer.type in ("quantity", "date"):  # the key of a name has neither sign nor decimal point
        if any(clean(said).casefold() == clean(w).casefold() for w in wordings):
            return "wording"
        right = (
            _is_date(answer, said, question, language)
            if answer.type == "date"
            else _is_quantity(answer, said, question, language, tolerance)
        )
        return answer.type if right else ""
    if any(_is_wording(said, w, language, swap=answer.type == "entity") for w in wordings):
        return "wording"
    yes = says_yes_or_no(answer.text, "")
    if yes is not None:
        return "yes_no" if says_yes_or_no(said, question) is yes else ""
    asked = (
        "" if any(names(question, w, language) for w in wordings) else question
    )  # the question names the answer as one of two candidates
    return "framed" if any(framed_name(said, w, asked, language) for w in wordings) else ""


def _is_wording(said: str, wording: str, language: str, *, swap: bool) -> bool:
    if (
        not swap
        and re.search(r"\d[.,]\d|[-~≈<>±≥≤^=/]\s?\d", clean(f"{said} {wording}"))
        and clean(said).casefold() != clean(wording).casefold()
    ):
        return False  # "1.10" differs from "1 10", and "~5" and "-5" from "5"
    return same_name(said, wording, language, swap=swap) or same_name(
        said, without_bracket(wording), language, swap=swap
    )


def _is_date(answer: Answer, said: str, question: str, language: str) -> bool:
    right = (
        dates_of(answer.value)
        if answer.value.kind == "time"
        else [date for date, _, _ in dates(answer.text)]
    )
    found = dates(said, day_first=language != "en")
    if len(found) != 1 or (answer.value.kind != "time" and len(right) != 1):
        return False
    date, start, end = found[0]
    if not any(
        date.precision >= min(PRECISIONS.get(answer.precision, gold.precision), gold.precision)
        and (date.agrees(gold) or gold.agrees(date))
        for gold in right
    ):
        return False
    around = amounts_.blanked(readable_date(said), [(start, end)])
    return is_frame(around, question, kind="date")


def _is_quantity(
    answer: Answer, said: str, question: str, language: str, tolerance: Tolerance
) -> bool:
    gold, gold_unit = answer.value.number, unit_of(answer.unit) if answer.unit else None
    gold_amounts = amounts_.amounts(amounts_.readable(answer.text, language), language)
    if len(gold_amounts) == 1:
        gold = gold_amounts[0].number if gold is None else gold
        gold_unit = gold_unit or (None if answer.unit else gold_amounts[0].unit)
    text = amounts_.readable(said, language)
    found = amounts_.amounts(text, language)
    if gold is None or not found or re.search(r"[<>≤≥±]|\d\s?\+", text):
        return False
    if len(found) > 1 and not (_restated(found) and "(" in text):
        return False
    asked = amounts_.readable(question, language)
    if not all(_equal(a.number, a.unit, gold, gold_unit, asked, tolerance) for a in found):
        return False
    around = amounts_.blanked(
        text.replace("(", " ").replace(")", " "), [(a.start, a.end) for a in found]
    )
    return is_frame(around, f"{question} {answer.unit}", kind="quantity")


def _restated(found: list[amounts_.Amount]) -> bool:
    """Whether all amounts in a text are equal, although written in several units ("8,849 m (29,032
    ft)") or in words and digits ("twelve (12)")."""
    if len({(a.number, a.unit) for a in found}) == 1:
        return True
    units = [a.unit for a in found if a.unit is not None]
    return len(set(units)) == len(found) and len({u.dimension for u in units}) == 1


def _equal(
    number: float,
    unit: Unit | None,
    gold: float,
    gold_unit: Unit | None,
    asked: str,
    tolerance: Tolerance,
) -> bool:
    if unit is None or unit == gold_unit:
        return _near(number, gold, tolerance.relative)
    if (
        gold_unit is None
    ):  # a unit that the question does not ask for: "12 km" does not answer how many islands
        return _near(number, gold, tolerance.relative) and _asks_for(unit, asked)
    if unit.dimension != gold_unit.dimension:
        return False
    a, b = number * unit.factor + unit.offset, gold * gold_unit.factor + gold_unit.offset
    if unit.dimension == "temperature":
        return abs(a - b) <= (
            tolerance.kelvin if unit.factor != gold_unit.factor else 1e-6 * abs(b)
        )
    return _near(
        a,
        b,
        max(tolerance.relative, 1e-9)
        if _exact_ratio(unit, gold_unit)
        else max(tolerance.converted, tolerance.relative),
    )


def _exact_ratio(a: Unit, b: Unit) -> bool:
    """Whether a conversion between two units is exact, so that it needs no rounding."""
    ratio = max(a.factor, b.factor) / min(a.factor, b.factor)
    digits = f"{ratio:.12e}".split("e")[0].rstrip("0").rstrip(".")
    return digits == "1" or a.dimension in ("time", "months")


def _near(a: float, b: float, relative: float) -> bool:
    return a == b or (a * b > 0 and abs(a - b) <= relative * max(abs(a), abs(b)))


def _asks_for(unit: Unit, asked: str) -> bool:
    words = re.findall(r"[\w/]+|[%$€£¥°']", asked)
    named = {
        u
        for n in (1, 2, 3)
        for i in range(len(words))
        if (u := unit_of(" ".join(words[i : i + n]))) is not None
    }
    return unit in named or (
        unit.dimension == "months" and unit.factor == 12 and {"old", "age"} & set(words) != set()
    )
