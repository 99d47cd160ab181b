"""What a model is offered to describe things by, and which walks it is not asked about, with the certificate's own judge."""

import asyncio
from dataclasses import replace

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Form, Image
from questloom.records.knowledge import (
    Article,
    Claim,
    Entity,
    PropertyInfo,
    Qualifier,
    Section,
    Value,
    entity_value,
)
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Answer, Hop, Rewrite, Seed
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.accept import Accept
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.trust import Trust
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.llm.llm_writer import LlmWriter
from questloom.transforms.writing.llm.mentions import named_entities
from questloom.transforms.writing.writer import Draft, Mention, WriterRejection
from tests.prompts.scripted import Scripted
from tests.small_facts import SmallFacts, claim, year

NAMES = {
    "Q1": "Ardwen Light",
    "Q2": "Ilse Varga",
    "Q3": "Brisk Light",
    "Q4": "Corrie Light",
    "Q5": "Dun Light",
    "Q6": "Otto Lehn",
    "Q7": "Egg Light",
    "Q8": "Orlen",
    "Q9": "Tolm",
    "Q20": "lighthouse",
    "Q21": "human",
    "Q22": "Norland",
    "Q10": "Orlen Playhouse",
    "Q23": "theatre",
    "Q24": "sailor",
    "Q25": "Anna Lehn",
    "Q26": "town",
    "Q27": "Crale",
    "Q28": "botany",
}
PROPERTIES = {
    "P84": ("architect", "wikibase-item"),
    "P31": ("instance of", "wikibase-item"),
    "P1619": ("date of official opening", "time"),
    "P17": ("country", "wikibase-item"),
    "P106": ("occupation", "wikibase-item"),
    "P189": ("location of discovery", "wikibase-item"),
    "P19": ("place of birth", "wikibase-item"),
    "P20": ("place of death", "wikibase-item"),
    "P112": ("founded by", "wikibase-item"),
    "P462": ("color", "wikibase-item"),
    "P729": ("service entry", "time"),
    "P131": ("located in", "wikibase-item"),
}
HOPS = (
    Hop(source="x0", target="x1", property="P84"),
    Hop(source="x1", target="x2", property="P84", reverse=True),
)
MANY = 60
"""Further lighthouses, from which a property is seen to have one value."""
SEED = Seed(entity_id="Q1", method="paths", rule="anchor", level="easy", domain="building_or_place")


class Facts(SmallFacts):
    def entity_of_title(self, title):
        return {name: e for e, name in NAMES.items()}.get(title)

    def images_of(self, entity_id):
        return ()


def facts(
    told: str, twin: str = "", made: type[Facts] = Facts, more: tuple[Claim, ...] = ()
) -> Facts:
    """Three lighthouses of one architect, two of another; of Brisk Light something more is told, which a lighthouse elsewhere shares."""
    lights = {"Q1": "Q2", "Q3": "Q2", "Q4": "Q2", "Q5": "Q6", "Q7": "Q6"}
    claims = (
        [claim(e, "P31", "Q20") for e in lights]
        + [claim(e, "P84", by) for e, by in lights.items()]
        + [claim(e, "P31", "Q21") for e in ("Q2", "Q6")]
    )
    claims += [claim(e, "P1619", year(1850 + n)) for n, e in enumerate(lights)] + [
        claim(e, "P17", "Q22") for e in lights
    ]
    claims += [
        c
        for n in range(MANY)
        for c in (claim(f"Q{100 + n}", "P31", "Q20"), claim(f"Q{100 + n}", "P1619", year(1600 + n)))
    ]
    claims += [claim(e, "P131", "Q8") for e in (told, twin) if e] + [
        claim(e, "P131", "Q9") for e in lights if told and e not in (told, twin)
    ]
    entities = {e: Entity(id=e, labels={"en": name}) for e, name in NAMES.items()}
    page = Section(title="", level=1, text="Brisk Light was opened in 1851.")
    articles = {
        "Q3": Article(
            wiki="enwiki",
            title="Brisk Light",
            page_id=3,
            revision=7,
            entity_id="Q3",
            sections=(page,),
        )
    }
    properties = {
        p: PropertyInfo(id=p, labels={"en": label}, datatype=kind)
        for p, (label, kind) in PROPERTIES.items()
    }
    return made([*claims, *more], entities, articles, properties=properties)


