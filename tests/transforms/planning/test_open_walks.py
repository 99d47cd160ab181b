"""A walk whose end the words alone single out falls before its ends."""

from collections import Counter
from dataclasses import replace

from questloom.records.form import ClaimClause, Image
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.guess import MOST_ANSWERS
from questloom.transforms.planning.finish import is_open_without_picture
from questloom.transforms.planning.ground import Ground, Refusals
from tests.transforms.planning.coast import architect, coast, coast_claims, ground, lighthouse

CLAUSES = (Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1"))
BINDINGS = {"x0": lighthouse(3), "x1": architect(3)}


def refused(at: Ground) -> Counter[str]:
    """What refuses the walk from a lighthouse to its architect; the walk is open where nothing does."""
    refusals = Refusals()
    is_open = is_open_without_picture(at, CLAUSES, BINDINGS, "x1", refusals)
    assert is_open is not bool(refusals.reasons)
    return refusals.reasons


def with_architects(num: int, **rules) -> Ground:
    """The coast where so many lighthouses have an architect."""
    known = {lighthouse(n) for n in range(3, 3 + num)}
    claims = [c for c in coast_claims() if c.property != "P84" or c.subject in known]
    return replace(ground(coast(claims)), certificate=CertificateRules(margin=1, **rules))


def test_a_way_to_one_thing_whatever_the_picture_shows_is_refused():
    """One lighthouse has an architect, so nobody needs to look."""
    assert not refused(ground())
    assert refused(with_architects(1)) == {Reason.PICTURE_NOT_NEEDED.value: 1}
    assert not refused(with_architects(4, min_answers_without_picture=4))
    few = with_architects(4, min_answers_without_picture=5)
    assert refused(few) == {Reason.PICTURE_NOT_NEEDED.value: 1}


def test_a_way_to_so_few_things_that_a_blind_guess_is_good_enough_is_refused():
    assert not refused(with_architects(4, max_guess=0.25))
    assert refused(with_architects(4, max_guess=0.24)) == {Reason.GUESSABLE.value: 1}
    assert not refused(with_architects(MOST_ANSWERS, max_guess=0.0)), "more are not counted"
