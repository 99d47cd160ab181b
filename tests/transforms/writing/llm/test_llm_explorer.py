"""An exploration by a model: it chooses among what the store gives, words certified plans, and is refused what it makes up."""

import asyncio

import pytest

from questloom.records.knowledge import Entity, PropertyInfo
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.accept import Accept
from questloom.transforms.drafting.draft_rules import DraftRules, ExploreRules
from questloom.transforms.drafting.exploration.exploring import Exploration
from questloom.transforms.drafting.exploration.reasoning import reasonings
from questloom.transforms.drafting.trail import Trail
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.writing.graph.english import English
from questloom.transforms.writing.graph.graph_writer import GraphWriter
from questloom.transforms.writing.llm.llm_explorer import LlmExplorer
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.writer import WriterRejection
from tests.prompts.scripted import Scripted
from tests.transforms.drafting.exploration.made import BOTH, coast, graph, seed

LABELS = {
    "P84": ("architect", "wikibase-item"),
    "P569": ("date of birth", "time"),
    "P570": ("date of death", "time"),
    "P19": ("place of birth", "wikibase-item"),
    "P571": ("inception", "time"),
    "P2048": ("height", "quantity"),
    "P31": ("instance of", "wikibase-item"),
    "P1684": ("inscription", "monolingualtext"),
}
COAST = coast()
COAST.properties.update(
    {
        p: PropertyInfo(id=p, labels={"en": label}, datatype=kind)
        for p, (label, kind) in LABELS.items()
    }
)
NAMES = {"Q39715": "lighthouse", "Q721747": "plaque"}
COAST.entities.update(
    {
        e: (COAST.entity(e) or Entity(id=e)).replace(labels={"en": label})
        for e, label in NAMES.items()
    }
)
FIT = ("propose_seed", "", {"why": "it has an architect", "fit": True})
READ = {
    "question": "Which year does the inscription on the plaque of the lighthouse in the picture give?",
    "phrase": "the lighthouse in the picture",
}


class Booked(Scripted):
    """Notes as which sample, and for which seed, each call was made."""

    def __init__(self, replies) -> None:
        super().__init__(replies)
        self.booked: list[tuple[str, int, str]] = []

    async def structured(self, role, messages, schema, *, item_id, seed_id, sample=0):
        self.booked.append((role, sample, seed_id))
        return await super().structured(
            role, messages, schema, item_id=item_id, seed_id=seed_id, sample=sample
        )


def explored(made_seed, *replies, **explore: int):
    """The draft that a model's replies end in, the trail, and the prompts."""
    client = Booked(list(replies))
    accept = Accept(COAST, CertificateRules(max_guess=0.5))
    writer = LlmExplorer(client, COAST, LlmRules(votes=1), judge=accept, max_answer_words=6)
    composer = GraphWriter(
        facts=Lookups(COAST), english=English(COAST, 1), recipe_seed=1, max_answer_words=6
    )
    rules = DraftRules(explore=ExploreRules(**{"graphs": 1, "anchors": 3, **explore}))
    made = Exploration(
        facts=COAST,
        explorer=writer,
        composer=composer,
        writer=writer,
        accept=accept,
        rules=rules,
        shown=lambda e: e[:2] != "Q3",
        recipe_seed=1,
    )
    trail = Trail()
    draft = asyncio.run(made.draft(made_seed, COAST.entity(made_seed.entity_id), trail))
    return draft, trail, client


def curated(**changes) -> tuple:
    return "curate", "", {"plans": [{"number": 1, **READ, **changes}]}


def read_back(*said: str) -> tuple:
    return (
        "check_words",
        "",
        {
            "said": [{"line": n, "words": words} for n, words in enumerate(said, start=1)],
            "beyond": [],
            "precision": "year",
            "wrong": "",
            "why": "it says it",
            "holds": True,
        },
    )


def test_a_model_words_a_plan_and_a_reader_confirms_it():
    draft, trail, client = explored(
        seed("perception"),
        FIT,
        curated(),
        read_back("the inscription on the plaque of the lighthouse in the picture"),
    )
    assert draft is not None, trail.outcome(Reason.NO_PLAN)
    assert (draft.text, draft.answer.text, draft.anchor, draft.anchor_phrase) == (
        READ["question"],
        "1803",
        "Q1003",
        READ["phrase"],
    )
    assert [v["check"] for v in draft.votes] == ["words"] and not client.left
    assert [role for role, _ in client.prompts] == ["propose_seed", "curate", "check_words"], (
        "what leaves no choice costs no call"
    )