def writer(store, *replies, **more):
    judge = Accept(
        facts=Lookups(store, Trust(complete=True)),
        rules=CertificateRules(stated=False, max_guess=0.5),
    )
    return LlmWriter(
        Scripted([(role, "", reply) for role, reply in replies]),
        store,
        LlmRules(votes=1),
        judge=judge,
        **{"max_answer_words": 6, **more},
    )


QUESTION = {
    "question": "In which year was another lighthouse opened that was designed by the architect of the lighthouse in the picture?",
    "answer": "1851",
    "answer_type": "date",
    "precision": "year",
    "claim": "date of official opening",
    "phrase": "the lighthouse in the picture",
}


def canonical(store):
    made = writer(store, ("canonical_question", {"questions": [QUESTION]}))
    found = asyncio.run(
        made.canonical_question(SEED, HOPS, tuple(store.entity(e) for e in ("Q1", "Q2", "Q3")))
    )
    return found, made.client.prompts


def test_a_walk_with_a_stop_that_nothing_singles_out_costs_no_call():
    assert canonical(facts("")) == ([], [])


def test_one_whose_stops_can_be_described_is_asked_about():
    found, prompts = canonical(facts("Q3", "Q5"))
    assert [d.text for d in found] == [QUESTION["question"]] and [role for role, _ in prompts] == [
        "canonical_question"
    ]


def path(text="?"):
    """A question over `HOPS`: in which year another lighthouse of the pictured one's architect was opened."""
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P84", object="x1"),
            ClaimClause(subject="x2", property="P84", object="x1"),
            ClaimClause(subject="x2", property="P1619", object="a"),
        ),
        ask=Ask(var="a", type="date", precision="year"),
    )
    return Draft(
        text=text,
        answer=Answer(value=year(1851), text="1851", type="date"),
        form=form,
        hops=HOPS,
        bindings={"x0": "Q1", "x1": "Q2", "x2": "Q3", "a": year(1851).key()},
    )


def offered(store, text="?"):
    describing = writer(store)._describing
    shown = describing.select_material(path(text), store.entity("Q3"))
    found = describing.offers(path(text), Mention(entity_id="Q3", var="x2"), shown)
    return [[shown.claim(n).words for n in offer.numbers] for offer in found]


def test_sets_are_offered_that_are_shared_alone_and_unique_together():
    assert offered(facts("Q3", "Q5")) == [
        ["located in: Orlen"]
    ]  # the kind may be said with it, and is in no set


THEATRE = (
    claim("Q10", "P31", "Q23"),
    claim("Q10", "P131", "Q8"),
    claim("Q10", "P84", "Q6"),
    claim("Q10", "P1619", year(1700)),
)


def test_none_is_offered_that_fits_one_thing_alone_once_its_kind_is_said():
    """Another thing in Orlen is a theatre: "something in Orlen" fits both, "the lighthouse in Orlen" one, and that is how a question speaks of it."""
    assert offered(facts("Q3", more=THEATRE)) == []


def test_a_refusal_names_the_sets_that_are_open():
    with pytest.raises(WriterRejection) as caught:
        described(
            facts("Q3", "Q5", more=(claim("Q3", "P189", "Q25"),)),
            "the lighthouse discovered by Anna Lehn",
            "discovery: Anna",
            "by Anna Lehn",
        )
    assert (
        "these sets of claims will do: 1; where none of them makes a good description, reply with an empty list"
        in caught.value.evidence["message"]
    )


def described(store, text, number, words):
    reply = {"descriptions": [{"text": text, "claims": [{"number": number, "words": words}]}]}
    made = writer(store, ("describe", reply), ("describe", reply))
    return asyncio.run(made.describe(path(), Mention(entity_id="Q3", var="x2"), SEED))


def test_a_kind_may_be_said_with_any_set():
    (fact,) = described(
        facts("Q3", "Q5"), "the lighthouse in Orlen", "located in: Orlen", "in Orlen"
    )
    assert {type(c) for c in fact.clauses} == {ClassClause, ClaimClause}


