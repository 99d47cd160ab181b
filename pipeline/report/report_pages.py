"""Builds the report of a run: counts, index, details and thumbnails, in a folder that needs no server.

```
report/index.html   head, funnel, cost and distributions: readable without JavaScript
       assets/      style sheet and scripts
       data/        index.js, questions-NNNN.js, outcomes-NNNN.js, rejected.js, episodes-NNNN.js (one per
                    question, with the teacher's episodes)
       thumbnails/  <sha256>.jpg
```

Each data file is a script that hands a JSON value to the page, because browsers refuse to fetch
local files in other ways.

The same run gives the same bytes, since all times come from `run.json`.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from questloom.files.locations import Location, check_locations, location, whole_folder
from questloom.knowledge.readers.titles import is_invented
from questloom.pipeline.report.charts import funnel, share_words
from questloom.pipeline.report.distributions import Distributions
from questloom.pipeline.report.episode_panels import Episodes, standing, teacher_of
from questloom.pipeline.report.evidence_text import evidence_text
from questloom.pipeline.report.gallery import Index, detail, facets
from questloom.pipeline.report.people_names import Names, Sources
from questloom.pipeline.report.run_reader import Run, find_questions, open_run, store_of
from questloom.pipeline.report.seed_outcomes import seed_outcomes, stage_flow
from questloom.pipeline.report.spend_text import money_words, read_spend, seconds_words
from questloom.pipeline.report.thumbnails import Picture, picture_reader, write_thumbnails
from questloom.records.identity import priority
from questloom.records.knowledge import ImageAsset
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import NOT_RUN
from questloom.transforms.reason_words import FILTERS, PENDING, REASONS, stage_words, words

QUESTIONS_PER_CHUNK = 50
OUTCOMES_PER_CHUNK = 5_000
EXAMPLES_PER_REASON = 8
STYLES = ("base.css", "overview.css", "gallery.css", "detail.css", "episodes.css")
SCRIPTS = (
    "dom.js",
    "data.js",
    "facets.js",
    "gallery.js",
    "graph.js",
    "episodes.js",
    "detail.js",
    "rejected.js",
    "seeds.js",
    "main.js",
)


def build_report(
    run: str | Location,
    out: str | Location | None = None,
    *,
    sources: Sources | None = None,
    picture: Picture | None = None,
) -> Location:
    """Writes the report of a run. Returns the path of the report's `index.html`.

    Args:
        run: the path of the run's folder.
        out: the report's folder, `run/report` by default. If the folder holds a report already, the
            new report replaces it completely.
        sources: a store for names and for the sources of pictures; by default the store that
            `run.json` names. Without a store the report shows ids instead of names.
        picture: a function that returns the bytes of a picture which is not in `run/pictures`. By
            default the pictures come from the store.

    Raises:
        InputError: the folder is not a run, or a file of the run is damaged.
    """
    run = location(run)
    target = location(out) if out else run / "report"
    check_locations(reads=[run], writes=[target])
    found = open_run(run)
    sources = sources or store_of(found)
    with whole_folder(target, last="index.html") as part:
        _Builder(
            found,
            part,
            sources,
            picture_reader(found.folder, picture or (sources.image_bytes if sources else None)),
        ).build()
    return target / "index.html"


def script_json(value: Any) -> str:
    """A value as JSON that is safe inside a script. The JSON can neither open nor close a tag, and
    it contains none of JavaScript's line separators."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _repeated(rejection: Rejection) -> str:
    """If a question was rejected as a near duplicate, the id of the question that it repeats;
    otherwise ""."""
    evidence = rejection.evidence
    return (
        str(evidence.get("of", ""))
        if rejection.reason == Reason.NEAR_DUPLICATE and isinstance(evidence, dict)
        else ""
    )


