"""Computes the forecast of a run. The forecast follows the seeds through the stages, adds up the
price of the calls, and divides the working time among the workers. Each number is a range, and each
assumption is named."""

import io
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from questloom.files.opened import Opened
from questloom.knowledge.store.vectors import PART, vectors_of
from questloom.models.clip import Clip
from questloom.pipeline.ingest.store_vectors import FEW
from questloom.pipeline.plan import priors
from questloom.pipeline.plan.call_forecast import RoleCalls, planned_calls, uses_model
from questloom.pipeline.plan.estimates import ZERO, Range, exactly, share_of
from questloom.pipeline.plan.pilot import Pilot, run_pilot
from questloom.pipeline.plan.seed_forecast import SeedCount, count_seeds
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.filters_not_run import describe_filters, filters_not_run
from questloom.pipeline.synth.id_files import words_of
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.outside_stages import outside_seeds
from questloom.pipeline.synth.settings_check import check_extensions, check_settings
from questloom.pipeline.synth.synth_job import needs_vectors
from questloom.pipeline.synth.synth_stages import synth_stages
from questloom.pipeline.synth.writer_choice import check_writer, describe_writer
from questloom.records.errors import InputError
from questloom.transforms.filters import registry

SMALL_CLIP, OTHER_CLIP = Range(0.005, 0.007, 0.02), Range(0.03, 0.09, 0.3)
"""How many seconds one core needs to embed one picture. Measured: 0.007 s with the shipped
checkpoint, 0.071 to 0.118 s with ViT-B/32."""


