"""Writes lists that keep two runs apart. One run excludes everything that the other run's list
names, so that no benchmark question leaks into training data.

```
RUN/exclude/training_entities.txt    seeds and pictured things of the training questions
            training_pictures.txt    perceptual hashes of the training pictures
            benchmark_entities.txt   all things that the benchmark's questions mention
            benchmark_pictures.txt   perceptual hashes of the benchmark's pictures
```

A run that makes a benchmark excludes the lists of the training run: its recipe names them in
`seeds.exclude` and `filters.exclude_pictures`. A run for training excludes the lists of the
benchmark in the same way.

The lists are written at the end of the run. VSearcher also excludes the seeds of its training data
from its benchmark.
"""

import re
from collections.abc import Iterable

from questloom.files.locations import listed
from questloom.files.parquet import write_whole
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.outside_stages import source_picture
from questloom.pipeline.synth.splits import BENCHMARK
from questloom.records.synthesis import Question
from questloom.transforms.pictures.choose import perceptual_hash
from questloom.transforms.stages.run_folder import RunFolder

_ENTITY = re.compile(r"Q\d+")


def write_exclusions(job: Job) -> None:
    """Writes the four lists of a finished run. If the run makes no benchmark, the two lists of the
    benchmark are empty."""
    run = job.run
    entities: dict[str, set[str]] = {"training": set(), BENCHMARK: set()}
    pictures: dict[str, set[str]] = {"training": set(), BENCHMARK: set()}
    for question in run.read(run.labels()[-1], "kept", Question):
        part = BENCHMARK if question.split == BENCHMARK else "training"
        bound = question.bindings.values() if part == BENCHMARK else ()
        entities[part].update(
            i for i in (question.seed_entity, question.anchor, *bound) if _ENTITY.fullmatch(i)
        )
        stored = job.store.image(
            question.source_image_id
        )  # the picture of an outside row is in no store
        pictures[part].add(
            stored.perceptual_hash
            if stored and stored.perceptual_hash
            else perceptual_hash(source_picture(job, question))
        )
    for left in listed(run.at("exclude"), ".*.part"):  # of a run that was killed here
        left.unlink(missing_ok=True)
    for part in entities:
        _write(run, f"{part}_entities.txt", entities[part])
        _write(run, f"{part}_pictures.txt", pictures[part])


def _write(run: RunFolder, name: str, lines: Iterable[str]) -> None:
    write_whole(run.at("exclude", name), "".join(f"{line}\n" for line in sorted(lines)).encode())