def test_what_the_question_says_already_is_not_offered():
    store = facts("Q3", "Q5")
    assert offered(store, "Which lighthouse?") == [["located in: Orlen"]]
    describing = writer(store)._describing
    orlen = ClaimClause(subject="x1", property="P131", object=entity_value("Q8"))
    again = replace(path(), form=Form(clauses=(*path().form.clauses, orlen), ask=path().form.ask))
    assert "located in: Orlen" not in [
        c.words for c in describing.select_material(again, store.entity("Q3")).claims
    ]
    person = facts("Q3", "Q5", more=(claim("Q2", "P106", "Q24"),))
    shown = [
        [
            c.words
            for c in writer(person)
            ._describing.select_material(replace(path(), text=text), person.entity("Q2"))
            .claims
        ]
        for text in ("Who was the sailor?", "Who was it?")
    ]
    assert [any(w.startswith("occupation") for w in words) for words in shown] == [False, True]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Who was the botanist?", False),
        ("Who laid out the botanical garden?", False),
        ("Who was it?", True),
    ],
)
def test_a_field_of_work_that_the_question_says_by_another_word_of_its_stem_is_not_told_again(
    text, told
):
    person = facts("Q3", "Q5", more=(claim("Q2", "P101", "Q28"),))
    shown = writer(person)._describing.select_material(
        replace(path(), text=text), person.entity("Q2")
    )
    assert ("P101: botany" in [c.words for c in shown.claims]) is told


def test_claims_with_the_verb_of_the_question_come_last():
    more = tuple(claim(e, "P112", "Q25") for e in ("Q3", "Q5"))
    found = [
        offered(facts("Q3", "Q5", more=more), f"Who {verb} it?") for verb in ("designed", "founded")
    ]
    assert [sets[0] for sets in found] == [["founded by: Anna Lehn"], ["located in: Orlen"]]


@pytest.mark.parametrize(
    "store",
    [facts("Q3"), facts("Q3", "Q4"), facts("")],
    ids=["fits one thing alone", "fits a rival, too", "the country alone"],
)
def test_none_is_offered_that_the_check_would_refuse(store):
    assert offered(store) == []


def test_a_common_noun_is_not_among_the_names_that_can_be_hidden():
    store = facts("Q3")
    form = Form(
        clauses=(
            ClaimClause(subject=entity_value("Q3"), property="P31", object=entity_value("Q20")),
            ClaimClause(subject=entity_value("Q3"), property="P131", object="a"),
        ),
        ask=Ask(var="a", type="entity"),
    )
    draft = Draft(
        text="Where does the lighthouse Brisk Light stand?",
        answer=Answer(value=Value(kind="string", text="x"), text="x", type="string"),
        form=form,
    )
    assert named_entities(store, draft, "Q3", ("en",)) == {"Q3": "Brisk Light"}


def test_of_two_properties_with_one_value_one_may_be_asked_for_and_its_kind_is_told():
    of = {"Q2": "Q27", "Q6": "Q8", **{f"Q{n}": f"Q{n + 100}" for n in range(300, 360)}}
    at = tuple(claim(who, p, place) for who, place in of.items() for p in ("P19", "P20"))
    store = facts("Q3", "Q5", more=(*at, claim("Q27", "P31", "Q26")))
    made = writer(store, ("canonical_question", {"questions": []}))
    asyncio.run(made.canonical_question(SEED, HOPS[:1], (store.entity("Q1"), store.entity("Q2"))))
    ((_, prompt),) = made.client.prompts
    assert "1. place of birth: Crale" in prompt and "2. place of death: Crale" in prompt
    assert "\n1 (town): In which town was Ilse Varga born?\n</askable" in prompt


def test_what_no_description_mends_is_known_before():
    lone = writer(facts("Q3", "Q5"))
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P131", object="x1"),
            ClaimClause(subject="x1", property="P17", object="a"),
        ),
        ask=Ask(var="a", type="entity"),
    )
    refused = lone.judge.hopeless(form, {"x0": "Q3", "x1": "Q8", "a": "Q22"})
    assert (
        refused is not None and refused.reason is Reason.COLLAPSES
    )  # where it lies and that thing's country are one relation


