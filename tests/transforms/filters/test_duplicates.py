"""Duplicates by key and by nearly the same words: who falls, to whom, in any order and however it is run."""

import random

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.testing.util import assert_that, equal_to
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.pipeline.runners.local_runner import local_runner
from questloom.records.form import Ask, Compute, Form
from questloom.records.knowledge import entity_value
from questloom.records.synthesis import Answer, Question
from questloom.records.table import Json
from questloom.transforms.filters.duplicate_losers import (
    Losers,
    banded,
    duplicate_keys,
    losers_of,
    near_losers_of,
    rank,
)
from questloom.transforms.filters.near_duplicates import jaccard, triples

SIMILARITY = 0.85
SENTENCE = "In which year was the architect of the lighthouse that stands by the sea in the picture born and where did the founder of the town die"
"""27 words, so that the last one changed costs one of 25 triples, and one in the middle three."""
WORDS = tuple(SENTENCE.split())


def question(text, bindings=None, answer="Q2", **changes) -> Question:
    return Question(
        seed_id="s",
        seed_entity="Q1",
        method="paths",
        level="easy",
        domain="other",
        text=text,
        writer="template",
        bindings=bindings or {},
        answer=Answer(value=entity_value(answer), text="Ilse Varga", type="entity"),
    ).replace(**changes)


def pairs_of(texts) -> list[tuple[str, tuple[str, str]]]:
    """Keys of questions that have their words and answer in common, with places in the order given."""
    return [
        (key, (f"{number:02}", f"q{number}"))
        for number, text in enumerate(texts)
        for key in duplicate_keys(question(text, {"x": f"Q{number}"}))
    ]


def grouped(pairs) -> dict:
    groups: dict = {}
    for key, member in pairs:
        groups.setdefault(key, []).append(member)
    return groups


def losers(pairs, similarity=SIMILARITY) -> set:
    """The same functions as `Losers`, without Beam."""
    groups = grouped(pairs).items()
    near = grouped(entry for group in groups for entry in banded(group, similarity)).items()
    return {found for group in groups for found in losers_of(group)} | {
        found for group in near for found in near_losers_of(group, similarity)
    }


def changed(last: int, middle: bool = False) -> str:
    """The words with the last few replaced, and one in the middle if asked."""
    words = [*WORDS[: len(WORDS) - last], *(f"other{n}" for n in range(last))]
    return " ".join([*words[:12], "harbour", *words[13:]] if middle else words)


def test_the_same_words_path_picture_or_computation_are_one_question():
    path = {"x": "Q5", "y": "Q6"}
    computed = Form(
        clauses=(Compute(out="z", op="difference", args=("y", "x")),),
        ask=Ask(var="z", type="quantity"),
    )
    keys = list(
        duplicate_keys(
            question("Who built  the Tower?", path, image_id="abc", form=Json(computed.to_json()))
        )
    )
    answer = entity_value("Q2").key()
    assert keys == [
        f"text:{answer},:who built the tower",
        f"path:{answer}:Q5,Q6",
        f"picture:abc:{answer}",
        "computed:abc:Q5,Q6",
    ]


def test_questions_of_a_ladder_share_picture_and_answer_without_being_duplicates():
    rungs = [
        question(f"Question {n}?", {"x": f"Q{n}"}, image_id="abc").replace(level=level, method=m)
        for n, (level, m) in enumerate(
            [("easy", "injection"), ("hard", "injection"), ("easy", "paths"), ("hard", "paths")]
        )
    ]

    def fallen(ladders: bool) -> set[str]:
        keys = [
            (k, (str(n), str(n)))
            for n, q in enumerate(rungs)
            for k in duplicate_keys(q, ladders=ladders)
        ]
        return {loser for loser, _ in losers(keys)}

    assert fallen(False) == {"1", "2", "3"}
    assert fallen(True) == {"3"}  # the two paths still repeat each other


def test_an_outside_row_counts_by_its_words_together_with_its_answer():
    assert (
        losers(
            [
                (k, (n, n))
                for n, a in (("0", "Q1"), ("1", "Q2"))
                for k in duplicate_keys(question("Who painted this?", answer=a))
            ]
        )
        == set()
    )
    same = [(k, (n, n)) for n in "01" for k in duplicate_keys(question("Who painted this?"))]
    assert losers(same) == {("1", ("0", "text"))}


