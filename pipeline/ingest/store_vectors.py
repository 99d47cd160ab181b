"""Computes the embeddings of the store's pictures before jobs that search by picture. If few
pictures lack an embedding, this process embeds them. If many pictures lack an embedding, a separate
job embeds them."""

from questloom.files.locations import is_remote
from questloom.knowledge.store.vectors import (
    add_vectors,
    finished_parts,
    gather_parts,
    have_vectors,
    num_parts,
)
from questloom.models.clip import Clip
from questloom.pipeline.runners.progress import counting, watching
from questloom.pipeline.runners.runner_options import LOCAL, RunnerOptions
from questloom.pipeline.runners.submit import run_pipeline
from questloom.transforms.pictures.embed_pictures import EmbedPictures

FEW = 4
"""If at most this number of parts is missing, this process computes the missing parts itself. For
so few pictures, workers would spend more time on loading the checkpoint."""


def embed_store(store: str, spec: str, *, workers: int = 1, runner: RunnerOptions = LOCAL) -> Clip:
    """Computes those embeddings of a store's pictures that are still missing. If a kill interrupts
    the call, the next call continues it.

    Args:
        store: the absolute path of a complete store.
        spec: the name of the checkpoint, as `Clip.load` accepts it.
        workers: the number of processes that the local runner uses.
        runner: where the job runs.

    Returns:
        The loaded checkpoint.

    Raises:
        InputError: the checkpoint cannot be loaded, or a required package is not installed.
    """
    clip = Clip.load(spec)
    clip.check()
    if have_vectors(store, clip.name):
        return clip
    parts = num_parts(store)
    if parts <= FEW or runner.makes_template:
        with counting("embed pictures") as progress:
            add_vectors(store, clip.embed_pictures, clip.name, progress=progress)
        return clip

    def done() -> tuple[int, str]:
        return finished_parts(store, clip.name), ""

    with watching("embed pictures", parts, done, slow=is_remote(store)):
        run_pipeline(
            lambda pipeline: pipeline | "pictures" >> EmbedPictures(store, spec, runner.clip_hints),
            runner,
            workers=workers,
            title="embed",
            moved=done,
        )
    gather_parts(store, clip.name)
    return clip
