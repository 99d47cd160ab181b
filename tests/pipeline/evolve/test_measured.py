"""What the measured diagnosis makes of a question: what nobody counted is no score, and no fault."""
import asyncio

import pytest

from pipeline.evolve.llm_diagnoser import _proved
from pipeline.evolve.measured import MeasuredDiagnoser
from records.synthesis import Certificate
from tests.pipeline.evolve.asked import question
from tests.pipeline.evolve.made import row


class NothingBroken:
    async def findings(self, question):
        return []


def diagnosed(**counted):
    asked = question().replace(certificate=Certificate(margin=-1, **counted))
    easy = row(asked.id, "too_easy")
    diagnosis = asyncio.run(MeasuredDiagnoser(NothingBroken(), 0.0, "rl").diagnose({asked.id: asked}, [easy]))
    return asked, diagnosis.tasks[0]


def test_a_question_that_votes_support_has_no_score_for_what_was_not_counted():
    asked, task = diagnosed(basis="votes")
    assert "visual_dependency" not in task.scores
    assert "few_sources" not in {finding.cause for finding in task.findings}
    assert "claims" not in _proved(asked)


@pytest.mark.parametrize(("hops", "short"), [(1, True), (2, False)])
def test_a_question_that_claims_prove_is_scored_by_what_was_counted(hops, short):
    asked, task = diagnosed(basis="closed", effective_hops=hops, answers_without_picture=4)
    assert task.scores["visual_dependency"].value == 2 and task.scores["visual_dependency"].why.startswith("4 answers")
    assert ("few_sources" in {finding.cause for finding in task.findings}) is short
    assert f"over {hops} claims" in _proved(asked)
