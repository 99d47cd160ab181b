"""The draft stage: a plan's words become a question, or the seed is dropped for the commonest reason."""

import asyncio
from dataclasses import dataclass, field, replace

from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import entity_value
from questloom.records.outcomes import Reason, Rejection
from questloom.records.plan import Plan, PlannedSeed, Preference
from questloom.records.route import Route
from questloom.records.synthesis import Answer, Certificate, Question, Seed
from questloom.records.table import Json
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.drafting.draft_rules import DraftRules
from questloom.transforms.drafting.drafter import Drafter
from questloom.transforms.stages.stage import reject
from questloom.transforms.writing.writer import Vote, Wording, WriterRejection
from tests.small_facts import SmallFacts
from tests.transforms.certificate.lighthouses import crowd

FACTS = SmallFacts(crowd())
SEED = Seed(entity_id="Q1000", method="paths", rule="anchor", level="easy", domain="other")
FORM = Form(
    clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P84", object="a")),
    ask=Ask(var="a", type="entity"),
)
REFUSED = Refusal(reason=Reason.NO_WORDING, evidence={})
HOLDS, AGAINST = Vote(holds=True, why="all"), Vote(holds=False, other="says besides: tall")


@dataclass
class Told:
    """A writer and reader who say what they are told, by the plan's answer."""

    words: dict[str, str | Refusal] = field(default_factory=dict)
    votes: list[Vote] | WriterRejection = field(default_factory=lambda: [HOLDS])
    most_plans: int = 9
    name: str = "told"
    tried: list[str] = field(default_factory=list)
    num_read: int = 0

    async def word(self, plan, seed_id):
        self.tried.append(plan.answer.text)
        said = self.words.get(plan.answer.text, "Who built the tower in the picture?")
        if isinstance(said, Refusal):
            return said
        return Wording(text=said, anchor_phrase="the tower in the picture")

    async def read(self, plan, wording, seed_id):
        self.num_read += 1
        if isinstance(self.votes, WriterRejection):
            raise self.votes
        return self.votes


def _plan(asked: str) -> Plan:
    return Plan(
        form=Json(FORM.to_json()),
        bindings={"x0": "Q1000", "a": asked},
        answer=Answer(value=entity_value(asked), text=asked, type="entity"),
        shape="chain",
        certificate=Certificate(basis="margin", margin=2),
        route=Route(calls=2, depth=2, pages=1, looks=1),
        interest=2.5,
    )


def drafted(writer: Told, order: tuple[int, ...], read=False, most=110, **more):
    drafter = Drafter(
        facts=FACTS,
        writer=writer,
        reader=writer if read else None,
        rules=DraftRules(max_words=most),
        language="en",
    )
    planned = PlannedSeed(seed=SEED, plans=tuple(map(_plan, ("Q2000", "Q2001", "Q2002"))))
    stage = replace(drafter, **more)
    return asyncio.run(stage(planned, Preference(item_id=SEED.id, order=order)))


def test_the_plans_of_a_seed_are_put_into_words_in_the_order_that_was_chosen():
    writer = Told({"Q2001": REFUSED})
    made = drafted(writer, (1, 2, 0))
    assert isinstance(made, Question) and writer.tried == ["Q2001", "Q2002"]
    assert (made.answer.text, made.anchor, made.logical_form) == ("Q2002", "Q1000", FORM)
    assert (made.text, made.anchor_phrase, made.writer, made.interest) == (
        "Who built the tower in the picture?",
        "the tower in the picture",
        "told",
        2.5,
    )


def test_a_seed_without_words_is_dropped_for_the_commonest_reason_with_all_of_them():
    long = "word " * 20
    none = drafted(Told({"Q2000": long, "Q2001": REFUSED, "Q2002": REFUSED}), (0, 1, 2), most=10)
    assert isinstance(none, Rejection) and none.reason == Reason.NO_WORDING.value
    assert none.evidence["tried"] == {"no_description": 1, "no_wording": 2}


def test_no_more_plans_are_put_into_words_than_the_writer_allows():
    writer = Told({"Q2000": REFUSED, "Q2001": REFUSED}, most_plans=2)
    assert isinstance(drafted(writer, (0, 1, 2)), Rejection) and writer.tried == ["Q2000", "Q2001"]


def test_words_that_name_a_hidden_thing_are_refused():
    name = FACTS.label("Q1000", "en")
    none = drafted(Told({"Q2000": f"Who built {name}, the tower in the picture?"}), (0,))
    assert isinstance(none, Rejection) and none.reason == Reason.LEAK.value


def test_a_seed_whose_words_a_filter_rejects_asks_its_next_plan_and_no_reader_before():
    def no_search_finds(question):
        hit = question.answer.text == "Q2001"
        return reject(question, Reason.TEXT_SEARCH_SHORTCUT, {"rank": 0}) if hit else question

    writer = Told()
    made = drafted(writer, (1, 0), read=True, word_filters=(no_search_finds,))
    assert made.answer.text == "Q2000" and writer.num_read == 1
    none = drafted(writer, (1,), word_filters=(no_search_finds,))
    assert none.reason == Reason.TEXT_SEARCH_SHORTCUT.value


def test_words_that_were_not_composed_are_kept_with_their_readers_votes():
    votes = drafted(Told(votes=[HOLDS, HOLDS]), (0,), read=True).votes
    assert [(v["check"], v["holds"]) for v in votes] == [("words", True)] * 2
    assert drafted(Told(), (0,)).votes is None


def test_one_vote_against_or_none_at_all_refuses_the_words():
    for votes in ([HOLDS, AGAINST], []):
        none = drafted(Told(votes=votes), (0,), read=True)
        assert none.reason == Reason.WORDS_DIFFER.value
    fault = WriterRejection(Reason.BAD_REPLY, {"role": "check_words"})
    assert drafted(Told(votes=fault), (0,), read=True).reason == Reason.BAD_REPLY.value


def test_a_seed_whose_plans_all_belong_to_others_is_a_duplicate():
    dropped = drafted(Told(), ())
    assert dropped.reason == Reason.NEAR_DUPLICATE.value
