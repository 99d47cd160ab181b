"""Estimates the calls to models: which roles make calls, how many calls one item of a stage needs,
and how long prompts and replies are.

The estimate counts only the calls that `transforms/drafting/drafter.py` and
`transforms/filters/solvers.py` always make, according to their code. The number of retries is an
assumption.
"""

from dataclasses import astuple, dataclass

from questloom.agent.judges.answer import ROLE as JUDGE
from questloom.calls.request import Price
from questloom.knowledge.store.store import Store
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.messages import PIXELS_PER_TOKEN
from questloom.pipeline.plan import priors
from questloom.pipeline.plan.estimates import ZERO, Range, exactly, mean_of
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.synth_stages import TEXT_FACTS
from questloom.prompts.fence import NOTICE
from questloom.prompts.render import reply_outline
from questloom.prompts.roles import ROLES
from questloom.records.errors import InputError
from questloom.transforms.drafting.draft_rules import TextFactRules
from questloom.transforms.filters import registry
from questloom.transforms.filters.filter import Asks
from questloom.transforms.pictures.shown import MAX_SIDE
from questloom.transforms.planning.text_facts import ROLE
from questloom.transforms.writing.llm.plan_words import CHARS_PER_TOKEN, MAX_TOKENS
from questloom.transforms.writing.writer_names import LLM

DRAFT = "draft"
JUDGED = {
    "pictures": Asks(
        role="image_too_simple",
        share=astuple(priors.MODEL_SURVIVAL["pictures"].range),
        sees_picture=True,
    ),
    **{each.name: each.asks for each in registry.FILTERS if each.asks},
}
"""The stages that ask a model about each question, if the recipe configures a model."""
QUESTION_BYTES = 500
"""How many bytes of a prompt are taken by the question, the answer, names and marks."""
LARGEST = MAX_TOKENS * CHARS_PER_TOKEN
"""A prompt that asks for the wording of a plan, or for the facts of a page, has at most this number
of characters."""
NUM_PICTURES = 200


@dataclass(frozen=True, kw_only=True)
class RoleCalls:
    """The calls that one role makes for one item of a stage. If a pilot measured the calls, one
    object counts the calls to one model for all roles together."""

    stage: str
    role: str
    endpoint: str
    model: str
    per_item: Range
    tokens_in: Range
    """The number of input tokens of one call."""
    tokens_out: Range
    seconds: Range
    price: Price | None

    def money(self, num_calls: Range) -> Range | None:
        """The cost of this many calls; None if the price is unknown."""
        if self.price is None:
            return None
        return num_calls * (
            self.tokens_in.scaled(self.price.tokens_in / 1e6)
            + self.tokens_out.scaled(self.price.tokens_out / 1e6)
        )


def uses_model(recipe: Recipe, stage: str) -> bool:
    """Whether a stage of this recipe calls a model."""
    if stage == TEXT_FACTS:
        return recipe.draft.text_facts.pages > 0
    if stage == DRAFT:
        return recipe.writer == LLM or bool(
            recipe.own_writer and recipe.models.has_role("check_words")
        )
    asks = JUDGED.get(stage)
    return (
        asks is not None
        and recipe.models.has_role(asks.role)
        and getattr(recipe.filters, stage, True)
    )


def planned_calls(recipe: Recipe, store: Store) -> list[RoleCalls]:
    """The calls of every stage for one item. The numbers come from the recipe, and from prompts
    about entities of this store.

    Args:
        recipe: the recipe.
        store: the store.
    """
    counts = (
        {(DRAFT, role): per_seed for role, per_seed in draft_calls(recipe).items()}
        if uses_model(recipe, DRAFT)
        else {}
    )
    if uses_model(recipe, TEXT_FACTS):
        counts[TEXT_FACTS, ROLE] = read_calls(recipe.draft.text_facts)
    samples = float(recipe.filters.samples)
    for stage, asks in JUDGED.items():
        if uses_model(recipe, stage):
            is_solver = stage != "pictures"
            counts[stage, asks.role] = priors.REPAIRS.scaled(samples if is_solver else 1)
            if recipe.models.judged_by_model(JUDGE) and is_solver:
                counts[stage, JUDGE] = priors.WRONG_ANSWERS.scaled(samples)
    if not counts:
        return []
    picture = _picture_tokens(store)
    return [
        _role_calls(recipe, stage, role, per_item, picture)
        for (stage, role), per_item in counts.items()
    ]


