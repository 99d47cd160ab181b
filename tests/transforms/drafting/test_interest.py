"""Which of several drafts somebody would rather have answered, and that it is kept."""
import asyncio
from types import SimpleNamespace

import pytest

from records.form import Ask, ClaimClause, Compute, Form, Image
from records.knowledge import Entity, Value, entity_value
from records.outcomes import Reason, Rejection
from records.synthesis import Answer, Seed
from tests.small_facts import SmallFacts, claim, year
from transforms.drafting import drafter as drafting
from transforms.drafting.draft_rules import DraftRules
from transforms.drafting.drafter import Drafter
from transforms.drafting.interest import interest
from transforms.writing.writer import Draft

BRIDGE, ARCHITECT, TOWN, OTHER = "Q1", "Q2", "Q3", "Q4"
ENTITIES = {BRIDGE: Entity(id=BRIDGE, labels={"en": "B"}, domain="building_or_place", classes=("Q12280",)),
            ARCHITECT: Entity(id=ARCHITECT, labels={"en": "A"}, domain="person", classes=("Q5",)),
            TOWN: Entity(id=TOWN, labels={"en": "T"}, domain="location", classes=("Q3957",)),
            OTHER: Entity(id=OTHER, labels={"en": "O"}, domain="building_or_place", classes=("Q12280",))}
AREA = Value(kind="quantity", number=9.0, unit="Q712226")
CLAIMS = [claim(BRIDGE, "P84", ARCHITECT), claim(ARCHITECT, "P1066", "Q9"), claim(ARCHITECT, "P569", year(1800)), claim(BRIDGE, "P131", TOWN),
          claim(TOWN, "P2046", AREA), claim(TOWN, "P571", year(1300)), claim(OTHER, "P84", "Q8"), claim(BRIDGE, "P571", year(1850))]


def _asks(property: str, value: Value, *way: tuple[str, str]) -> tuple[Form, dict[str, Value]]:
    """A form over hops (property, thing) that asks for a property of the last thing, and its binding."""
    clauses = [Image(var="x0"), *(ClaimClause(subject=f"x{i}", property=p, object=f"x{i + 1}") for i, (p, _) in enumerate(way))]
    form = Form(clauses=(*clauses, ClaimClause(subject=f"x{len(way)}", property=property, object="a")), ask=Ask(var="a", type=value.kind))
    return form, {"x0": entity_value(BRIDGE), **{f"x{i + 1}": entity_value(t) for i, (_, t) in enumerate(way)}, "a": value}


def _score(*asked, facts: SmallFacts | None = None) -> float:
    form, binding = _asks(*asked)
    return interest(form, facts or SmallFacts(CLAIMS, dict(ENTITIES)), binding)


def test_a_name_is_worth_more_than_a_year_and_a_year_more_than_an_area():
    teacher = _score("P1066", entity_value("Q9"), ("P84", ARCHITECT))
    birth = _score("P569", year(1800), ("P84", ARCHITECT))
    area = _score("P2046", AREA, ("P131", TOWN))
    assert 5 >= teacher > birth > area >= 1


def test_a_common_answer_is_worth_less():
    many = [claim(f"Q5{i:02}", "P1066", "Q9") for i in range(40)]
    asked = ("P1066", entity_value("Q9"), ("P84", ARCHITECT))
    assert _score(*asked, facts=SmallFacts([*CLAIMS, *many], dict(ENTITIES))) < _score(*asked)


def test_what_is_well_known_and_far_in_kind_is_worth_more():
    asked = ("P84", entity_value("Q8"), ("P84", ARCHITECT))
    known = {**ENTITIES, ARCHITECT: ENTITIES[ARCHITECT].replace(in_degree=60)}
    assert _score(*asked, facts=SmallFacts(CLAIMS, known)) > _score(*asked)
    near = {**ENTITIES, ARCHITECT: ENTITIES[ARCHITECT].replace(domain="building_or_place", classes=("Q12280",))}
    claims = [c for c in CLAIMS if c.subject != ARCHITECT]
    assert _score(*asked, facts=SmallFacts(claims, near)) < _score(*asked, facts=SmallFacts(claims, dict(ENTITIES)))


def test_years_between_are_worth_little():
    form, binding = _asks("P569", year(1800), ("P84", ARCHITECT))
    counted = Form(clauses=(*form.clauses, ClaimClause(subject="x0", property="P571", object="b"), Compute(out="n", op="difference", args=("b", "a"))),
                   ask=Ask(var="n", type="quantity"))
    facts = SmallFacts(CLAIMS, dict(ENTITIES))
    assert interest(counted, facts, {**binding, "b": year(1850), "n": Value(kind="quantity", number=50.0)}) < interest(form, facts, binding) + 0.5


def _drafted(monkeypatch, drafts, **rules):
    """What a drafter makes of a seed for which drafts are finished one after the other; and how many of them it asked for."""
    asked = []

    async def finished(*_):
        for draft in drafts:
            asked.append(draft)
            yield draft

    monkeypatch.setattr(drafting, "draft_by_path", finished)
    facts = SmallFacts(CLAIMS, dict(ENTITIES))
    drafter = Drafter(facts=facts, writer=SimpleNamespace(name="graph"), accept=None, rules=DraftRules(**rules), recipe_seed=1, language="en")
    seed = Seed(entity_id=BRIDGE, method="paths", level="easy", rule="anchor", domain="building_or_place")
    return asyncio.run(drafter(seed)), len(asked)


def _draft(text: str, *asked) -> Draft:
    form, binding = _asks(*asked)
    answer = Answer(text="x", type="entity", value=binding["a"])
    return Draft(text=text, answer=answer, form=form, bindings={v: b.key() for v, b in binding.items()}, anchor=BRIDGE)


DULL, GOOD = ("dull?", "P2046", AREA, ("P131", TOWN)), ("good?", "P1066", entity_value("Q9"), ("P84", ARCHITECT))


@pytest.mark.parametrize(("ranked", "text", "number"), [(1, "dull?", 1), (2, "good?", 2), (9, "good?", 3)])
def test_of_so_many_finished_drafts_the_most_interesting_is_kept(monkeypatch, ranked, text, number):
    made, asked = _drafted(monkeypatch, [_draft(*DULL), _draft(*GOOD), _draft(*DULL)], ranked=ranked)
    assert (made.text, asked) == (text, number)
    assert made.interest == pytest.approx(_score(*(DULL if text == "dull?" else GOOD)[1:]), abs=0.01)


def test_a_seed_with_nothing_but_dull_drafts_is_refused(monkeypatch):
    made, _ = _drafted(monkeypatch, [_draft(*DULL)], least_interest=3.0)
    assert isinstance(made, Rejection) and made.reason == Reason.DULL
    made, _ = _drafted(monkeypatch, [_draft(*GOOD)], least_interest=3.0)
    assert made.text == "good?"


def test_a_draft_without_a_form_has_no_score_and_passes(monkeypatch):
    made, _ = _drafted(monkeypatch, [Draft(text="said?", answer=Answer(text="x", type="entity", value=AREA), form=None, anchor=BRIDGE)], least_interest=3.0)
    assert (made.text, made.interest) == ("said?", 0.0)
