"""Which roles call a model, how often for one item of their stage, and how long prompt and reply are.

The counts follow the drivers' loops (`transforms/drafting/injection.py`, `paths.py`, `transforms/filters/solvers.py`):
what they must ask is counted, how often a step needs another try is a prior.
"""

from collections import Counter
from dataclasses import astuple, dataclass

from questloom.agent.judges.answer import ROLE as JUDGE
from questloom.calls.request import Price
from questloom.knowledge.store.store import Store
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.messages import PIXELS_PER_TOKEN
from questloom.pipeline.plan import priors
from questloom.pipeline.plan.estimates import ZERO, Range, exactly, mean_of
from questloom.pipeline.recipe import Recipe
from questloom.prompts.fence import NOTICE
from questloom.prompts.render import reply_outline
from questloom.prompts.roles import ROLES
from questloom.records.errors import InputError
from questloom.transforms.filters import registry
from questloom.transforms.filters.filter import Asks
from questloom.transforms.pictures.shown import MAX_SIDE
from questloom.transforms.writing.llm.material import material

DRAFT = "draft"
JUDGED = {
    "pictures": Asks(
        role="image_too_simple",
        share=astuple(priors.MODEL_SURVIVAL["pictures"].range),
        sees_picture=True,
    ),
    **{each.name: each.asks for each in registry.FILTERS if each.asks},
}
"""Stages that ask a model about a question where the recipe has one."""
READS_MATERIAL = ("seed_question", "canonical_question", "take_fact", "describe")
"""Roles whose prompt shows an entity's claims and sentences: what makes a prompt long."""
QUESTION_BYTES = 500
"""Of question, answer, names and marks in a prompt."""
NUM_PICTURES = 200
Mix = Counter[tuple[str, str]]
"""How many seeds there are of each (method, level)."""


@dataclass(frozen=True, kw_only=True)
class RoleCalls:
    """What one role, or after a pilot one model, asks for one item of a stage."""

    stage: str
    role: str
    endpoint: str
    model: str
    per_item: Range
    tokens_in: Range
    """Of one call."""
    tokens_out: Range
    seconds: Range
    price: Price | None

    def money(self, num_calls: Range) -> Range | None:
        """What so many calls cost; None where the price is unknown."""
        if self.price is None:
            return None
        return num_calls * (
            self.tokens_in.scaled(self.price.tokens_in / 1e6)
            + self.tokens_out.scaled(self.price.tokens_out / 1e6)
        )


def uses_model(recipe: Recipe, stage: str) -> bool:
    """Whether a stage of this recipe calls a model."""
    if stage == DRAFT:
        return recipe.writer == "llm"
    asks = JUDGED.get(stage)
    return (
        asks is not None
        and recipe.models.has_role(asks.role)
        and getattr(recipe.filters, stage, True)
    )


def planned_calls(
    recipe: Recipe, store: Store, mix: Mix, entities: tuple[str, ...]
) -> list[RoleCalls]:
    """The calls of every stage for one of its items, from the recipe and prompts over this store.

    Args:
        recipe: the recipe.
        store: the store.
        mix: seeds by method and level.
        entities: some seeds' entities; the prompts about them are measured.
    """
    counts = (
        {(DRAFT, role): per_seed for role, per_seed in draft_calls(recipe, mix).items()}
        if uses_model(recipe, DRAFT)
        else {}
    )
    samples = float(recipe.filters.samples)
    for stage, asks in JUDGED.items():
        if uses_model(recipe, stage):
            is_solver = stage != "pictures"
            counts[stage, asks.role] = priors.REPAIRS.scaled(samples if is_solver else 1)
            if recipe.models.judged_by_model(JUDGE) and is_solver:
                counts[stage, JUDGE] = priors.WRONG_ANSWERS.scaled(samples)
    if not counts:
        return []
    shown = _material_bytes(recipe, store, entities)
    picture = _picture_tokens(store)
    return [
        _role_calls(recipe, stage, role, per_item, shown, picture)
        for (stage, role), per_item in counts.items()
    ]


def draft_calls(recipe: Recipe, mix: Mix) -> dict[str, Range]:
    """Calls of each writing role for one seed on average, repairs included."""
    found: dict[str, Range] = {}
    total = sum(mix.values()) or 1
    for (method, level), count in sorted(mix.items()):
        one = (
            _exploration(recipe)
            if method == "exploration"
            else _injection(recipe, level)
            if method == "injection"
            else _path(recipe, level)
        )
        for role, calls in one.items():
            found[role] = found.get(role, ZERO) + (calls * priors.REPAIRS).scaled(count / total)
    return {role: calls for role, calls in found.items() if calls.high}


