"""The same rollouts and rewards make TRL's GRPOTrainer and this one the same update: each by its own way from rewards to gradient, with groups
without variance, an unknown reward and a KL term."""

import copy
import dataclasses
import sys
import warnings
from typing import Any

import pytest
import torch
from datasets import Dataset

from questloom.agent.judges.answer import Judgement
from questloom.agent.play.player import Played, Task
from questloom.records.episodes import Outcome
from questloom.train.credit import groups
from questloom.train.credit.rewards import UNKNOWN
from questloom.train.grpo.step_samples import group_rollouts, make_step_samples
from questloom.train.grpo.update import Learner
from questloom.train.model.scorer import Scorer
from questloom.train.rollouts.actor import JudgedRollout
from questloom.train.rollouts.questions import StepQuestion
from questloom.train.rollouts.scored import RolloutRows
from questloom.train.rows.episode_rows import row_of_segments
from questloom.train.rows.packing import Packed, pack
from questloom.train.rows.row import Row
from questloom.train.run.parallel import World
from questloom.train.settings.grpo_settings import load_grpo_settings
from questloom.train.settings.training_settings import DataSettings
from tests.agent import tiny
from tests.train.grpo_world import question
from tests.train.played import PICTURES, ROPE, episode, segments
from tests.train.update import Gradient, difference

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from trl import GRPOConfig, GRPOTrainer

N = 4
GROUPS = {
    "one of three has variance": (1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1),
    "a reward is unknown": (1, 0, 0, None, 0, 0, 0, 0, 1, None, 1, 1),
    "all have variance": (1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0),
}
OUTCOMES = {1: Outcome.CORRECT, 0: Outcome.WRONG, None: Outcome.JUDGE_FAILED}
NORMALISERS = {"grpo": "trajectory", "dapo": "token", "dr_grpo": "constant"}
AT = World("single", 0, 1, torch.device("cpu"))
MODEL = tiny.model()


def moved(model: torch.nn.Module) -> torch.nn.Module:
    """A model near the policy, which the KL term is against."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(0.9)
    return model


def played(number: int) -> Played:
    """A rollout without pictures whose log-probabilities are the model's own; rollouts differ in length."""
    made, bank = episode(
        1 + number % 3, seed=number, words=1 + number % 4, task_pictures=0, tool_pictures=False
    )
    row = row_of_segments(segments(made, bank), episode_id="x", tokens=PICTURES, rope=ROPE)
    with torch.no_grad():
        told = Scorer(MODEL)(pack([row], PICTURES)).logp.tolist()
    turns = []
    for turn in made.turns:
        turns.append(turn.replace(logprobs=tuple(told[: len(turn.token_ids)])))
        told = told[len(turn.token_ids) :]
    made = made.replace(task_id=f"q{number // N}", rollout=number % N, turns=tuple(turns))
    return Played(episode=made, bank=bank, segments=tuple(segments(made, bank)))


PLAYED = [played(number) for number in range(3 * N)]
ROWS: list[Row] = [
    row_of_segments(each.segments, episode_id=each.episode.id, tokens=PICTURES, rope=ROPE)
    for each in PLAYED
]
LATE: set[int] = set()
"""Rollouts that ran out of time, and are in the statistics only."""
LONGEST = max(len(row) - row.turns[0][0] for row in ROWS)


class Seen:
    """An optimiser that keeps the gradient and changes nothing."""

    param_groups: tuple[dict[str, Any], ...] = ()

    def __init__(self, model: torch.nn.Module) -> None:
        self.model = model

    def step(self) -> None:
        self.gradient = {
            name: torch.zeros_like(p) if p.grad is None else p.grad.clone()
            for name, p in self.model.named_parameters()
        }

    def zero_grad(self) -> None:
        self.model.zero_grad()


