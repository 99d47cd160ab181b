"""The trainer's code with one thing turned around at a time, and the tests that must notice: for `test_mutations.py`.

`python -m tests.train.mutations` prints a line each; with names of modules, of their mutations only. Every mutation runs in a fork of a process that has
imported the large libraries and nothing of `train`.
"""

import importlib.machinery
import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
import transformers.models.qwen3_vl.modeling_qwen3_vl
from transformers import Qwen3VLForConditionalGeneration, Qwen3VLProcessor  # noqa: F401 (imported once for all forks)

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Mutation:
    """One change of a module of `train`."""

    module: str
    """Its name below `train`: `credit.axpo`."""
    old: str
    """Stands in the file once."""
    new: str
    tests: str = ""
    """Test files that notice, without `test_`; the module's own by default."""

    @property
    def path(self) -> Path:
        """The module's file."""
        return ROOT / "train" / f"{self.module.replace('.', '/')}.py"

    @property
    def files(self) -> list[str]:
        """Those that are run."""
        return [
            f"tests/train/test_{name}.py"
            for name in (self.tests or self.module.rpartition(".")[2]).split()
        ]

    def __str__(self) -> str:
        return f"{self.module}: {' '.join(self.old.split())} → {' '.join(self.new.split())}"


MUTATIONS = [
    # signs
    Mutation("loss.sft_loss", "return -logp.sum()", "return logp.sum()", "objective"),
    Mutation("loss.objective", "return -torch.min(", "return torch.min("),
    Mutation("loss.objective", "torch.min(ratio", "torch.max(ratio"),
    Mutation(
        "loss.objective",
        "ratio = (logp - old_logp).exp()\n    return -",
        "ratio = (old_logp - logp).exp()\n    return -",
    ),
    Mutation(
        "loss.objective", "log_ratio = reference_logp - logp", "log_ratio = logp - reference_logp"
    ),
    Mutation(
        "loss.objective",
        "(trainer_logp - engine_logp).exp().clamp",
        "(engine_logp - trainer_logp).exp().clamp",
    ),
    Mutation("loss.objective", "losses = losses + objective.kl", "losses = losses - objective.kl"),
    Mutation(
        "loss.objective", "clamp(1 - clip_low, 1 + clip_high)", "clamp(1 - clip_high, 1 + clip_low)"
    ),
    Mutation("model.logprobs", ".mul_(probs)\n                    .neg_()", ".mul_(probs)"),
    Mutation("model.logprobs", "scores[1, part] = norm - (", "scores[1, part] = norm + ("),
    Mutation("credit.groups", "centred = told - told.mean()", "centred = told.mean() - told"),
    Mutation(
        "credit.axpo",
        "made if cap is None else min(made, cap)",
        "made if cap is None else max(made, cap)",
    ),
    Mutation(
        "credit.fatal",
        "            advantage = max(advantage, 0.0)\n    elif",
        "            advantage = min(advantage, 0.0)\n    elif",
    ),
    Mutation("credit.rewards", "(1 - rules.alpha) * query", "rules.alpha * query"),
    # masks
    Mutation("rows.packing", "at + start - 1", "at + start", "packing"),
    Mutation("rows.packing", "row.ids[at] for row", "row.ids[at - 1] for row", "packing"),
    Mutation(
        "rows.packing",
        "told = [\n        row.old_logp[at] for",
        "told = [\n        row.old_logp[at - 1] for",
        "packing",
    ),
    Mutation(
        "rows.episode_rows", "mask[place:end] = True", "mask[:end] = True", "row episode_rows"
    ),
    Mutation(
        "rows.episode_rows",
        'if segment.kind == "policy" and segment.ids:',
        "if segment.ids:",
        "row episode_rows",
    ),
    Mutation("rows.row", "steps.cumsum(0) - 1", "steps.cumsum(0)"),
    Mutation("rows.row", "loss_mask=self.loss_mask & mask", "loss_mask=mask"),
    Mutation("credit.fatal", "loss_mask & (steps < num_steps)", "loss_mask & (steps <= num_steps)"),
    Mutation("credit.fatal", "            row.clear()", "            pass"),
    Mutation("credit.fatal", "elif each == ToolStatus.MODEL_FAULT:", "else:"),
    Mutation(
        "credit.fatal", 'kept = 0 if rules.treatment == "hard_mask" else fatal', "kept = fatal"
    ),
    Mutation(
        "credit.fatal",
        "        kept = 0\n    return Treatment",
        "        pass\n    return Treatment",
    ),
    Mutation("credit.axpo", "torch.arange(len(row)) < end", "torch.arange(len(row)) <= end"),
    Mutation("credit.axpo", "torch.arange(len(row)) >= begin", "torch.arange(len(row)) > begin"),
    Mutation(
        "credit.axpo",
        "row.loss_mask & (torch.arange(len(row)) < end)",
        "torch.arange(len(row)) < end",
    ),
    Mutation("credit.axpo", "bool((accuracy[member] == 0).all())", "bool((accuracy == 0).all())"),
    Mutation("credit.axpo", "+ said.index(open_id) + 1", "+ said.index(open_id)"),
    Mutation(
        "credit.groups",
        "known = ~rewards.isnan()\n",
        "known = rewards == rewards.nan_to_num()\n    rewards = rewards.nan_to_num()\n    known[:] = True\n",
    ),
    Mutation(
        "credit.samples",
        "            prefix_mask(source.row, again.prefix),",
        "            source.row.loss_mask,",
    ),
    Mutation(
        "credit.samples",
        "within=continuation_mask(each.row, again.prefix)",
        "within=each.row.loss_mask",
    ),
    Mutation("credit.samples", "    row = row if within is None else row.masked(within)\n", ""),
    Mutation("credit.samples", "flat=not has_variance(replaced)", "flat=not has_variance(rewards)"),
    Mutation("credit.samples", "if in_statistics(each.end, fatal) else UNKNOWN", ""),
    # what an update is divided by, and what only the KL term pulls at
    Mutation(
        "credit.samples",
        'return self.objective.divisor == "sampled" and not outside',
        "return not outside",
    ),
    Mutation(
        "credit.samples",
        'return self.objective.divisor == "sampled" and not outside',
        "return False",
        "samples trl_trainer",
    ),
    Mutation(
        "credit.samples",
        "(why is DropReason.NO_VARIANCE and self.refilled) or ",
        "",
        "samples step_samples",
    ),
    Mutation(
        "credit.samples",
        "or not in_statistics(\n            rollout.end, self.fatal\n        )",
        "or False",
    ),
    Mutation("credit.samples", "tokens = 0 if rollout.unusable else ", "tokens = "),
    Mutation("credit.samples", "if tokens and rules.objective.kl:", "if tokens:"),
    Mutation(
        "credit.samples", "if tokens and rules.objective.kl:", "if False:", "samples trl_trainer"
    ),
    Mutation("credit.samples", "DroppedWeight(weight, tokens))", "DroppedWeight(1.0, tokens))"),
    Mutation(
        "credit.samples",
        'self.weight * self.tokens if objective.normaliser == "token" else self.weight',
        "self.weight",
    ),
    Mutation("credit.samples", "dataclasses.replace(rules, refilled=False)", "rules"),
    Mutation(
        "grpo.update",
        "taught + sum(each.count(objective) for each in counted)",
        "taught",
        "grpo_update trl_trainer",
    ),
    Mutation(
        "grpo.update",
        "for number, each in share.counted if mini_batch(number, self.settings) == n]",
        "for number, each in share.counted]",
        tests="grpo_update",
    ),
    Mutation(
        "grpo.update",
        "if not plan:  # on any rank",
        "if not plan and not counted:",
        tests="grpo_update",
    ),
    Mutation(
        "grpo.step_samples",
        "for each in made.counted if each.weight]",
        "for each in made.counted if False]",
        "step_samples trl_trainer",
    ),
    Mutation(
        "grpo.step_samples", "refilled=settings.step.refills > 0", "refilled=False", "step_samples"
    ),
    Mutation(
        "grpo.figures",
        "        and sample.kl_only is None\n        for each in every",
        "        for each in every",
        "step_samples",
    ),
    Mutation(
        "grpo.step_files",
        'in part["counted"]\n                if number % at.size == at.rank',
        'in part["counted"]',
    ),
    # normalisers
    Mutation("loss.normalise", "self.world_size / self.total", "1 / self.total", "two_ranks"),
    Mutation("loss.normalise", "        dist.all_reduce(counts)\n", "", "two_ranks"),
    Mutation(
        "loss.normalise",
        "self.world_size / self.total",
        "self.world_size",
        "splits two_ranks trl_parity",
    ),
    Mutation(
        "loss.objective", "each / torch.bincount(row, minlength=len(row_weights))[row]", "each"
    ),
    Mutation(
        "loss.objective",
        "each / torch.bincount(row, minlength=len(row_weights))[row]",
        "each / len(row)",
    ),
    Mutation(
        "loss.objective",
        "return row_weights[row].sum().item()",
        "return row_weights[row.unique()].sum().item()",
    ),
    Mutation(
        "loss.objective",
        "return row_weights[row.unique()].sum().item()",
        "return row_weights.sum().item()",
    ),
    Mutation("loss.objective", "each / objective.constant", "each"),
    Mutation(
        "loss.objective", "each = row_weights[row]", "each = torch.ones_like(row_weights[row])"
    ),
    Mutation("credit.groups", 'correction=1 if statistic == "sample" else 0', "correction=1"),
    Mutation("credit.groups", "* len(told) / (len(told) - 1)", "* (len(told) - 1) / len(told)"),
    Mutation(
        "credit.credit_rules",
        "1.0 / (1 + self.continuations)",
        "1.0 / self.continuations",
        "samples",
    ),
    Mutation("credit.axpo", "replaced[source] = reward", "replaced[:] = reward"),
    Mutation("model.logprobs", "scores[2, part] = norm", "scores[2, part] = 0"),
    Mutation("model.logprobs", "dtype=_sum_dtype(weight), device", "dtype=weight.dtype, device"),
    Mutation("model.logprobs", "grad = grad.div_(ctx.temperature)", "grad = grad"),
    Mutation("loss.objective", "kl * (logp - old_logp).exp() if objective.kl_ratio else kl", "kl"),
    Mutation("loss.objective", "losses = correction * token_losses", "losses = token_losses"),
    # GRPO's step
    Mutation(
        "rollouts.scored",
        "value if math.isfinite(value) else UNKNOWN",
        "value if math.isfinite(value) else 0.0",
        "step_samples",
    ),
    Mutation(
        "rollouts.scored",
        "f is None else f for num, f",
        "f is None else num for num, f",
        "step_samples",
    ),
    Mutation(
        "grpo.step_samples", "source.boundary.end - begins", "source.boundary.end", "step_samples"
    ),
    Mutation(
        "grpo.step_samples",
        "check_prefix(each.rollout.row, origin",
        "check_prefix(origin.rollout.row, origin",
        "step_samples",
    ),
    Mutation(
        "grpo.step_samples", "        left_out[PICTURE] += group.unplayed\n", "", "step_samples"
    ),
    Mutation(
        "grpo.figures",
        'if name.startswith("left_out/")',
        'if name.startswith("left_out/n")',
        "step_samples",
    ),
    Mutation(
        "grpo.update",
        "logp, old = scores.logp, engine_logp if objective.importance_cap is None else trainer",
        "logp, old = scores.logp, trainer",
        "grpo_update",
    ),
    Mutation("grpo.update", "on_policy=n == 0", "on_policy=False", "grpo_update"),
    Mutation("grpo.update", "number % step.updates", "0", "grpo_update"),
    Mutation(
        "grpo.update",
        "self._at_the_sampling_weights(some) for some in every[1:]",
        "None for some in every[1:]",
        "grpo_update",
    ),
    Mutation(
        "rollouts.questions",
        "place * self.per_step : (place + 1) * self.per_step",
        "place : place + self.per_step",
    ),
    Mutation("rollouts.questions", "            if self.questions[n].id not in taken\n", ""),
    Mutation(
        "credit.rewards",
        "made.where(num_valid > 0, torch.zeros_like(made))",
        "made",
        "step_samples rewards worked_numbers",
    ),
    Mutation("credit.rewards", "valid = passed[:num_valid]", "valid = passed"),
    # AXPO's branching
    Mutation(
        "credit.axpo",
        "int(rules.budget * num_rollouts + 1e-9) // rules.continuations",
        "int(rules.budget * num_rollouts + 1e-9)",
    ),
    Mutation(
        "credit.axpo",
        "[group[n] for group in ranked if n < len(group)]",
        "[each for group in ranked for each in group]",
    ),
    Mutation(
        "credit.axpo",
        "for number, (begin, end) in enumerate(row.turns[:fatal]):",
        "for number, (begin, end) in enumerate(row.turns):",
    ),
    Mutation(
        "credit.axpo",
        "else source.boundary.confidence\n",
        "else -source.boundary.confidence\n",
    ),
    Mutation(
        "credit.axpo",
        "right = rewards[(accuracy == 1) & ~rewards.isnan()]",
        "right = rewards[~rewards.isnan()]",
    ),
    Mutation(
        "credit.axpo", "if begun != source.ids[:end].tolist():", "if False:", "axpo step_samples"
    ),
    Mutation(
        "credit.samples",
        "advantage = prefix_advantage(\n            rewards, again.source, replaced[again.source].item(), rules.statistic, cap=axpo.cap\n        )",
        "pass",
    ),
    Mutation(
        "credit.samples",
        'beside = rewards if axpo.group == "merged" else rewards[:0]',
        "beside = rewards",
    ),
    Mutation("grpo.step_samples", 'each.used_tool == (rules.trigger == "tool")', "True"),
    Mutation(
        "grpo.step_samples",
        "if each.rollout.unusable or math.isnan(each.rollout.reward):",
        "if False:",
    ),
    Mutation(
        "grpo.step_samples", "if source.boundary.end and not each.rollout.unusable:", "if False:"
    ),
    Mutation(
        "grpo.figures",
        '"right": rollout.accuracy == 1,',
        '"right": rollout.reward > 0,',
        "step_samples",
    ),
    # an update run again
    Mutation(
        "grpo.replay",
        "for name in COMPARED\n        if name in before and before[name] != now[name]\n",
        "for name in COMPARED\n        if False\n",
    ),
    Mutation("grpo.replay", "if compared is False:", "if compared is None:"),
    Mutation(
        "grpo.replay",
        "found = trainer.learner.learn(together(at, partial(trainer.steps.read, each, at)), each)",
        "found = trainer.learner.learn(together(at, partial(trainer.steps.read, 0, at)), each)",
    ),
    Mutation(
        "grpo.step_files",
        '"advantage": each.sample.advantage,',
        '"advantage": abs(each.sample.advantage),',
        "replay",
    ),
    Mutation(
        "grpo.step_files",
        'Sample(row, stored["advantage"], stored["weight"])',
        'Sample(row, stored["advantage"])',
        "replay",
    ),
    # what is learned from, and with what
    Mutation("sft.data_sets", "    if len(known) > 1:", "    if False:"),
    Mutation("sft.data_sets", "    if len(homes) > 1:", "    if False:"),
    Mutation("sft.data_sets", "    if any(splits):", "    if False:"),
    Mutation("sft.data_sets", " and not _is_hidden(path.relative_to(folder))", ""),
    Mutation(
        "sft.data_sets",
        '_SPLITS.get(str(part["split"]), str(part["split"])))\n',
        "TRAIN)\n",
    ),
    Mutation("sft.data_sets", "    if configuration in known:", "    if known:"),
    Mutation("sft.sources", "if file.split not in (TRAIN, VALIDATION):", "if False:", "data_sets"),
    Mutation("sft.sources", "any(file.split == TRAIN for file in found)", "False", "data_sets"),
    Mutation("sft.sources", "if [*train, *validation].count(path) > 1}", "if False}"),
    Mutation("sft.data", "if before[:2] != now[:2]:", "if before[0] != now[0]:", "data_sets"),
    Mutation("sft.data", "if before[:2] != now[:2]:", "if before[1] != now[1]:", "data_sets"),
    Mutation("sft.data", "if before[:2] != now[:2]:", "if before != now:", "data_sets"),
    Mutation("sft.dialogues", "return text if policy else text.replace", "return text.replace"),
    Mutation(
        "sft.dialogues",
        'return text if policy else text.replace(IMAGE, f"‹{IMAGE[1:-1]}›")',
        "return text",
    ),
    Mutation("rollouts.questions", "(teacher if teacher.recipe.is_file() else run)", "run"),
    Mutation("settings.grpo_settings", '{"play": {"tools": tools or {}}}', "{}"),
    Mutation(
        "settings.settings_file",
        "lay_over(below or {}, data)",
        "{**(below or {}), **data}",
        "grpo_settings",
    ),
    Mutation(
        "settings.settings_file",
        "lay_over(below or {}, data)",
        "lay_over(data, below or {})",
        "grpo_settings",
    ),
    Mutation("settings.grpo_settings", "    if settings.models is not None:", "    if False:"),
    Mutation("grpo.figures", "if query_by == MEASURED else", "if False else", "step_samples"),
    # how a run begins and stops
    Mutation(
        "run.output_lock",
        "any(part.name != UNLOCKED for part in out.iterdir())",
        "any(out.iterdir())",
    ),
    Mutation("run.output_lock", "if whole and out.is_dir()", "if out.is_dir()"),
    Mutation(
        "run.output_lock",
        "if failed is not None and not (worse and isinstance(failed, Stopped)):",
        "if failed is not None:",
    ),
    Mutation("run.output_lock", "    if STOPPED in codes:", "    if False:"),
    Mutation("run.output_lock", "if code not in (0, STOPPED)]", "if code]"),
    Mutation("run.stopping", "return any(at.gather(self.asked))", "return self.asked"),
    Mutation("run.stopping", "        signal.signal(signal.SIGTERM, before)", "        pass"),
    Mutation(
        "sft.command",
        "once(at, lambda: check_output(out, identity))",
        "once(at, lambda: lock_output(out, identity, settings.resolved()))",
        tests="sft",
    ),
    Mutation(
        "sft.command",
        "                remove_unlocked(out, began_anew)",
        "                pass",
        tests="sft",
    ),
    Mutation(
        "sft.command", "    once(at, lambda: check_apart(survey, documents))\n", "", tests="sft"
    ),
    Mutation("sft.loop", "        if stopped and not last:", "        if False:", "sft"),
    Mutation(
        "grpo.command",
        "once(at, lambda: check_output(out, identity))",
        "once(at, lambda: lock_output(out, identity, settings.resolved()))",
        tests="grpo",
    ),
    Mutation("rollouts.actor", "            if self.stop.asked:", "            if False:", "grpo"),
    Mutation("grpo.loop", "        progress.update = (step + 1) * each", "        pass", "grpo"),
    Mutation(
        "grpo.loop",
        "(\n        not done\n        or (done // each % every == 0 and not at.gather(run.measured_after(done).is_file())[0])\n    )",
        "not done",
        "grpo",
    ),
    # the forecast
    Mutation(
        "forecast",
        "trained=16 * learned / parts",
        "trained=12 * learned / parts",
        "forecast worked_numbers",
    ),
    Mutation(
        "forecast", "frozen=2 * frozen / parts", "frozen=2 * frozen", "forecast worked_numbers"
    ),
    Mutation(
        "forecast",
        "kept + own if weights.activation_checkpointing else shape.layers * own",
        "shape.layers * own",
        "forecast worked_numbers",
    ),
    Mutation("forecast", "episodes = questions * rollouts", "episodes = questions + rollouts"),
    Mutation(
        "forecast",
        "self.decode_tokens / (self.decode.tokens_per_second * self.gpus)",
        "self.decode_tokens / self.decode.tokens_per_second",
    ),
    Mutation("forecast", "full = 3 if weights.lora is None else 2", "full = 3"),
    Mutation(
        "forecast",
        "share = min(1.0, max_tokens / self.tokens)",
        "share = max_tokens / self.tokens",
        "forecast worked_numbers",
    ),
    # what the model is given
    Mutation("model.scorer", "use_cache=False", "use_cache=True", "packing"),
    Mutation(
        "model.scorer", "temperature=self._temperature", "temperature=1.0", "engine_and_trainer"
    ),
    Mutation(
        "model.scorer",
        "pixel_values=packed.pixels",
        "pixel_values=packed.pixels * 0",
        "packing pixels",
    ),
    Mutation(
        "rows.packing",
        "not any(len(row.grid_thw) for row in rows)",
        "not rows",
        "packing two_ranks",
    ),
    Mutation(
        "rows.row",
        "torch.arange(len(ids))[None], rope[:, 0]",
        "torch.arange(len(ids)).expand(4, -1)",
        "packing episode_rows",
    ),
    Mutation("rows.row", "        if now != then:", "        if False:"),
    Mutation("rows.row", "            if token in tokens.never_sampled:", "            if False:"),
    Mutation(
        "rows.row",
        "pixels=row.pixels[: int(row.grid_thw[:kept].prod(-1).sum())]",
        "pixels=row.pixels",
    ),
    # turns that broke the protocol
    Mutation(
        "rows.episode_rows",
        "return row.masked(~slips[row.steps.clamp(min=0)])",
        "return row.masked(slips[row.steps.clamp(min=0)])",
    ),
    Mutation(
        "rows.episode_rows",
        "~slips[row.steps.clamp(min=0)]",
        "~slips[(row.steps - 1).clamp(min=0)]",
    ),
    Mutation(
        "sft.data",
        "return drop_violations(row, episode), SAMPLED",
        "return row, SAMPLED",
        "sources",
    ),
    Mutation("run.self_check", "if row.loss_mask[begin:end].any())", "if begin)"),
]


