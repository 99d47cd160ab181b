"""Which rejections of a filter that was off are leaks."""
import asyncio

import pytest

from pipeline.evolve.checks import Checks
from records.outcomes import Reason
from records.synthesis import Verdict
from tests.pipeline.evolve.asked import question
from transforms.external.outside_rows import METHOD
from transforms.stages.stage import reject


@pytest.mark.parametrize(("reason", "leaks"), [(Reason.LEAK, True), (Reason.PICTURE_TOO_SIMPLE, False)])
def test_a_picture_that_is_too_plain_gives_nothing_away(reason, leaks):
    asked = question().replace(method=METHOD, verdicts=(Verdict(filter="visible_text", passed=True, solver="not_run"),))
    checks = Checks(job=None, tools=(), _made={"visible_text": lambda task: reject(task, reason)})
    assert [(f.stage, f.cause) for f in asyncio.run(checks.findings(asked))] == [("filters", "visible_text")] * leaks


def test_a_leak_says_on_which_page_the_answer_stands():
    asked = question().replace(method=METHOD, verdicts=(Verdict(filter="visible_text", passed=True, solver="not_run"),))
    evidence = {"rank": 2, "title": "Brisk Light", "found": "Ilse Varga", "passage": "…"}
    checks = Checks(job=None, tools=(), _made={"visible_text": lambda task: reject(task, Reason.LEAK, evidence)})
    assert [f.why for f in asyncio.run(checks.findings(asked))] == ["'Ilse Varga' stands on page 3 of what one search finds, 'Brisk Light'"]