def test_the_last_description_names_something_that_can_be_shown():
    class Pictured(Facts):
        def images_of(self, entity_id):
            return ("a picture",) if entity_id == "Q6" else ()

    made = writer(facts("Q3", "Q5", Pictured))
    start = Draft(
        text="When was Brisk Light opened?",
        answer=Answer(value=year(1851), text="1851", type="date"),
        bindings={"a": year(1851).key()},
        form=Form(
            clauses=(ClaimClause(subject=entity_value("Q3"), property="P1619", object="a"),),
            ask=Ask(var="a", type="date", precision="year"),
        ),
    )
    clauses = (
        ClaimClause(subject="self", property="P84", object=entity_value("Q2")),
        ClaimClause(subject="self", property="P131", object=entity_value("Q8")),
    )
    mention = Mention(entity_id="Q3", surface="Brisk Light")
    assert not made._describing.refusal(start, mention, clauses)
    assert "shown as a picture" in made._describing.refusal(start, mention, clauses, last=True)


@pytest.mark.parametrize(
    ("hidden", "who", "told"),
    [("Lehn Prize", "Q5", False), ("Crale Prize", "Q5", True), ("Lehn Prize", "Q26", True)],
)
def test_somebody_whose_surname_a_hidden_thing_bears_is_not_told(hidden, who, told):
    store = facts("Q3", "Q5", more=(claim("Q3", "P189", "Q25"), claim("Q25", "P31", who)))
    store.entities["Q30"] = Entity(id="Q30", labels={"en": hidden})
    draft = replace(path(), bindings={**path().bindings, "x1": "Q30"})
    words = [
        c.words for c in writer(store)._describing.select_material(draft, store.entity("Q3")).claims
    ]
    assert ("location of discovery: Anna Lehn" in words) is told


def test_a_description_by_more_claims_than_a_reader_keeps_in_mind_is_refused_and_one_claim_a_step_never():
    made = writer(facts("Q3", "Q5"))
    clauses = (ClaimClause(subject="self", property="P131", object=entity_value("Q8")),)
    extra = tuple(
        ClaimClause(subject="x2", property="P17", object=entity_value(f"Q{n}"))
        for n in range(40, 43)
    )
    long = replace(
        path(), form=Form(clauses=(*path().form.clauses, *extra[:2]), ask=path().form.ask)
    )
    mention = Mention(entity_id="Q3", var="x2")
    assert "keeps in mind" in made._describing.refusal(long, mention, clauses)
    assert "keeps in mind" not in made._describing.refusal(
        replace(long, form=Form(clauses=long.form.clauses[:-1], ask=long.form.ask)),
        mention,
        clauses,
    )
    told = tuple(
        Rewrite(round=n, role="describe", before="", after="", entity_id="Q3") for n in range(2)
    )
    assert "keeps in mind" not in made._describing.refusal(
        replace(long, history=told), mention, clauses
    ), "six claims over two steps and three descriptions"


def askable(store, entity_id, **more):
    made = writer(store, **more)
    entity = store.entity(entity_id)
    shown = made._describing.material(entity, inverse=False)
    return [shown.claim(n).words for n in made._precheck.askable(entity, shown)]


def of_many(property_id, kind, value=None):
    """A town with a claim of a property, as many others have with other values."""
    return tuple(
        c
        for n in range(400, 460)
        for c in (
            claim(f"Q{n}", "P31", "Q26"),
            claim(f"Q{n}", property_id, value(n) if value else f"Q{n + 100}"),
            *((claim(f"Q{n + 100}", "P31", kind),) if kind else ()),
        )
    )


def town(*claims):
    """Crale, a town, with claims that a page may tell."""
    return facts("Q3", "Q5", more=(claim("Q27", "P31", "Q26"), *claims))


@pytest.mark.parametrize(
    ("name", "asked"),
    [("Velmshire", True), ("Crale County", False), ("Crale", False), ("Upper Orm", True)],
)
def test_a_value_that_the_name_tells_is_not_asked_for(name, asked):
    store = town(claim("Q27", "P36", "Q28"), claim("Q28", "P31", "Q26"), *of_many("P36", "Q26"))
    store.entities["Q28"] = store.entities["Q28"].replace(labels={"en": name})
    assert askable(store, "Q27") == ([f"P36: {name}"] if asked else [])


