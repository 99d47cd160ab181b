"""The stages that make a question: they draft it, choose its picture, certify it and degrade its
picture. Each process makes the function of a stage only once."""

from dataclasses import replace

from questloom.files.parquet import write_whole
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.outside_stages import (
    drafting_outside,
    external_first,
    outside_picture,
    source_picture,
)
from questloom.pipeline.synth.writer_choice import make_reader, make_writer
from questloom.records.outcomes import Rejection
from questloom.records.plan import PlannedSeed, ReadSeed
from questloom.records.synthesis import Question, Seed
from questloom.records.table import Json
from questloom.transforms.certificate.certify import Refusal, certify, given_by_picture
from questloom.transforms.certificate.execute import binding_of
from questloom.transforms.drafting.drafter import Drafter
from questloom.transforms.enhancement.degrade import is_chosen
from questloom.transforms.enhancement.enhance import Enhanced, enhance
from questloom.transforms.enhancement.recoverable import Source
from questloom.transforms.external.outside_rows import certified
from questloom.transforms.filters.registry import FILTERS
from questloom.transforms.filters.solver_filters import judge_picture, make_solvers
from questloom.transforms.pictures.choose import perceptual_hash
from questloom.transforms.pictures.picture_chooser import PictureChooser
from questloom.transforms.pictures.shown import shown
from questloom.transforms.planning.ground import Ground
from questloom.transforms.planning.planner import plan_seed
from questloom.transforms.planning.route import find_route
from questloom.transforms.planning.text_facts import PageReader
from questloom.transforms.stages.stage import Apply, reject


def make_draft(job: Job) -> Apply:
    writer = make_writer(job)
    drafter = Drafter(
        facts=job.lookups,
        writer=writer,
        reader=make_reader(job, writer),
        rules=job.recipe.draft,
        languages=job.recipe.certificate.languages,
        language=job.recipe.language,
        word_filters=tuple(
            f.make(job) for f in FILTERS if f.of_words and f.is_on(job.recipe.filters)
        ),
    )
    return drafting_outside(job, drafter) if job.recipe.external else drafter.__call__


def make_text_facts(job: Job) -> Apply:
    return PageReader(job.client("text_facts"), make_ground(job)).__call__


def make_plan(job: Job) -> Apply:
    at = make_ground(job)

    def plan(given: Seed | ReadSeed) -> PlannedSeed | Rejection:
        if isinstance(given, Seed):
            return plan_seed(at, given)
        return plan_seed(replace(at, text_facts=given.by_subject()), given.seed)

    return plan


def make_ground(job: Job) -> Ground:
    """The data and the rules that the job needs for planning questions."""
    recipe = job.recipe
    return Ground(
        job.lookups,
        recipe.draft,
        recipe.certificate,
        recipe.seed,
        min_views=2 if recipe.pictures.withhold_own else 1,
        living_people=recipe.seeds.living_people,
        ladder=recipe.seeds.ladder,
    )


def make_pictures(job: Job) -> Apply:
    store, recipe = job.store, job.recipe
    chooser = PictureChooser(
        store=store,
        clip=job.clip,
        rules=recipe.pictures,
        grounding=recipe.grounding,
        recipe_seed=recipe.seed,
        exclude=recipe.filters.exclude_pictures,
    )

    def choose(question: Question) -> Question | Rejection:
        chosen = chooser(question)
        if isinstance(chosen, Rejection):
            return chosen
        image, grounding, verdict = chosen
        picture = shown(store.image_bytes(image.id))
        path = job.run.picture(picture.id)
        if not path.exists():
            write_whole(path, picture.data)
        return question.replace(
            image_id=picture.id, source_image_id=image.id, grounding=Json(grounding.to_row())
        ).with_verdict(verdict)

    take = external_first(outside_picture(job), choose)
    if not recipe.models.has_role("image_too_simple"):
        return take
    solvers = make_solvers(job, "pictures")

    async def choose_and_judge(question: Question) -> Question | Rejection:
        taken = take(question)
        assert isinstance(taken, Question | Rejection)
        return taken if isinstance(taken, Rejection) else await judge_picture(job, solvers, taken)

    return choose_and_judge


def make_certify(job: Job) -> Apply:
    lookups, rules = job.lookups, job.recipe.certificate

    def check(question: Question) -> Question | Rejection:
        form = question.logical_form
        assert form is not None, "outside rows go another way"
        given = given_by_picture(form, binding_of(question.bindings))
        made = certify(question, lookups, given, rules)
        if isinstance(made, Refusal):
            return reject(question, made.reason, made.evidence)
        return made.replace(route=find_route(form, binding_of(question.bindings), lookups))

    return external_first(certified, check)


def make_enhance(job: Job) -> Apply:
    store, recipe = job.store, job.recipe
    if not recipe.enhancement.share:
        return lambda question: question
    search, clip = job.searches.pictures, job.clip

    def degrade(question: Question) -> Question | Rejection:
        if not is_chosen(question.id, recipe.seed, recipe.enhancement.share):
            return question
        picture, image = source_picture(job, question), store.image(question.source_image_id)
        source = Source(
            image_ids={i.id for i in store.images_of(question.anchor)} if question.anchor else (),
            perceptual_hash=image.perceptual_hash if image else perceptual_hash(picture),
            details=image.details if image and question.reads_its_picture else (),
        )
        made = enhance(
            question, picture, source, clip, search, seed=recipe.seed, rules=recipe.enhancement
        )
        if isinstance(made, Enhanced):
            write_whole(job.run.picture(made.picture.id), made.picture.data)
            return made.question
        return made

    return degrade
