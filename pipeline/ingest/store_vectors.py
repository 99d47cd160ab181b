"""Embeds the store's pictures, before the jobs that search by them: here where they are few, else as a job of its own."""

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
"""Parts that this process computes itself: for fewer pictures workers would take longer to load the checkpoint."""


def embed_store(store: str, spec: str, *, workers: int = 1, runner: RunnerOptions = LOCAL) -> Clip:
    """Computes the vectors that a store lacks; called again after a kill it continues.

    Args:
        store: a whole store, by its absolute path.
        spec: the checkpoint's, as `Clip.load` takes it.
        workers: processes, for the runner in process.
        runner: where it runs.

    Returns:
        The checkpoint.

    Raises:
        InputError: it cannot be loaded, or what it needs is not installed.
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