def ours(rewards: tuple[int | None, ...], *overrides: str) -> Gradient:
    """From judged rollouts to the gradient that the optimiser is given."""
    settings = load_grpo_settings(
        "grpo-tiny",
        [
            "data.max_tokens=900",
            "statistic=sample",
            "optimiser.max_grad_norm=1e9",
            "care.engine_kl=1e-6",
            f"step.rollouts={N}",
            "step.questions=3",
            f"objective.constant={LONGEST}",
            *overrides,
        ],
    )
    ends = ["time" if number in LATE else "answered" for number in range(len(PLAYED))]
    judged = [
        JudgedRollout(
            StepQuestion(number // N, question(number // N)[0]),
            number % N,
            Task(task_id=f"q{number // N}", question="Who?"),
            dataclasses.replace(each, episode=each.episode.replace(end=ends[number])),
            Judgement(outcome=OUTCOMES[reward], by="rules"),
            UNKNOWN,
        )
        for number, (each, reward) in enumerate(zip(PLAYED, rewards, strict=True))
    ]
    made = make_step_samples(
        group_rollouts(
            judged, RolloutRows(PICTURES, ROPE, DataSettings(max_tokens=900)), settings, 0
        ),
        [],
        settings,
        PICTURES,
        lambda again: [],
    )
    seen, scorer, still = Seen(MODEL), Scorer(MODEL), Scorer(moved(copy.deepcopy(MODEL)))

    @torch.no_grad()
    def beside(packed: Packed) -> torch.Tensor:
        return still(packed).logp

    Learner(scorer, seen, beside, PICTURES, settings, AT).learn(made.share, 0)
    return seen.gradient


@pytest.fixture(scope="module")
def trainer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """TRL's trainer with our rollouts, whose options are set on it: building one takes seconds."""

    def rollouts(prompts: list[str], _: Any) -> dict[str, Any]:
        begins = [row.turns[0][0] for row in ROWS]
        return {
            "prompt_ids": [row.ids[:b].tolist() for row, b in zip(ROWS, begins, strict=True)],
            "completion_ids": [row.ids[b:].tolist() for row, b in zip(ROWS, begins, strict=True)],
            "logprobs": None,
            "env_mask": [
                (row.loss_mask[b:] * (number not in LATE)).long().tolist()
                for number, (row, b) in enumerate(zip(ROWS, begins, strict=True))
            ],
        }

    folder = tmp_path_factory.mktemp("trl")
    MODEL.save_pretrained(folder / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args = GRPOConfig(
            output_dir=str(folder),
            beta=0.3,
            model_init_kwargs={"dtype": "float32"},
            use_cpu=True,
            bf16=False,
            report_to=[],
            num_generations=N,
            per_device_train_batch_size=len(ROWS),
            max_completion_length=LONGEST,
            epsilon=0.2,
            epsilon_high=0.28,
            disable_tqdm=True,
        )
        made = GRPOTrainer(
            model=str(folder / "model"),
            args=args,
            processing_class=tiny.processor(),
            rollout_func=rollouts,
            reward_funcs=lambda completions, score, **_: score,
            train_dataset=Dataset.from_list([{"prompt": "x"}] * len(ROWS)),
        )
    moved(made.ref_model)
    return made


def theirs(trainer: Any, rewards: tuple[int | None, ...], loss_type: str, beta: float) -> Gradient:
    """TRL's own step of training: rollouts scored, advantages, reference, loss, backward."""
    trainer.loss_type, trainer.beta = loss_type, beta
    trainer.current_gradient_accumulation_steps, trainer._step, trainer._buffered_inputs = (
        1,
        0,
        None,
    )
    trainer.model.zero_grad()
    trainer.training_step(
        trainer.model, [{"prompt": "x", "score": reward} for reward in rewards], None
    )
    return {
        name: torch.zeros_like(p) if p.grad is None else p.grad.clone()
        for name, p in trainer.model.named_parameters()
    }


@pytest.fixture(autouse=True)
def delta(monkeypatch: pytest.MonkeyPatch) -> None:
    """TRL adds 1e-4 to a standard deviation, and this trainer 1e-6."""
    monkeypatch.setitem(groups.advantages.__kwdefaults__, "delta", 1e-4)


@pytest.mark.parametrize("beta", [0.0, 0.3])
@pytest.mark.parametrize("loss_type", NORMALISERS)
@pytest.mark.parametrize("rewards", GROUPS.values(), ids=list(GROUPS))
def test_an_update_is_trls(trainer, rewards, loss_type, beta):
    got = ours(rewards, f"objective.normaliser={NORMALISERS[loss_type]}", f"objective.kl={beta}")
    assert difference(theirs(trainer, rewards, loss_type, beta), got) < 1e-5


@pytest.mark.parametrize("beta", [0.0, 0.3])
@pytest.mark.parametrize("loss_type", NORMALISERS)
def test_an_update_with_rollouts_that_are_masked_whole_is_trls(
    trainer, loss_type, beta, monkeypatch
):
    """They are in the statistics and in 1/G Σ, and nowhere else; in a group with variance and in one without."""
    monkeypatch.setattr(sys.modules[__name__], "LATE", {2, 5})
    rewards = GROUPS["one of three has variance"]
    got = ours(
        rewards,
        f"objective.normaliser={NORMALISERS[loss_type]}",
        f"objective.kl={beta}",
        "fatal.overlong=out_of_loss",
    )
    assert difference(theirs(trainer, rewards, loss_type, beta), got) < 1e-5


def test_an_update_of_rollouts_with_one_reward_is_trls_which_is_the_kl_terms_alone(trainer):
    assert (
        difference(
            theirs(trainer, (1,) * 3 * N, "grpo", 0.3), ours((1,) * 3 * N, "objective.kl=0.3")
        )
        < 1e-5
    )


@pytest.mark.parametrize("normaliser", NORMALISERS.values())
def test_divided_by_what_is_taught_one_informative_group_of_three_pulls_about_three_times_as_hard(
    normaliser,
):
    rewards = GROUPS["one of three has variance"]
    one, other = (
        ours(rewards, f"objective.normaliser={normaliser}", f"objective.divisor={divisor}")
        for divisor in ("sampled", "taught")
    )
    times = (
        3.0
        if normaliser != "token"
        else sum(int(row.loss_mask.sum()) for row in ROWS)
        / sum(int(row.loss_mask.sum()) for row in ROWS[:N])
    )
    assert difference({name: times * grad for name, grad in one.items()}, other) < 1e-5