@dataclass(frozen=True, kw_only=True)
class StageForecast:
    """The forecast of one stage: the number of its items, the share that passes, and the cost.
    `money` is None if the cost is unknown."""

    stage: str
    items: Range
    share: Range
    calls: Range
    tokens: Range
    money: Range | None
    unpriced: tuple[str, ...]
    """The models whose price is unknown. `money` contains only the cost of models whose price is
    known."""
    hours: Range
    source: str
    """Says whether `share` was measured or assumed."""

    def as_json(self) -> dict[str, Any]:
        return {
            "stage": self.stage,
            "in": self.items.as_json(),
            "share": self.share.as_json(),
            "calls": self.calls.as_json(),
            "tokens": self.tokens.as_json(),
            "money": self.money.as_json() if self.money else "unknown",
            "unknown_prices": list(self.unpriced),
            "hours": self.hours.as_json(),
            "source": self.source,
        }


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """What a run will cost, and how many questions it will give."""

    recipe: str
    seeds: SeedCount
    asked: int
    num_outside: int
    survivors: Range
    stages: tuple[StageForecast, ...]
    pilot: Pilot | None
    notes: tuple[str, ...]

    @property
    def calls(self) -> Range:
        return sum((s.calls for s in self.stages), ZERO)

    @property
    def tokens(self) -> Range:
        return sum((s.tokens for s in self.stages), ZERO)

    @property
    def hours(self) -> Range:
        return sum((s.hours for s in self.stages), ZERO)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The models whose price is unknown."""
        return tuple(sorted({m for s in self.stages for m in s.unpriced}))

    @property
    def money(self) -> Range | None:
        """The sum of the costs of all models with a known price. The sum is None if no price is
        known."""
        known = sum((s.money for s in self.stages if s.money is not None), ZERO)
        return None if self.unpriced and known == ZERO else known

    def as_json(self) -> dict[str, Any]:
        """The whole forecast as JSON, for programs."""
        return {
            "recipe": self.recipe,
            "seeds": {
                "asked": self.asked,
                "eligible": self.seeds.eligible.as_json(),
                "drawn": self.seeds.drawn.as_json(),
                "outside_rows": self.num_outside,
                "entities_scanned": self.seeds.scanned,
            },
            "survivors": self.survivors.as_json(),
            "calls": self.calls.as_json(),
            "tokens": self.tokens.as_json(),
            "money": self.money.as_json() if self.money else "unknown",
            "unknown_prices": list(self.unpriced),
            "hours": self.hours.as_json(),
            "pilot_seeds": self.pilot.num_seeds if self.pilot else 0,
            "stages": [s.as_json() for s in self.stages],
            "notes": list(self.notes),
        }

    def as_text(self) -> str:
        """The forecast as text: the table, the sums, and the assumptions behind them."""
        table = Table(box=None, pad_edge=False)
        for name in ("stage", "in", "goes on", "calls", "tokens", "money", "time"):
            table.add_column(name, justify="left" if name == "stage" else "right")
        for s in self.stages:
            table.add_row(
                s.stage,
                _count(s.items),
                _share(s.share),
                _count(s.calls),
                _count(s.tokens),
                _money(s.money, s.unpriced),
                _time(s.hours),
            )
        out = io.StringIO()
        Console(file=out, width=150).print(table)
        outside = f", and {self.num_outside:,} outside rows" if self.num_outside else ""
        lines = [
            f"recipe {self.recipe}: {_count(self.seeds.drawn)} seeds of {self.asked:,} asked; the store has {_count(self.seeds.eligible)}{outside}",
            "each number: likely (low–high)",
            "",
            out.getvalue().rstrip(),
            "",
            f"questions kept  {_count(self.survivors)}",
            f"calls           {_count(self.calls)}",
            f"tokens          {_count(self.tokens)}",
            f"money           {_money(self.money, self.unpriced)}",
            f"time            {_time(self.hours)}",
            "",
        ]
        return "\n".join([*lines, *(f"* {note}" for note in self.notes)])


def forecast(
    recipe: Recipe, *, store: str, opened: Opened, pilot: int = 0, out: str = "", workers: int = 1
) -> Forecast:
    """Forecasts what a run will cost, and how many questions it will give. Without a pilot the
    forecast costs nothing and writes no files.

    Args:
        recipe: the settings.
        store: an ingested store.
        opened: keeps objects open that this process uses again, such as stores and models.
        pilot: the number of the run's seeds that are really processed first. The run later uses the
            model replies of the pilot again.
        out: the run's folder, which a pilot needs.
        workers: the number of processes that the run will have.

    Raises:
        InputError: the store or a file of the recipe cannot be read, or the recipe configures a
            model role wrongly.
    """
    if pilot and not out:
        raise InputError(
            "--pilot",
            "needs the run's folder, where its replies are kept",
            "Name it with --out, and use the same folder for synth.",
        )
    job = Job.at(recipe, run=out, store=store, opened=opened)
    check_extensions(recipe)
    check_writer(recipe)
    check_settings(recipe)
    num_outside = sum(1 for _ in outside_seeds(job))
    seeds = count_seeds(recipe, job.store, words_of(recipe.seeds.exclude, "seeds.exclude"))
    measured = run_pilot(job, num_seeds=pilot, workers=workers) if pilot else None
    calls = planned_calls(recipe, job.store)
    if measured:
        stages_measured = {c.stage for c in measured.calls}
        calls = [*measured.calls, *(c for c in calls if c.stage not in stages_measured)]
    rows = [_embedding(recipe, job.store_path, job.store.num_rows("images"), workers)]
    items, left_out = seeds.drawn, filters_not_run(job)
    for stage in synth_stages(job)[1:]:
        if stage.name == registry.FILTERS[0].name:  # rows from outside join here
            items = items + exactly(num_outside)
        is_off = stage.name in left_out
        share, source = _share_of(recipe, stage.name, left_out.get(stage.name, ""), measured)
        seconds = ZERO if is_off else _seconds(stage.name, measured)
        rows.append(
            _stage(
                recipe,
                stage.name,
                items,
                share,
                source,
                [c for c in calls if c.stage == stage.name],
                seconds,
                workers,
            )
        )
        items = items * share
    return Forecast(
        recipe=recipe.name,
        seeds=seeds,
        asked=recipe.seeds.count,
        num_outside=num_outside,
        survivors=items,
        stages=tuple(rows),
        pilot=measured,
        notes=(
            *(f"The writer is {line}." for line in (describe_writer(recipe),) if line),
            *(f"{line}." for line in describe_filters(job)),
            *_notes(recipe, seeds, calls, measured, num_outside),
            *_unmeasured(rows),
        ),
    )


def _unmeasured(rows: list[StageForecast]) -> tuple[str, ...]:
    """Names the stages without any measurement."""
    names = [row.stage for row in rows if row.source == priors.ASSUMED_SURVIVAL.source]
    return (f"Nothing is measured of {', '.join(names)}: what passes is assumed.",) if names else ()


def _share_of(
    recipe: Recipe, stage: str, why_not: str, measured: Pilot | None
) -> tuple[Range, str]:
    """The share of a stage's items that passes, and where this number comes from. If the stage is
    not run, `why_not` says why."""
    if why_not:
        return exactly(1), f"not run: {why_not}"
    prior = (
        priors.MODEL_SURVIVAL.get(stage)
        if uses_model(recipe, "draft" if stage in ("plan", "certify") else stage)
        else None
    )
    if prior is None:
        prior = priors.survival(stage, recipe.filters)
    kept, total = measured.shares.get(stage, (0, 0)) if measured else (0, 0)
    if not total or prior.range.low == prior.range.high:
        return prior.range, prior.source
    return share_of(
        kept, total, prior.range
    ), f"pilot: {kept} of {total}, with the prior ({prior.source}) as 4 more"


def _seconds(stage: str, measured: Pilot | None) -> Range:
    """The seconds that one core needs for one item of a stage."""
    if measured and stage in measured.seconds:
        return exactly(measured.seconds[stage])
    return priors.SECONDS.get(stage, ZERO)


def _stage(
    recipe: Recipe,
    stage: str,
    items: Range,
    share: Range,
    source: str,
    calls: list[RoleCalls],
    seconds: Range,
    workers: int,
) -> StageForecast:
    num_calls = tokens = waiting = ZERO
    money: Range | None = ZERO
    unpriced: set[str] = set()
    for role in calls:
        num = items * role.per_item
        num_calls, tokens = num_calls + num, tokens + num * (role.tokens_in + role.tokens_out)
        waiting = waiting + _waiting(recipe, role, num, workers)
        cost = role.money(num)
        if cost is None:
            unpriced.add(role.model)
        else:
            assert money is not None
            money = money + cost
    if unpriced and money == ZERO:
        money = None
    hours = waiting + (items * seconds).scaled(1 / workers / 3600)
    return StageForecast(
        stage=stage,
        items=items,
        share=share,
        calls=num_calls,
        tokens=tokens,
        money=money,
        unpriced=tuple(sorted(unpriced)),
        hours=hours,
        source=source,
    )


def _waiting(recipe: Recipe, role: RoleCalls, num_calls: Range, workers: int) -> Range:
    """How many hours the calls take. The recipe's `run.in_flight` and the endpoint limit how many
    calls a worker makes at the same time. The endpoint may also limit the number of calls per
    minute."""
    endpoint = next(e for e in recipe.models.endpoints if e.name == role.endpoint)
    at_once = workers * min(recipe.run.in_flight, endpoint.max_in_flight)
    hours = (num_calls * role.seconds).scaled(1 / at_once / 3600)
    if endpoint.requests_per_minute is None:
        return hours
    slowest = num_calls.scaled(1 / endpoint.requests_per_minute / workers / 60)
    return Range(
        max(hours.low, slowest.low),
        max(hours.likely, slowest.likely),
        max(hours.high, slowest.high),
    )


def _embedding(recipe: Recipe, store: str, num_images: int, workers: int) -> StageForecast:
    """The cost of embedding the store's pictures. The store's pictures are embedded once, before
    the first stage, if the run compares pictures."""
    clip = Clip.load(recipe.models.clip)
    table = vectors_of(store)
    stands = not needs_vectors(recipe) or (
        table is not None and table.schema.metadata[b"model"].decode() == clip.name
    )
    seconds = ZERO if stands else (SMALL_CLIP if "small" in clip.name else OTHER_CLIP)
    at_once = workers if num_images > FEW * PART else 1
    return StageForecast(
        stage="embed pictures",
        items=exactly(0 if stands else num_images),
        share=exactly(1),
        calls=ZERO,
        tokens=ZERO,
        money=ZERO,
        unpriced=(),
        hours=(exactly(num_images) * seconds).scaled(1 / at_once / 3600),
        source="every picture of the store, once",
    )


def _notes(
    recipe: Recipe,
    seeds: SeedCount,
    calls: list[RoleCalls],
    measured: Pilot | None,
    num_outside: int,
) -> tuple[str, ...]:
    notes = []
    if seeds.drawn.likely < recipe.seeds.count:
        notes.append(f"The store has fewer seeds than seeds.count asks ({recipe.seeds.count:,}).")
    if not calls:
        notes.append(
            "No model is called: the graph writer and the stand-ins of the filters cost no money."
        )
    else:
        notes.append(priors.SOURCES["survival"] + ".")
        if measured is None:
            notes += [f"{priors.SOURCES[name]}." for name in ("calls", "tokens", "seconds")]
            notes.append(
                "--pilot N measures all of it on N of the run's seeds; their replies serve the run."
            )
    unpriced = sorted({f"{c.model} at {c.endpoint}" for c in calls if c.price is None})
    if unpriced:
        notes.append(
            f"Unknown price: {', '.join(unpriced)}. State it in models.endpoints (0 for a server of your own); unknown is not 0."
        )
    if num_outside:
        notes.append("Outside rows join at the filters; that their pictures pass is assumed.")
    if measured:
        waits = (
            f" {measured.num_pending} of its items wait for a provider or for budget."
            if measured.num_pending
            else ""
        )
        paid = (
            f" {measured.spent.num_calls:,} calls of this run are paid by now."
            if measured.spent
            else ""
        )
        notes.append(
            f"Pilot of {measured.num_seeds} seeds: intervals are 90 %.{paid}{waits} Duplicates are fewer among few."
        )
    return tuple(notes)


def _number(value: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if unit == 'k' else size):.3g}{unit}"
    return f"{value:,.0f}"


def _span(middle: str, low: str, high: str) -> str:
    return middle if low == high else f"{middle} ({low}–{high})"


def _count(found: Range) -> str:
    return _span(*map(_number, (found.likely, found.low, found.high)))


def _share(found: Range) -> str:
    return _span(f"{found.likely:.0%}", f"{found.low * 100:.0f}", f"{found.high * 100:.0f}")


def _time(found: Range) -> str:
    return _span(*(_duration(hours * 3600) for hours in (found.likely, found.low, found.high)))


def _duration(seconds: float) -> str:
    for size, unit in ((86_400.0, "d"), (3_600.0, "h"), (60.0, "min")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.2g} s"


def _money(found: Range | None, unpriced: tuple[str, ...]) -> str:
    if found is None:
        return "unknown"
    words = _span(
        *(
            "<$0.01" if 0 < v < 0.005 else f"${v:,.2f}"
            for v in (found.likely, found.low, found.high)
        )
    )
    return f"at least {words}" if unpriced else words