class _Builder:
    def __init__(self, run: Run, folder: Path, sources: Sources | None, read: Picture) -> None:
        self.run, self.folder, self.sources, self.read = run, folder, sources, read
        self.names = Names(sources, run.language)
        self.reasons = {**REASONS, **run.own_reasons}
        self.helps = {
            **FILTERS,
            **{name: each["help"] for name, each in run.custom_filters.items()},
        }
        self.index, self.distributions = Index(), Distributions()
        self.kept_of_seed: dict[str, list[int]] = defaultdict(list)
        self.numbers: dict[str, int] = {}
        """The number of each kept question in the gallery, by question id."""
        self.num_not_run: Counter[str] = Counter()
        """For each filter, the number of kept questions on which the filter was not run."""
        self.image_ids: set[str] = set()
        self.teacher = teacher_of(run.folder)
        self.episode_heads: dict[str, list] = {}
        """The teacher's episodes of each question, by the question's id, as tuples (rollout,
        outcome, reason, turns)."""
        self.heads: dict[int, list] = {}
        """The teacher's episodes of each question, by the question's number, as tuples (rollout,
        outcome, reason, turns)."""

    def build(self) -> None:
        (self.folder / "data").mkdir(parents=True)
        self._episodes()
        self._questions()
        flows = [stage_flow(self.run, stage) for stage in self.run.stages]
        outcomes = self._outcomes()
        self._rejected()
        missing = write_thumbnails(self.image_ids, self.read, self.folder / "thumbnails")
        self._put(
            "index",
            {
                **self.index.payload(),
                "missing": sorted(missing),
                "perChunk": QUESTIONS_PER_CHUNK,
                "episodes": self.heads,
            },
        )
        assets = self.folder / "assets"
        assets.mkdir()
        for kind, listed in (("css", STYLES), ("js", SCRIPTS)):
            for name in listed:
                (assets / name).write_bytes(
                    (files("questloom.pipeline.report") / kind / name).read_bytes()
                )
        self._page(flows, outcomes, len(missing))

    def _put(self, name: str, value: Any) -> None:
        (self.folder / "data" / f"{name}.js").write_text(
            f'questloom.put("{name}", {script_json(value)});\n', encoding="utf-8"
        )

    def _asset(self, image_id: str) -> ImageAsset | None:
        return self.sources.image(image_id) if self.sources and image_id else None

    def _episodes(self) -> None:
        """Writes the teacher's episodes into one file for each question. The file is named after
        the question's id until the question has a number."""
        if self.teacher is None:
            return
        episodes = Episodes(self.teacher, self.names)
        for question_id, found in episodes.by_question():
            (self.folder / "data" / f"{question_id}.json").write_text(
                script_json(found), encoding="utf-8"
            )
            self.episode_heads[question_id] = [
                [e["rollout"], e["outcome"], e["reason"], len(e["turns"])] for e in found
            ]
        self.image_ids |= episodes.image_ids

    def _number_episodes(self, question_id: str, number: int) -> None:
        """Renames the file of a question's episodes after the question's number."""
        if question_id in self.episode_heads:
            waiting = self.folder / "data" / f"{question_id}.json"
            name = f"episodes-{number:04d}"
            waiting.with_name(f"{name}.js").write_text(
                f'questloom.put("{name}", {waiting.read_text(encoding="utf-8")});\n',
                encoding="utf-8",
            )
            waiting.unlink()
            self.heads[number] = self.episode_heads.pop(question_id)

    def _questions(self) -> None:
        chunk: list[dict] = []
        for question in self.run.last.questions() if self.run.last else ():
            # a degraded picture has the origin of the picture that it was made from
            asset = self._asset(question.source_image_id or question.image_id)
            found = facets(question, self.names, asset)
            if self.teacher is not None:
                found["teacher"] = standing(
                    [{"outcome": head[1]} for head in self.episode_heads.get(question.id, ())]
                )
            number = self.numbers[question.id] = self.index.add(question, found)
            self._number_episodes(question.id, number)
            self.distributions.add(question, found)
            self.num_not_run.update(v.filter for v in question.verdicts if v.solver == NOT_RUN)
            self.kept_of_seed[question.seed_id].append(number)
            original = question.enhancement.original_image_id if question.enhancement else ""
            self.image_ids.update({question.image_id, original} - {""})
            chunk.append(detail(question, self.names, asset, self.helps))
            if len(chunk) == QUESTIONS_PER_CHUNK:
                self._put(f"questions-{number // QUESTIONS_PER_CHUNK:04d}", chunk)
                chunk = []
        for question_id in self.episode_heads:  # episodes of questions that the run has lost
            (self.folder / "data" / f"{question_id}.json").unlink()
        if chunk:
            self._put(f"questions-{(len(self.index) - 1) // QUESTIONS_PER_CHUNK:04d}", chunk)

    def _outcomes(self) -> dict[str, int]:
        found = seed_outcomes(self.run, self.kept_of_seed, self.names)
        rows = [
            [
                o.seed.entity_id,
                self.names.entity(o.seed.entity_id),
                o.seed.method,
                o.seed.level,
                words(o.seed.domain),
                o.result,
                words(o.stage),
                words(o.reason),
                o.evidence,
                "" if o.title == o.seed.entity_id else o.title,
                o.questions,
            ]
            for o in found
        ]
        for start in range(0, len(rows), OUTCOMES_PER_CHUNK):
            self._put(
                f"outcomes-{start // OUTCOMES_PER_CHUNK:04d}",
                rows[start : start + OUTCOMES_PER_CHUNK],
            )
        numbers = dict.fromkeys(("kept", "rejected", "pending", "under way", "unaccounted"), 0)
        for outcome in found:
            numbers[outcome.result] += 1
        return {**numbers, "seeds": len(found), "chunks": -(-len(rows) // OUTCOMES_PER_CHUNK)}

    def _rejected(self) -> None:
        groups = []
        for stage in self.run.stages:
            by_reason: dict[str, list[Rejection]] = defaultdict(list)
            for rejection in stage.rejections():
                by_reason[rejection.reason].append(rejection)
            for reason, rows in sorted(
                by_reason.items(), key=lambda item: (-len(item[1]), item[0])
            ):
                picked = sorted(
                    rows, key=lambda r: (priority(0, r.item_id, "report"), r.evidence is not None)
                )[:EXAMPLES_PER_REASON]
                groups.append((stage.name, reason, len(rows), picked))
        examples = [r for _, _, _, picked in groups for r in picked]
        questions = find_questions(
            self.run, {r.item_id for r in examples} | {_repeated(r) for r in examples} - {""}
        )
        self.image_ids.update({q.image_id for q in questions.values()} - {""})

        def example(rejection: Rejection) -> dict:
            question = questions.get(rejection.item_id)
            shown: dict[str, Any] = {
                "title": self.names.title(rejection.title or rejection.item_id),
                "evidence": evidence_text(rejection.evidence, self.names),
            }
            if (other := questions.get(_repeated(rejection))) is not None:
                shown |= {"other": other.text, "otherRow": self.numbers.get(other.id)}
            return (
                shown
                if question is None
                else {
                    **shown,
                    "text": question.text,
                    "reply": question.answer.text,
                    "image": question.image_id,
                    "phrase": question.anchor_phrase,
                    "level": question.level,
                    "method": question.method,
                }
            )

        self._put(
            "rejected",
            [
                {
                    "stage": words(stage),
                    "reason": words(reason),
                    "about": self.reasons.get(reason, ""),
                    "number": number,
                    "examples": [example(r) for r in picked],
                }
                for stage, reason, number, picked in groups
            ],
        )

    def _page(self, flows: Sequence, outcomes: dict[str, int], num_missing: int) -> None:
        environment = Environment(
            loader=PackageLoader("questloom.pipeline.report", "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters.update(
            words=words, stage_words=stage_words, seconds=seconds_words, share=share_words
        )
        spend, all_spent = read_spend(self.run.folder, self.run.facts)
        facts, num_kept = self.run.facts, len(self.index)
        teacher = self.teacher
        page = environment.get_template("index.html").render(
            run=self.run,
            facts=facts,
            recipe=json.dumps(self.run.recipe, indent=2, sort_keys=True, ensure_ascii=False),
            outcomes=outcomes,
            num_kept=num_kept,
            strips=funnel(flows),
            flows=flows,
            reasons=self.reasons,
            pending=PENDING,
            num_missing=num_missing,
            partly_run=sorted(
                (name, number)
                for name, number in self.num_not_run.items()
                if name not in self.run.not_run
            ),
            invented=is_invented(self.run.base),
            seconds=facts.get("seconds"),
            stage_seconds=sum(timed)
            if (timed := [f.seconds for f in flows if f.seconds is not None])
            else None,
            spend=spend,
            all_spent=all_spent,
            money=money_words,
            teacher=teacher,
            teacher_flows=teacher.flows if teacher else [],
            teacher_all_spent=teacher.spend()[1] if teacher else None,
            tables=self.distributions.tables(),
            hops=self.distributions.hop_matrix(),
            styles=STYLES,
            scripts=SCRIPTS,
            settings={
                "numQuestions": num_kept,
                "numChunks": outcomes["chunks"],
                "pictures": "../pictures/",
            },
        )
        (self.folder / "index.html").write_text(page, encoding="utf-8")
