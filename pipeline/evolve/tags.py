"""The tag of a task: what its rollouts say of its difficulty, and whether it is sound at all."""

from dataclasses import dataclass
from enum import StrEnum

from questloom.records.share import Share


class Tag(StrEnum):
    """In ODE's words, with AXPO's recoverability beside them."""

    INFRA_FAILURE = "infra_failure"
    """Half or more of the failures are the provider's: nothing is learned from it."""
    TOO_EASY = "too_easy"
    GOOD_MATCH = "good_match"
    RECOVERABLE = "recoverable"
    """Never solved, but solved by what was played on anew."""
    TOO_HARD = "too_hard"
    """Neither; but the teacher solves it."""
    FAKE_HARD = "fake_hard"
    """Broken: nobody solves it, another answer fits, or the judge contradicts itself."""


class Cause(StrEnum):
    """Why a task is broken."""

    NONE = ""
    RIVAL_FITS = "rival_fits"
    JUDGE_CONTRADICTS = "judge_contradicts"
    JUDGE_FAILED = "judge_failed"
    UNSOLVED = "unsolved"


class TeacherResult(StrEnum):
    """What the teacher made of a task."""

    NOT = ""
    """It was not asked, or cannot play the task."""
    SOLVED = "solved"
    FAILED = "failed"
    PROVIDER = "provider"
    """All its failures are the provider's."""


SOUND = frozenset({Tag.TOO_EASY, Tag.GOOD_MATCH, Tag.RECOVERABLE, Tag.TOO_HARD})
"""Tags of tasks that may be trained on."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What a tag rests on."""

    passed: Share
    """Of the rollouts that were judged; none that was played on anew among them."""
    num_failed: int
    """Rollouts that did not give the right answer."""
    num_by_provider: int
    """Of them the provider's."""
    num_recovered: int = 0
    """Right ones of what was played on anew."""
    teacher: TeacherResult = TeacherResult.NOT
    rival: str = ""
    """A wrong answer that fits the form."""
    contradicted: bool = False


def tag_of(found: Evidence, *, too_easy: float = 0.75) -> tuple[Tag, Cause]:
    """The tag of a task, and why it is broken.

    Args:
        too_easy: pass rate, 0 to 1, above which a task is too easy.

    Returns:
        The tag and the cause; `Cause.NONE` beside every tag but `FAKE_HARD`.

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