def draft_calls(recipe: Recipe) -> dict[str, Range]:
    """How many calls the writing roles make for one seed that has plans. Each plan that the writer
    tries is put into words, and a model reads these words."""
    plans = priors.PLANS
    if recipe.writer == LLM:
        plans = plans.at_most(recipe.models.llm.plans)
    read = (plans * priors.READ * priors.REPAIRS).scaled(recipe.models.llm.votes)
    return {
        **({"word_plan": plans * priors.MENDED} if recipe.writer == LLM else {}),
        "check_words": read,
    }


def read_calls(rules: TextFactRules) -> Range:
    """How many calls the reading of pages near one seed takes. A page near several seeds is paid
    for once, so few seeds may need as many calls as the highest number says."""
    return Range(0, rules.pages / 2, rules.pages).scaled(rules.samples) * priors.REPAIRS


def _role_calls(
    recipe: Recipe, stage: str, role: str, per_item: Range, picture: Range
) -> RoleCalls:
    config, endpoint = role_config(recipe, role)
    asked = ROLES[role]
    fixed = len((asked.source + NOTICE + reply_outline(asked.reply)).encode()) + QUESTION_BYTES
    asks = JUDGED.get(stage) if role != "judge_answer" else None
    pages = asks.material_chars(recipe.filters) if asks and asks.material_chars else 0
    size = exactly(fixed) + Range(pages / 4, pages / 2, pages)
    if role in ("word_plan", ROLE):
        size = Range(fixed, (fixed + LARGEST) / 2, LARGEST)
    tokens_in = size * _PER_BYTE + (picture if asks and asks.sees_picture else ZERO)
    reply = (
        exactly(priors.REPLY_BYTES.get(role, priors.OTHER_REPLY_BYTES))
        * _PER_BYTE
        * priors.THINKING
    )
    return RoleCalls(
        stage=stage,
        role=role,
        endpoint=config.endpoint,
        model=config.model,
        per_item=per_item,
        tokens_in=tokens_in,
        tokens_out=reply.at_most(2 * config.max_tokens),
        seconds=priors.SECONDS_PER_CALL.at_most(endpoint.timeout),
        price=endpoint.price(config.model),
    )


_PER_BYTE = Range(
    1 / priors.BYTES_PER_TOKEN.high,
    1 / priors.BYTES_PER_TOKEN.likely,
    1 / priors.BYTES_PER_TOKEN.low,
)


def role_config(recipe: Recipe, role: str) -> tuple[RoleConfig, EndpointConfig]:
    """The model of a role, and the endpoint of the model. A forecast makes no calls, so it needs no
    key.

    Raises:
        InputError: the role's endpoint is not configured.
    """
    config = recipe.models.roles.get(role) or recipe.models.roles.get("default")
    endpoints = {e.name: e for e in recipe.models.endpoints}
    if config is None or config.endpoint not in endpoints:
        raise InputError(
            f"recipe key models.roles, role {role}",
            "names no endpoint that is configured",
            f"Endpoints: {', '.join(sorted(endpoints)) or 'none'}.",
        )
    return config, endpoints[config.endpoint]


def _picture_tokens(store: Store) -> Range:
    """The number of tokens that a picture takes in a prompt, estimated from the store's first
    pictures. Picture ids are hashes, so the first pictures are a random sample of all."""
    tokens = []
    for _, image in zip(range(NUM_PICTURES), store.scan_images(), strict=False):
        scale = min(1.0, MAX_SIDE / max(image.width, image.height, 1))
        tokens.append(image.width * scale * image.height * scale / PIXELS_PER_TOKEN + 100)
    most = mean_of(tokens, Range(300, 1_500, 5_000))
    return Range(
        most.low / 4, most.likely, most.high
    )  # coarser models use a quarter of the tokens for a picture