class _Mutated(importlib.machinery.SourceFileLoader):
    """Loads a module from changed source, whatever is compiled already."""

    def __init__(self, mutation: Mutation) -> None:
        path = mutation.path
        super().__init__(f"questloom.train.{mutation.module}", str(path))
        self._source = path.read_text().replace(mutation.old, mutation.new)

    def find_spec(self, name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        return (
            importlib.util.spec_from_file_location(name, self.path, loader=self)
            if name == self.name
            else None
        )

    def get_code(self, fullname: str):
        return compile(self._source, self.path, "exec")


def run_tests(mutation: Mutation | None, tests: list[str]) -> int:
    """pytest's exit status of some test files, with a mutation in place, in a fork."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        with open(os.devnull, "w") as nowhere, tempfile.TemporaryDirectory() as folder:
            if mutation:
                install(number := MUTATIONS.index(mutation))
                # Processes that the tests start read this before anything else.
                Path(folder, "sitecustomize.py").write_text(
                    f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom tests.train.mutations import install\ninstall({number})\n"
                )
                os.environ["PYTHONPATH"] = folder
            os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            status = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests]))
        os._exit(status)
    except BaseException:
        os._exit(99)


def install(number: int) -> None:
    """Puts a mutation in place, for all that this process imports later."""
    sys.meta_path.insert(0, _Mutated(MUTATIONS[number]))


def results(modules: Sequence[str] = ()) -> Iterator[tuple[Mutation | None, int]]:
    """Each mutation with pytest's exit status: 1 where a test noticed. None first: all the tests without any, which must pass.

    Args:
        modules: whose; of all by default.
    """
    assert not any(name.startswith("questloom.train") for name in sys.modules), (
        "questloom.train is imported already"
    )
    assert torch.__version__ and transformers.models.qwen3_vl
    asked = [mutation for mutation in MUTATIONS if not modules or mutation.module in modules]
    yield None, run_tests(None, sorted({file for mutation in asked for file in mutation.files}))
    for mutation in asked:
        yield mutation, run_tests(mutation, mutation.files)


if __name__ == "__main__":
    os.chdir(ROOT)
    missed = 0
    for each, code in results(sys.argv[1:]):
        good = code == (1 if each else 0)
        missed += not good
        print(
            "ok    " if good else f"MISSED (exit {code})",
            each or "all tests without a mutation",
            flush=True,
        )
    sys.exit(bool(missed))
