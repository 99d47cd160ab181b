"""Finds leaks and wrong pictures in tasks that were made with some filters switched off. The module
applies the filters that were switched off, without asking a model."""

import dataclasses
import inspect
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from questloom.models.model_settings import ModelSettings
from questloom.pipeline.evolve.findings import Finding
from questloom.pipeline.settings import ModelRules
from questloom.pipeline.synth.job import Job
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question
from questloom.transforms.external.outside_rows import METHOD
from questloom.transforms.filters import registry
from questloom.transforms.pictures.ground import FAILED
from questloom.transforms.pictures.picture_chooser import PictureChooser
from questloom.transforms.pictures.picture_rules import GroundingRules

MAKERS: dict[str, Callable[[Job], Any]] = {
    each.name: each.apply for each in registry.FILTERS if each.in_loop
}
"""The filters that detect each kind of leak, by name."""
TOOLS = {each.name: each.in_loop.tool for each in registry.FILTERS if each.in_loop}
"""The filters that search, each with the name of the tool that does the same search."""


@dataclass(frozen=True)
class Checks:
    """The filters that check the tasks of one run.

    Args:
        job: the job that made the run. The filters make no model calls here.
        tools: the policy's tools. A filter that checks for a shortcut through some search is
            skipped if the policy has no tool for that search.
    """

    job: Job
    tools: Collection[str]
    _made: dict[str, Any] = field(default_factory=dict, repr=False)

    async def findings(self, question: Question) -> list[Finding]:
        """Why the filters that were switched off would have rejected the task."""
        return [*[found async for found in self._leaks(question)], *self._pictures(question)]

    async def _leaks(self, question: Question) -> Any:
        off = {v.filter for v in question.verdicts if v.solver == "not_run"}
        for name in MAKERS:
            if name not in off or (TOOLS[name] and TOOLS[name] not in self.tools):
                continue
            if name not in self._made:
                self._made[name] = MAKERS[name](self._without_models)
            said = self._made[name](question)
            outcome = await said if inspect.isawaitable(said) else said
            # A picture that is too plain, or a page of text, gives nothing away. On small drawings
            # OCR sees text where there is none.
            if isinstance(outcome, Rejection) and outcome.reason != Reason.PICTURE_TOO_SIMPLE:
                yield Finding(question.id, "filters", name, 5.0, _why(outcome))

    @cached_property
    def _without_models(self) -> Job:
        models = ModelRules(
            **{
                **{
                    f.name: getattr(self.job.recipe.models, f.name)
                    for f in dataclasses.fields(ModelSettings)
                },
                "endpoints": (),
                "roles": {},
            }
        )
        return dataclasses.replace(
            self.job, recipe=dataclasses.replace(self.job.recipe, models=models)
        )

    def _pictures(self, question: Question) -> Iterator[Finding]:
        stored = question.grounding
        if question.method == METHOD or (
            isinstance(stored, dict) and stored["status"] != "not_run"
        ):
            return
        found = self._chooser.grounding_of(question)
        if found.status == FAILED:
            yield Finding(
                question.id,
                "pictures",
                "not_grounded",
                5.0,
                f"{found.cause}: similarity {found.score}, needed {found.threshold}, nearest {found.nearest}",
            )

    @cached_property
    def _chooser(self) -> PictureChooser:
        recipe = self.job.recipe
        return PictureChooser(
            store=self.job.store,
            clip=self.job.clip,
            rules=recipe.pictures,
            grounding=GroundingRules(mode="optional"),
            recipe_seed=recipe.seed,
        )


def _why(outcome: Rejection) -> str:
    evidence = outcome.evidence
    if isinstance(evidence, dict) and {"found", "title", "rank"} <= set(evidence):
        return f"{evidence['found']!r} stands on page {evidence['rank'] + 1} of what one search finds, {evidence['title']!r}"
    return f"{outcome.reason}: {str(evidence)[:300]}"
