"""The tag of a task: how difficult the task is according to its rollouts, or that the task is
broken."""

from dataclasses import dataclass
from enum import StrEnum

from questloom.records.share import Share


class Tag(StrEnum):
    """The tags of ODE, and one more for AXPO's recoverable tasks."""

    INFRA_FAILURE = "infra_failure"
    """The provider (a model or search service) caused half or more of the failures, so the task
    shows nothing about the policy."""
    TOO_EASY = "too_easy"
    GOOD_MATCH = "good_match"
    RECOVERABLE = "recoverable"
    """No rollout solved the task, but a continuation did."""
    TOO_HARD = "too_hard"
    """Neither a rollout nor a continuation solved the task, but the teacher did."""
    FAKE_HARD = "fake_hard"
    """The task is broken: nobody solves the task, a wrong answer fits too, or the judge contradicts
    itself."""


class Cause(StrEnum):
    """Why a task is broken."""

    NONE = ""
    RIVAL_FITS = "rival_fits"
    JUDGE_CONTRADICTS = "judge_contradicts"
    JUDGE_FAILED = "judge_failed"
    UNSOLVED = "unsolved"


class TeacherResult(StrEnum):
    """The teacher's result on a task."""

    NOT = ""
    """The teacher was not asked, or cannot play the task."""
    SOLVED = "solved"
    FAILED = "failed"
    PROVIDER = "provider"
    """The teacher failed, and a provider (a model or search service) caused each failure."""


SOUND = frozenset({Tag.TOO_EASY, Tag.GOOD_MATCH, Tag.RECOVERABLE, Tag.TOO_HARD})
"""The tags of tasks that are good for training."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The facts from which a task's tag follows."""

    passed: Share
    """The pass rate: the share of correct rollouts among the judged rollouts. Continuations do not
    count in the pass rate."""
    num_failed: int
    """The number of rollouts without the right answer."""
    num_by_provider: int
    """The number of failed rollouts for which a provider (a model or search service) was
    responsible."""
    num_recovered: int = 0
    """The number of correct continuations."""
    teacher: TeacherResult = TeacherResult.NOT
    rival: str = ""
    """A wrong answer that also satisfies the question's formal query; "" if there is none."""
    contradicted: bool = False


def tag_of(found: Evidence, *, too_easy: float = 0.75) -> tuple[Tag, Cause]:
    """The tag of a task, and the cause if it is broken.

    Args:
        too_easy: the pass rate, 0 to 1, above which a task is too easy.

    Returns:
        The tag and the cause. The cause is `Cause.NONE` for every tag except `FAKE_HARD`.

    >>> tag_of(Evidence(passed=Share(4, 4), num_failed=0, num_by_provider=0))[0].value
    'too_easy'
    >>> tag_of(Evidence(passed=Share(3, 4), num_failed=1, num_by_provider=0))[0].value
    'good_match'
    >>> unsolved = Evidence(passed=Share(0, 4), num_failed=4, num_by_provider=1, teacher=TeacherResult.FAILED)
    >>> [each.value for each in tag_of(unsolved)]
    ['fake_hard', 'unsolved']
    """
    if found.num_failed and 2 * found.num_by_provider >= found.num_failed:
        return Tag.INFRA_FAILURE, Cause.NONE
    if found.rival:
        return Tag.FAKE_HARD, Cause.RIVAL_FITS
    if found.contradicted:
        return Tag.FAKE_HARD, Cause.JUDGE_CONTRADICTS
    if found.passed.value is None:
        return Tag.FAKE_HARD, Cause.JUDGE_FAILED
    if found.passed.value > too_easy:
        return Tag.TOO_EASY, Cause.NONE
    if found.passed.num_good:
        return Tag.GOOD_MATCH, Cause.NONE
    if found.num_recovered:
        return Tag.RECOVERABLE, Cause.NONE
    match found.teacher:
        case TeacherResult.FAILED:
            return Tag.FAKE_HARD, Cause.UNSOLVED
        case TeacherResult.PROVIDER:
            return Tag.INFRA_FAILURE, Cause.NONE
    return Tag.TOO_HARD, Cause.NONE