def test_of_questions_with_one_key_all_but_the_one_with_the_smallest_place_fall():
    group = ("path:Q1:Q2", [("3", "c"), ("1", "a"), ("2", "b")])
    assert set(losers_of(group)) == {("b", ("a", "path")), ("c", ("a", "path"))}
    assert list(losers_of(("path:Q1:Q2", [("3", "c")]))) == []


def test_nearly_the_same_words_are_one_question_and_those_below_the_threshold_are_two():
    same, one_off, far = changed(0), changed(1), changed(1, middle=True)
    assert (
        jaccard(triples(same), triples(one_off))
        >= SIMILARITY
        > jaccard(triples(same), triples(far))
        > 0.7
    )
    assert losers(pairs_of([same, one_off])) == {("q1", ("q0", "text"))}
    assert losers(pairs_of([same, far])) == set()


def test_in_a_chain_each_falls_that_has_a_duplicate_before_it_even_one_that_falls_itself():
    a, b, c = changed(0), changed(1), changed(1).replace("In ", "On ")
    similarity = 0.92
    assert (
        min(jaccard(triples(a), triples(b)), jaccard(triples(b), triples(c)))
        >= similarity
        > jaccard(triples(a), triples(c))
    )
    assert losers(pairs_of([a, b, c]), similarity) == {
        ("q1", ("q0", "text")),
        ("q2", ("q1", "text")),
    }, "c falls to b, which is gone"
    assert losers(pairs_of([b, a, c]), similarity) == {
        ("q1", ("q0", "text")),
        ("q2", ("q0", "text")),
    }
    assert {loser for loser, _ in losers(pairs_of([a, c, b]), similarity)} == {"q2"}


short = st.lists(st.sampled_from(WORDS[:3]), min_size=1, max_size=6).map(" ".join)


@settings(deadline=None)
@given(
    st.lists(short, max_size=12), st.sampled_from([0.5, 0.85]), st.randoms(use_true_random=False)
)
def test_no_question_falls_to_one_below_the_threshold_equal_words_always_fall_and_order_does_not_matter(
    texts, similarity, draws
):
    pairs = pairs_of(texts)
    found = losers(pairs, similarity)
    for loser, (winner, _) in found:
        mine, theirs = int(loser[1:]), int(winner[1:])
        assert (
            theirs < mine
            and jaccard(triples(texts[mine].lower()), triples(texts[theirs].lower())) >= similarity
        )
    assert {f"q{n}" for n, text in enumerate(texts) if text in texts[:n]} <= {
        loser for loser, _ in found
    }
    draws.shuffle(pairs)
    assert losers(pairs, similarity) == found


def test_a_beam_pipeline_gives_the_same_losers_from_any_order_and_number_of_workers():
    draws = random.Random(5)
    texts = [changed(draws.randrange(4), draws.random() < 0.3) for _ in range(30)]
    pairs = pairs_of(texts)
    expected = sorted(losers(pairs))
    assert {by for _, (_, by) in expected} == {"text"} and len(expected) > 20
    for workers in (1, 2):
        draws.shuffle(pairs)
        options = PipelineOptions(["--direct_num_workers", str(workers)], save_main_session=False)
        with beam.Pipeline(runner=local_runner(workers), options=options) as pipeline:
            found = pipeline | beam.Create(pairs) | Losers(SIMILARITY) | beam.Distinct()
            assert_that(found, equal_to(expected))


def test_a_place_depends_on_the_recipes_seed_and_the_question_alone():
    assert rank(7, "a") == rank(7, "a") != rank(8, "a") != rank(8, "b")


def test_the_same_words_over_another_thing_are_another_question_whatever_the_answer():
    def lost(*shown: str) -> set:
        found = [
            question(
                "Who painted this?", {"x": thing, "a": "Q9"}, "Q9", anchor=thing, image_id=f"i{n}"
            )
            for n, thing in enumerate(shown)
        ]
        return losers(
            [(key, (str(n), str(n))) for n, q in enumerate(found) for key in duplicate_keys(q)]
        )

    assert lost("Q1", "Q2", "Q3") == set()
    assert {loser for loser, _ in lost("Q1", "Q1")} == {"1"}, "two pictures of one thing"
