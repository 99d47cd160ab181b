"""A walk whose end the words alone single out falls before its ends."""

from questloom.records.form import ClaimClause, Image
from questloom.records.outcomes import Reason
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.planning.finish import is_open_without_picture
from questloom.transforms.planning.ground import Refusals
from tests.transforms.planning.coast import architect, coast, coast_claims, ground, lighthouse


def test_a_way_to_one_thing_whatever_the_picture_shows_is_refused():
    """One lighthouse has an architect, so nobody needs to look."""
    clauses = (Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1"))
    bindings = {"x0": lighthouse(3), "x1": architect(3)}
    refusals = Refusals()
    assert is_open_without_picture(ground(), clauses, bindings, "x1", refusals)
    assert not refusals.reasons
    alone = [c for c in coast_claims() if c.property != "P84" or c.subject == lighthouse(3)]
    at = ground(coast(alone))
    assert at.certificate == CertificateRules(margin=1)
    assert not is_open_without_picture(at, clauses, bindings, "x1", refusals)
    assert refusals.reasons == {Reason.PICTURE_NOT_NEEDED.value: 1}
