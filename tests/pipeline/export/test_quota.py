from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.pipeline.export.quota import draw, quota
from tests.pipeline.export import finished_run as world

QUESTIONS = [world.drafted(n).replace(split="rl/train") for n in range(60)]


def left(questions, ratio):
    limits = quota([(draw(3, q.id), q.split, q.level) for q in questions], ratio, 3)
    return Counter(q.level for q in questions if limits.place_of(q) == ("rl", "train"))


def test_without_a_ratio_everything_stays():
    assert left(QUESTIONS, {}) == {"easy": 20, "medium": 20, "hard": 20}


def test_a_level_that_has_no_question_does_not_empty_the_set():
    assert left(QUESTIONS, {"easy": 4, "medium": 3, "hard": 3, "benchmark": 1}) == {
        "easy": 20,
        "medium": 15,
        "hard": 15,
    }


def test_a_level_that_is_not_named_gets_no_place():
    assert left(QUESTIONS, {"easy": 1}) == {"easy": 20}


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(QUESTIONS), unique_by=lambda q: q.id, min_size=1),
    st.permutations(["easy", "medium", "hard"]),
)
def test_the_largest_set_with_the_ratio_is_left(questions, order):
    ratio = dict(zip(order, (4, 3, 3), strict=True))
    has = Counter(q.level for q in questions)
    kept = left(questions, ratio)
    unit = min(has[level] / ratio[level] for level in has)
    assert kept == Counter({level: int(unit * ratio[level] + 1e-9) for level in has})


def test_what_is_not_for_rl_is_never_over():
    limits = quota([], {"easy": 1}, 3)
    assert limits.place_of(world.drafted(1).replace(split="sft/train")) == ("sft", "train")
    assert limits.place_of(world.drafted(1).replace(split="benchmark")) == ("benchmark", "test")


def test_what_is_over_the_ratio_stays_in_tasks_with_its_split():
    limits = quota([(draw(3, q.id), q.split, q.level) for q in QUESTIONS], {"easy": 1}, 3)
    assert {limits.place_of(q) for q in QUESTIONS if q.level != "easy"} == {("tasks", "train")}
    assert limits.place_of(world.drafted(1).replace(split="rl/validation", level="easy")) == (
        "rl",
        "validation",
    ), "of a split without a limit nothing is over"


def test_the_ratio_holds_in_each_split_by_itself_and_those_with_the_smallest_draw_stay():
    mixed = [
        q.replace(split="rl/train" if n % 2 else "rl/validation") for n, q in enumerate(QUESTIONS)
    ]
    limits = quota(
        [(draw(3, q.id), q.split, q.level) for q in mixed], {"easy": 2, "medium": 1, "hard": 1}, 3
    )
    for split in ("train", "validation"):
        has = [q for q in mixed if q.split == f"rl/{split}" and q.level == "medium"]
        stay = [q for q in has if limits.place_of(q) == ("rl", split)]
        assert stay and {q.id for q in stay} == {
            q.id for q in sorted(has, key=lambda q: draw(3, q.id))[: len(stay)]
        }
