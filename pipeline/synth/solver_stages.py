"""The filter stages that a model decides; `text_only` and `no_tools` have stand-ins where the recipe names no model. Also the judge of pictures."""

from collections.abc import Iterator
from dataclasses import dataclass

from questloom.agent.judges.answer import ROLE as JUDGE
from questloom.agent.tools.tool_settings import ToolSettings
from questloom.agent.turns.image_bank import ImageBank
from questloom.models.messages import Picture
from questloom.models.structured import BadReply
from questloom.pipeline.synth.filters_not_run import PRIOR_ROLES, NotRun, prior_of
from questloom.pipeline.synth.job import Job
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question, Verdict
from questloom.transforms.certificate.certify import given_by_picture, rival_fits
from questloom.transforms.drafting.accept import binding_of
from questloom.transforms.filters.fame import Fame
from questloom.transforms.filters.popularity import popularity_prior
from questloom.transforms.filters.rivals import named_rivals
from questloom.transforms.filters.search_shortcuts import Found, page_text
from questloom.transforms.filters.solvers import Solvers
from questloom.transforms.stages.stage import Apply, reject
from questloom.transforms.writing.llm.evidence_words import evidence_lines
from questloom.transforms.writing.writer import Draft


def make_solvers(job: Job, stage: str) -> Solvers:
    """The model solvers of a run, booked on a stage."""
    return Solvers(
        job.client(stage),
        num_samples=job.recipe.filters.samples,
        judge=job.recipe.models.judged_by_model(JUDGE),
    )


def shown_picture(job: Job, question: Question) -> Picture:
    """The picture as the policy sees it."""
    return Picture(job.run.picture(question.image_id).read_bytes())


def found_by_text(job: Job, question: Question) -> Iterator[Found]:
    """What the agent's text search says to the question itself, the best page first."""
    store, provider = job.store, job.searches
    for hit in provider.find_pages(question.text, job.recipe.filters.text_search_k):
        entity_id = store.entity_of_title(hit.title)
        assert entity_id is not None, "a hit is a page of the store"
        yield Found(
            title=hit.title, entity_id=entity_id, text=hit.snippet[: ToolSettings().extract_chars]
        )


def found_by_picture(job: Job, question: Question) -> tuple[Found, ...]:
    """The pages to which the agent's image search leads from the question's picture, whole, the best first."""
    store, provider = job.store, job.searches
    bank = ImageBank()
    bank.add(shown_picture(job, question).data, origin="task")
    withheld = (
        frozenset({question.source_image_id})
        if job.recipe.pictures.withhold_own
        else frozenset[str]()
    )
    entities = (
        store.entity_of_title(hit.title)
        for hit in provider.find_like(bank, 0, job.recipe.filters.image_search_k, withheld)
    )
    articles = (store.article(e) for e in entities if e is not None)
    return tuple(
        Found(title=a.title, entity_id=a.entity_id, text=page_text(a))
        for a in articles
        if a is not None
    )


@dataclass(frozen=True)
class SolverStage:
    """The factory of a filter that a model decides."""

    filter: str
    """Its name, and the stage's."""
    reason: Reason

    @property
    def role(self) -> str:
        """Whose model decides."""
        return PRIOR_ROLES.get(self.filter, "answer_with_search")

    def __call__(self, job: Job) -> Apply:
        fame = prior_of(job, self.filter) if self.filter in PRIOR_ROLES else None
        if isinstance(fame, str):
            return NotRun(self.filter, fame)(job)
        return self._with_model(job) if fame is None else self._with_prior(job, fame)

    def _with_prior(self, job: Job, fame: Fame) -> Apply:
        store = job.store

        async def judge(question: Question) -> Question | Rejection:
            verdict = popularity_prior(
                question,
                store,
                binding_of(question.bindings),
                name=self.filter,
                sees_picture=self.filter == "no_tools",
                fame=fame,
            )
            return self._outcome(question, verdict)

        return judge

    def _with_model(self, job: Job) -> Apply:
        store, solvers = job.store, make_solvers(job, self.filter)

        async def judge(question: Question) -> Question | Rejection:
            try:
                verdict = await self._verdict(job, solvers, question)
            except BadReply as error:
                return reject(
                    question, Reason.BAD_REPLY, {"solver": self.filter, "message": str(error)[:500]}
                )
            form = question.logical_form
            given = given_by_picture(form, binding_of(question.bindings)) if form else {}
            for said, key in named_rivals(store, question, verdict):
                if rival_fits(question, store, given, key):
                    return reject(question, Reason.RIVAL_FITS, {"said": said, "rival": key})
            return self._outcome(question, verdict)

        return judge

    async def _verdict(self, job: Job, solvers: Solvers, question: Question) -> Verdict:
        match self.filter:
            case "image_search":
                found = found_by_picture(job, question)
                return await solvers.one_image_search(
                    question,
                    shown_picture(job, question),
                    tuple((page.title, page.text) for page in found),
                )
            case "text_only":
                return await solvers.text_only(question)
            case "no_tools":
                return await solvers.without_tools(question, shown_picture(job, question))
            case _:
                return await solvers.from_evidence(question, evidence_words(job, question))

    def _outcome(self, question: Question, verdict: Verdict) -> Question | Rejection:
        if verdict.passed is not False:
            return question.with_verdict(verdict)
        return reject(
            question,
            self.reason,
            {
                "solver": verdict.solver,
                "num_correct": verdict.num_correct,
                "num_samples": verdict.num_samples,
                "evidence": verdict.evidence,
            },
        )


def evidence_words(job: Job, question: Question) -> tuple[str, ...]:
    """What the picture shows and what the certificate rests on, in words."""
    store, language = job.store, question.language
    draft = Draft(
        text=question.text,
        answer=question.answer,
        form=question.logical_form,
        bindings=question.bindings,
        hops=question.hops,
        history=question.history,
    )
    return f"The picture shows: {store.label(question.anchor, language)}", *evidence_lines(
        store, draft, language
    ).split("\n")


async def judge_picture(job: Job, solvers: Solvers, question: Question) -> Question | Rejection:
    """`too_simple` by a model, after the statistics that every picture passes."""
    try:
        verdict = await solvers.too_simple(question, shown_picture(job, question))
    except BadReply as error:
        return reject(
            question, Reason.BAD_REPLY, {"solver": "too_simple", "message": str(error)[:500]}
        )
    return (
        question.with_verdict(verdict)
        if verdict.passed
        else reject(question, Reason.PICTURE_TOO_SIMPLE, verdict.evidence)
    )


IMAGE_SEARCH = SolverStage("image_search", Reason.IMAGE_SEARCH_SHORTCUT)
TEXT_ONLY = SolverStage("text_only", Reason.ANSWERED_WITHOUT_PICTURE)
NO_TOOLS = SolverStage("no_tools", Reason.ANSWERED_WITHOUT_TOOLS)
SOLVABLE = SolverStage("solvable", Reason.NOT_SOLVABLE)