def test_a_seed_that_the_model_finds_poor_ends_there():
    draft, trail, client = explored(
        seed("perception"), ("propose_seed", "", {"why": "a mere list", "fit": False})
    )
    assert draft is None and trail.reasons == {"poor_seed": 1} and len(client.prompts) == 1


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"number": 4}, "there is no plan 4"),
        (
            {
                "question": "Which year can you zoom in on in the inscription of the lighthouse in the picture?"
            },
            "says how to find the answer",
        ),
        (
            {
                "question": "Which year does the inscription on the lighthouse in the picture, in picture 1, give?"
            },
            "says how to find the answer",
        ),
        (
            {
                "question": "Which year does the inscription on Name Q1003, the lighthouse in the picture, give?"
            },
            "it is to hide",
        ),
        (
            {
                "question": "Which year, such as 1803, does the inscription on the lighthouse in the picture give?"
            },
            "is the answer",
        ),
        (
            {
                "question": "Which year does the inscription on the plaque in Velm of the lighthouse in the picture give?"
            },
            "nothing that was shown says",
        ),
    ],
)
def test_words_that_say_more_than_the_plan_go_back_once_and_are_then_refused(changes, complaint):
    draft, trail, client = explored(seed("perception"), FIT, curated(**changes), curated(**changes))
    assert draft is None and trail.reasons["bad_reply"] == 1
    assert complaint in client.prompts[-1][1], client.prompts[-1][1][-600:]


def test_words_that_a_reader_does_not_find_in_the_question_drop_it():
    vote = (
        "check_words",
        "",
        {
            "said": [],
            "beyond": [],
            "precision": "year",
            "wrong": "it asks for something else",
            "why": "no",
            "holds": False,
        },
    )
    draft, trail, _ = explored(seed("perception"), FIT, curated(), vote)
    assert draft is None and trail.reasons["words_differ"] == 1


def test_a_model_deepens_its_question_by_one_certified_step():
    phrase = "the lighthouse in the picture"
    plain = {
        "number": 1,
        "question": "In which year was the person in the picture born?",
        "phrase": "the person in the picture",
    }
    deep = {
        "number": 1,
        "question": f"In which year was the architect of {phrase} born?",
        "phrase": phrase,
    }
    draft, trail, client = explored(
        seed("perception+search", "easy"),
        FIT,
        ("explore", "", {"why": "w", "numbers": [1, 2]}),
        ("curate", "", {"plans": [plain]}),
        ("deepen", "", deep),
        read_back("born", f"the architect of {phrase}"),
    )
    assert draft is not None, trail.outcome(Reason.NO_PLAN)
    assert (
        draft.text == deep["question"]
        and draft.answer.text == "1663"
        and draft.anchor in ("Q1003", "Q4003")
    )
    step = draft.history[-1]
    assert (step.role, step.before, step.after) == (
        "deepen",
        plain["question"],
        deep["question"],
    ) and "architect: Name Q2003" in step.fact
    asked = [role for role, _ in client.prompts]
    assert asked.count("deepen") == asked.count("curate") == 1 and plain["question"] in next(
        text for role, text in client.prompts if role == "deepen"
    )


@pytest.mark.parametrize("index", [0, 1])
def test_each_evidence_graph_of_a_seed_is_another_sample_of_the_same_prompts_and_booked_on_the_seed(
    index,
):
    around, none = ("explore", "", {"why": "w", "numbers": [1]}), ("curate", "", {"plans": []})
    given = seed("perception+search", "easy").replace(index=index)
    draft, _, client = explored(given, FIT, *[around, none] * 10, graphs=2, nodes_per_phase=1)
    assert draft is None
    assert {booked for _, _, booked in client.booked} == {given.id} and client.booked[0][:2] == (
        "propose_seed",
        0,
    )
    asked = [
        [
            text
            for (role, text), (_, sample, _) in zip(client.prompts, client.booked, strict=True)
            if (role, sample) == ("explore", number)
        ]
        for number in (0, 1)
    ]
    assert asked[0] and asked[0] == asked[1], (
        "without the sample's number the cache would answer both graphs alike"
    )
    assert {sample for role, sample, _ in client.booked if role == "curate"} == {0, 1}


def test_the_curator_is_told_what_the_things_of_a_plan_may_be_called():
    _, _, client = explored(
        seed("perception"),
        FIT,
        curated(),
        read_back("the inscription on the plaque of the lighthouse in the picture"),
    )
    prompt = next(text for role, text in client.prompts if role == "curate")
    assert "by which they may be called:\n    Name Q1003: lighthouse" in prompt


def test_a_line_that_was_not_shown_is_refused():
    around = graph("Q1003", "Q2003", "Q4003", links=BOTH)
    found = reasonings(around, Lookups(COAST), 6)
    bad = ("reason", "", {"why": "w", "numbers": [99]})
    client = Scripted([bad, bad])
    explorer = LlmExplorer(client, COAST, LlmRules(votes=1), max_answer_words=6)
    with pytest.raises(WriterRejection) as refused:
        asyncio.run(explorer.reason(seed(), around, found, 1))
    assert "there is no line 99" in refused.value.evidence["message"]
    good = LlmExplorer(
        Scripted([("reason", "", {"why": "w", "numbers": [2, 2, 1]})]),
        COAST,
        LlmRules(),
        max_answer_words=6,
    )
    assert asyncio.run(good.reason(seed(), around, found, 1)) == [found[1]]
