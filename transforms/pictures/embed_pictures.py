"""Computes CLIP vectors of the store's pictures with Beam, one part per task. The steps exchange
only part numbers; files hold the vectors (`questloom.knowledge.store.vectors`)."""

from collections.abc import Mapping

import apache_beam as beam
from apache_beam.metrics import Metrics

from questloom.knowledge.store.vectors import num_parts, write_part
from questloom.models.clip import Clip


class EmbedPart(beam.DoFn):
    """Computes the vectors of one part. A part that exists already is skipped.

    Args:
        store: a whole store.
        spec: the checkpoint's name for `Clip.load`; every worker must be able to load it.
    """

    def __init__(self, store: str, spec: str) -> None:
        self.store, self.spec = store, spec

    def setup(self) -> None:
        self._clip = Clip.load(self.spec)

    def process(self, part: int):
        write_part(self.store, self._clip.embed_pictures, self._clip.name, part)
        Metrics.counter("embed", "parts").inc()
        yield part


class EmbedPictures(beam.PTransform):
    """`pipeline | EmbedPictures(store, spec)`: returns the part numbers once their files are
    written.

    Args:
        store: a whole store.
        spec: the checkpoint's name.
        hints: Beam's resource hints ("accelerator").
    """

    def __init__(self, store: str, spec: str, hints: Mapping[str, str]) -> None:
        super().__init__()
        self.store, self.spec, self.hints = store, spec, dict(hints)

    def expand(self, pipeline: beam.Pipeline) -> beam.PCollection[int]:
        embed = beam.ParDo(EmbedPart(self.store, self.spec))
        return (
            pipeline
            | "parts" >> beam.Create(range(num_parts(self.store)), reshuffle=False)
            | "spread parts" >> beam.Reshuffle()
            | "embed" >> (embed.with_resource_hints(**self.hints) if self.hints else embed)
        )