def test_what_has_more_words_than_the_recipe_allows_is_not_asked_for():
    store = town(claim("Q27", "P36", "Q28"), claim("Q28", "P31", "Q26"), *of_many("P36", "Q26"))
    for name, most in (("Upper Orm", 2), ("The Old Town of Upper Orm on Lund", 8)):
        store.entities["Q28"] = store.entities["Q28"].replace(labels={"en": name})
        assert askable(store, "Q27", max_answer_words=most) == [f"P36: {name}"]
        assert askable(store, "Q27", max_answer_words=1) == []
    assert askable(store, "Q27") == [], "eight words, of which the default allows six"


@pytest.mark.parametrize(
    ("property_id", "page", "asked"),
    [
        ("P570", "", True),
        ("P1619", "", False),
        ("P1619", "Crale was opened in 1851.", True),
        ("P580", "", False),
        ("P580", "Crale began in 1851.", True),
    ],
)
def test_a_date_of_no_event_in_particular_is_asked_for_only_where_a_page_tells_it(
    property_id, page, asked
):
    store = town(
        claim("Q27", property_id, year(1851)), *of_many(property_id, "", lambda n: year(1000 + n))
    )
    store.articles["Q27"] = Article(
        wiki="enwiki",
        title="Crale",
        page_id=1,
        revision=1,
        entity_id="Q27",
        sections=(Section(title="", level=1, text=page),),
    )
    assert [words.endswith("1851") for words in askable(store, "Q27")] == [True] * asked


@pytest.mark.parametrize(
    ("qualifier", "asked"), [("P1480", False), ("P5102", False), ("P459", True)]
)
def test_what_its_source_doubts_is_not_asked_for(qualifier, asked):
    doubted = claim("Q27", "P570", year(1851)).replace(
        qualifiers=(Qualifier(property=qualifier, value=entity_value("Q5727902")),)
    )
    assert (
        bool(askable(town(doubted, *of_many("P570", "", lambda n: year(1000 + n))), "Q27")) == asked
    )


def test_a_set_of_occupations_alone_tells_nothing_to_look_up():
    more = tuple(claim(e, "P106", "Q24") for e in ("Q3", "Q5"))
    assert offered(facts("", more=more)) == []
    assert offered(facts("Q3", "Q5", more=more)) == [["located in: Orlen"]]


@pytest.mark.parametrize(
    ("colours", "sets"), [(("Q28",), [["color: violet"]]), (("Q28", "Q29"), [])]
)
def test_one_of_two_colours_describes_nothing(colours, sets):
    store = facts(
        "", more=tuple(claim(e, "P462", colour) for e in ("Q3", "Q5") for colour in colours)
    )
    store.entities |= {
        "Q28": Entity(id="Q28", labels={"en": "violet"}),
        "Q29": Entity(id="Q29", labels={"en": "black"}),
    }
    assert offered(store) == sets


@pytest.mark.parametrize(
    ("value", "sets"),
    [
        (year(1900), [["service entry: 1900"]]),
        (
            Value(kind="time", time="+1900-07-03T00:00:00Z", precision=11),
            [["service entry (year only): 1900"]],
        ),
    ],
)
def test_a_description_tells_no_day_but_may_tell_its_year(value, sets):
    assert offered(facts("", more=tuple(claim(e, "P729", value) for e in ("Q3", "Q5")))) == sets


def test_a_claim_with_the_verb_that_is_asked_for_is_in_no_set():
    """A ship "put into service" and a lighthouse "opened" are both opened: "In which year was the lighthouse opened that was opened …?"."""
    store = facts("Q3", "Q5", more=tuple(claim(e, "P729", year(1900)) for e in ("Q3", "Q5")))
    sets = [
        offered(store, f"In which year {verb}?")
        for verb in ("did it receive visitors", "was it opened")
    ]
    assert ["service entry: 1900"] in sets[0] and sets[1] == [["located in: Orlen"]]


