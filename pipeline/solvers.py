"""F5 and F6 as stages: a model where the recipe names one, else the popularity prior."""
from dataclasses import dataclass
from pathlib import Path

from models.messages import Picture
from models.structured import BadReply
from pipeline.clients import client_of, has_role
from pipeline.resources import Job, open_store, picture_path
from records.outcomes import Reason, Rejection
from records.synthesis import Question, Verdict
from transforms.certificate.certify import given_by_picture, rival_fits
from transforms.drafting.accept import binding_of
from transforms.filters.popularity import popularity_prior
from transforms.filters.solvers import Solvers
from transforms.stages.stage import Apply, reject


@dataclass(frozen=True)
class SolverStage:
    """The factory of F5 or F6."""

    filter: str
    role: str
    reason: Reason
    stage: str

    def __call__(self, job: Job) -> Apply:
        return self._with_model(job) if has_role(job.recipe, self.role) else self._with_prior(job)

    def _with_prior(self, job: Job) -> Apply:
        store, least = open_store(job.store), job.recipe.filters.popular_sitelinks

        async def judge(question: Question) -> Question | Rejection:
            verdict = popularity_prior(question, store, binding_of(question.bindings), name=self.filter, sees_picture=self.filter == "F6",
                                       min_sitelinks=least)
            return self._outcome(question, verdict)

        return judge

    def _with_model(self, job: Job) -> Apply:
        store = open_store(job.store)
        solvers = Solvers(client_of(job.recipe, job.run, self.stage), num_samples=job.recipe.filters.samples, judge=job.recipe.models.judge)

        async def judge(question: Question) -> Question | Rejection:
            try:
                if self.filter == "F5":
                    verdict = await solvers.text_only(question)
                else:
                    verdict = await solvers.without_tools(question, Picture(Path(picture_path(job.run, question.image_id)).read_bytes()))
            except BadReply as error:
                return reject(question, self.stage, Reason.BAD_REPLY, {"solver": self.filter, "message": str(error)[:500]})
            form = question.logical_form
            wrong = (verdict.evidence or {}).get("wrong", []) if isinstance(verdict.evidence, dict) else []
            given = given_by_picture(form, binding_of(question.bindings)) if form else {}
            fitting = [w for w in wrong if isinstance(w, dict) and w.get("key") and rival_fits(question, store, given, w["key"])]
            if fitting:
                return reject(question, self.stage, Reason.RIVAL_FITS, {"rival": fitting[0]})
            return self._outcome(question, verdict)

        return judge

    def _outcome(self, question: Question, verdict: Verdict) -> Question | Rejection:
        if verdict.passed:
            return question.with_verdict(verdict)
        return reject(question, self.stage, self.reason, {"solver": verdict.solver, "num_correct": verdict.num_correct,
                                                          "num_samples": verdict.num_samples})


TEXT_ONLY = SolverStage("F5", "answer_text_only", Reason.ANSWERED_WITHOUT_PICTURE, "09-text-only")
NO_TOOLS = SolverStage("F6", "answer_direct", Reason.ANSWERED_WITHOUT_TOOLS, "10-no-tools")
