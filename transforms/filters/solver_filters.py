"""Makes the functions of filters in which a model or the popularity prior (a stand-in for a model)
decides. Also lets a model judge whether a picture is too simple."""

from collections.abc import Awaitable, Callable

from questloom.agent.judges.answer import ROLE as JUDGE
from questloom.models.messages import Picture
from questloom.models.structured import BadReply
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question, Verdict
from questloom.transforms.certificate.certify import given_by_picture, rival_fits
from questloom.transforms.certificate.execute import binding_of
from questloom.transforms.filters.fame import Fame
from questloom.transforms.filters.filter import FilterJob
from questloom.transforms.filters.popularity import popularity_prior
from questloom.transforms.filters.rivals import named_rivals
from questloom.transforms.filters.solvers import Solvers
from questloom.transforms.stages.stage import Apply, reject
from questloom.transforms.writing.llm.evidence_words import evidence_lines
from questloom.transforms.writing.writer import NO_FORM, Draft


def make_solvers(job: FilterJob, stage: str) -> Solvers:
    """The solvers of a run, which are models. The cost of a solver's calls is booked on the given
    stage."""
    return Solvers(
        job.client(stage),
        num_samples=job.recipe.filters.samples,
        judge=job.recipe.models.judged_by_model(JUDGE),
    )


def shown_picture(job: FilterJob, question: Question) -> Picture:
    """The picture as the policy sees it."""
    return Picture(job.run.picture(question.image_id).read_bytes())


def by_model(
    job: FilterJob,
    name: str,
    reason: str,
    ask: Callable[[Solvers, Question], Awaitable[Verdict]],
) -> Apply:
    """Makes the function of a filter in which a model decides. If one of the model's wrong answers
    also fits the question, the question is rejected; otherwise the model's verdict counts."""
    store, solvers = job.store, make_solvers(job, name)

    async def judge(question: Question) -> Question | Rejection:
        try:
            verdict = await ask(solvers, question)
        except BadReply as error:
            return reject(question, Reason.BAD_REPLY, {"solver": name, "message": str(error)[:500]})
        form = question.logical_form
        given = given_by_picture(form, binding_of(question.bindings)) if form else {}
        for said, key in named_rivals(store, question, verdict):
            if rival_fits(question, store, given, key):
                return reject(question, Reason.RIVAL_FITS, {"said": said, "rival": key})
        return _outcome(question, verdict, reason)

    return judge


def by_prior(job: FilterJob, name: str, reason: str, fame: Fame, *, sees_picture: bool) -> Apply:
    """Makes the function of a filter in which the popularity prior (a stand-in for a model)
    decides."""
    store = job.store

    async def judge(question: Question) -> Question | Rejection:
        verdict = popularity_prior(
            question,
            store,
            binding_of(question.bindings),
            name=name,
            sees_picture=sees_picture,
            fame=fame,
        )
        return _outcome(question, verdict, reason)

    return judge


def _outcome(question: Question, verdict: Verdict, reason: str) -> Question | Rejection:
    if verdict.passed is not False:
        return question.with_verdict(verdict)
    return reject(
        question,
        reason,
        {
            "solver": verdict.solver,
            "num_correct": verdict.num_correct,
            "num_samples": verdict.num_samples,
            "evidence": verdict.evidence,
        },
    )


def evidence_words(job: FilterJob, question: Question) -> tuple[str, ...]:
    """The facts that the picture shows and the claims of the certificate, in words."""
    store, language = job.store, question.language
    draft = Draft(
        text=question.text,
        answer=question.answer,
        form=question.logical_form or NO_FORM,
        bindings=question.bindings,
    )
    return f"The picture shows: {store.label(question.anchor, language)}", *evidence_lines(
        store, draft, language
    ).split("\n")


async def judge_picture(
    job: FilterJob, solvers: Solvers, question: Question
) -> Question | Rejection:
    """A model's verdict on whether the picture is too simple. The picture has passed the
    statistical tests before."""
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