@pytest.mark.parametrize("pictured", [("Q2",), ()])
def test_a_thing_that_nothing_with_a_picture_describes_costs_no_call(pictured):
    class Pictured(Facts):
        def images_of(self, entity_id):
            return ("a picture",) if entity_id in pictured else ()

    made = writer(facts("Q3", "Q5", Pictured), ("seed_question", {"questions": []}))
    assert asyncio.run(made.seed_question(SEED, made.store.entity("Q3"))) == []
    assert [role for role, _ in made.client.prompts] == ["seed_question"] * len(pictured)


FOUND = (claim("Q3", "P189", "Q25"),)
"""Of Brisk Light alone: who says it needs nothing else to tell which lighthouse is meant, and so no picture."""
PLAIN = {k: v for k, v in QUESTION.items() if k != "phrase"} | {
    "question": "In which year was Brisk Light opened?"
}
BESIDE = {
    **PLAIN,
    "question": "In which year was Brisk Light, discovered by Anna Lehn, opened?",
    "also": [{"number": "discovery: Anna", "words": "discovered by Anna Lehn"}],
}


class OfVarga(Facts):
    """There is a picture of Ilse Varga alone."""

    def images_of(self, entity_id):
        return ("a picture",) if entity_id == "Q2" else ()


def begun(last: bool, *questions: dict) -> tuple[list[Draft], list[tuple[str, str]]]:
    """The drafts of a first question about Brisk Light, a reply each, and the prompts."""
    made = writer(
        facts("Q3", "Q5", OfVarga, FOUND),
        *(("seed_question", {"questions": [q]}) for q in questions),
    )
    return asyncio.run(made.seed_question(SEED, made.store.entity("Q3"), last)), made.client.prompts


@pytest.mark.parametrize("last", [False, True])
def test_a_question_that_states_nothing_beside_needs_no_more_than_its_claim(last):
    found, prompts = begun(last, PLAIN)
    assert [d.text for d in found] == [PLAIN["question"]] and len(prompts) == 1


def test_what_a_question_says_beside_its_claim_must_leave_something_to_describe_it_by():
    (draft,), prompts = begun(False, BESIDE)
    assert (
        draft.text == BESIDE["question"]
        and len(prompts) == 1
        and len(draft.form.of(ClaimClause)) == 2
    )
    (draft,), prompts = begun(True, BESIDE, PLAIN)
    assert draft.text == PLAIN["question"], (
        "after the only description to come nothing is left that the answer depends on"
    )
    assert (
        "nothing that it names can be described: leave that out and ask for the claim alone"
        in prompts[1][1]
    )


@pytest.mark.parametrize(("last", "calls"), [(False, ["take_fact"]), (True, [])])
def test_the_last_description_is_asked_for_only_where_one_leads_to_a_picture_that_is_needed(
    last, calls
):
    (start,), _ = begun(False, BESIDE)
    made = writer(facts("Q3", "Q5", OfVarga, FOUND), ("take_fact", {"descriptions": []}))
    assert (
        asyncio.run(
            made.take_fact(start, Mention(entity_id="Q3", surface="Brisk Light"), SEED, last)
        )
        == []
    )
    assert [role for role, _ in made.client.prompts] == calls


def test_a_name_that_nothing_could_take_the_place_of_is_not_offered_for_hiding():
    (start,), _ = begun(False, BESIDE)
    made = writer(facts("Q3", "Q5", OfVarga, FOUND))
    assert set(made._named(start, SEED)) == {"Q3", "Q25"}
    found = asyncio.run(
        made.pick_entity(start, SEED)
    )  # of Anna Lehn nothing is known by which to describe her
    assert [m.entity_id for m in found] == ["Q3"] and made.client.prompts == []


def test_for_the_last_description_a_name_is_offered_only_where_it_leads_to_a_picture():
    (start,), _ = begun(False, BESIDE)
    found = [
        asyncio.run(writer(facts("Q3", "Q5", OfVarga, FOUND)).pick_entity(start, SEED, last))
        for last in (False, True)
    ]
    assert [len(mentions) for mentions in found] == [1, 0]