def _injection(recipe: Recipe, level: str) -> dict[str, Range]:
    """`draft_by_injection`: a first question; rounds of picking, taking a fact and rewriting; the picture."""
    rounds = priors.WALKS.scaled(recipe.draft.rounds[level])
    rewrites = rounds * priors.MENTIONS * priors.TRIES
    return {
        "seed_question": exactly(1),
        "pick_entity": rounds,
        "take_fact": rounds * priors.MENTIONS,
        "inject": rewrites,
        "pick_image_entity": priors.WALKS,
        "hide_entity": priors.WALKS,
        **_votes(recipe, rewrites + priors.WALKS),
    }


def _path(recipe: Recipe, level: str) -> dict[str, Range]:
    """`draft_by_path`: a canonical question for each walk; nodes that their hop does not single out are described."""
    walks = priors.WALKS.at_most(recipe.draft.tries)
    described = walks * priors.UNDETERMINED.scaled(recipe.draft.hops[level])
    rewrites = described * priors.TRIES
    return {
        "canonical_question": walks,
        "describe": described,
        "inject": rewrites,
        **_votes(recipe, rewrites + walks),
        "obfuscate_answer": walks.scaled(recipe.draft.obfuscate_share),
    }


def _exploration(recipe: Recipe) -> dict[str, Range]:
    """`Exploration`: a judgement of the seed; for each evidence graph its phases, a choice of reasoning and of perception nodes; plans and their deepening. A
    choice that is none costs nothing, and a form is certified before anybody words it."""
    graphs = priors.WALKS.at_most(recipe.draft.explore.graphs)
    phases = Range(
        0,
        recipe.draft.explore.anchors / recipe.draft.explore.nodes_per_phase,
        recipe.draft.explore.anchors,
    )
    seldom = Range(0, graphs.likely / 2, graphs.high)
    return {
        "propose_seed": exactly(1),
        "explore": graphs * phases,
        "reason": seldom,
        "perceive": seldom,
        "curate": graphs,
        "deepen": graphs,
        "check_words": graphs.scaled(recipe.models.llm.votes),
    }


def _votes(recipe: Recipe, steps: Range) -> dict[str, Range]:
    """Votes that words say what their evidence says: one on each step, all on a finished draft. Where the recipe accepts the basis `votes`, also
    those on steps that no claims support; invariance is asked of those found unique.
    """
    read_back = steps + priors.WALKS.scaled(recipe.models.llm.votes)
    if "votes" not in recipe.certificate.bases:
        return {"check_words": read_back}
    votes = (steps * priors.WITHOUT_FORM).scaled(recipe.models.llm.votes)
    return {
        "check_words": read_back,
        "check_unique": votes,
        "check_invariant": Range(votes.low / 2, votes.likely * 0.8, votes.high),
        "check_picture": Range(0, votes.likely * 0.3, votes.high),
    }


def _role_calls(
    recipe: Recipe, stage: str, role: str, per_item: Range, shown: Range, picture: Range
) -> RoleCalls:
    config, endpoint = role_config(recipe, role)
    asked = ROLES[role]
    fixed = len((asked.source + NOTICE + reply_outline(asked.reply)).encode()) + QUESTION_BYTES
    asks = JUDGED.get(stage) if role != "judge_answer" else None
    pages = asks.material_chars(recipe.filters) if asks and asks.material_chars else 0
    size = (
        exactly(fixed)
        + (shown if role in READS_MATERIAL else ZERO)
        + Range(pages / 4, pages / 2, pages)
    )
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
    """The model that plays a role, and its endpoint. No key is needed for a forecast.

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


def _material_bytes(recipe: Recipe, store: Store, entities: tuple[str, ...]) -> Range:
    """Length of the claims and sentences that a prompt shows."""
    sizes: list[float] = []
    for entity in store.entities(entities).values():
        shown = material(
            store,
            entity,
            recipe.language,
        )
        sizes.append(float(len(shown.claims_block.encode()) + len(shown.sentences_block.encode())))
    return mean_of(sizes, Range(1_000, 6_000, 24_000))


def _picture_tokens(store: Store) -> Range:
    """Tokens of a picture as it is shown, from the store's first pictures; their ids are hashes, so they are a random sample."""
    tokens = []
    for _, image in zip(range(NUM_PICTURES), store.scan_images(), strict=False):
        scale = min(1.0, MAX_SIDE / max(image.width, image.height, 1))
        tokens.append(image.width * scale * image.height * scale / PIXELS_PER_TOKEN + 100)
    most = mean_of(tokens, Range(300, 1_500, 5_000))
    return Range(
        most.low / 4, most.likely, most.high
    )  # coarser models read a picture as a quarter of that
