"""Records where every picture in a policy's episodes comes from. Each shard has one ledger,
RUN/episodes/POLICY/attribution/ledger-SSSSS.parquet.

The ledger covers all episodes that were played, including those that were rejected. Because of the
ledger, a picture can be found by its name and removed, even without the store.
"""

from collections.abc import Iterator

from questloom.files.parquet import read_records, write_records
from questloom.knowledge.store.store import Store
from questloom.pipeline.export.attribution import (
    Attribution,
    ledger_path,
    read_ledger,
    write_ledger,
)
from questloom.records.knowledge import ImageAsset
from questloom.records.trajectories import Trajectory
from questloom.transforms.episodes.episode_folder import PLAY, EpisodeFolder
from questloom.transforms.episodes.tool_statistics import is_made
from questloom.transforms.stages.run_folder import RunFolder

AS_FOUND = "as it is, or re-encoded without metadata where it was no plain JPEG or PNG file"


def read_episode_ledger(out: EpisodeFolder, shard: int) -> dict[str, Attribution]:
    """A shard's ledger. The key of a row is the hash of the picture that the policy saw. The ledger
    is empty if nothing was played."""
    path = out.attribution(shard)
    return {a.image_id: a for a in read_records(path, Attribution)} if path.is_file() else {}


def write_episode_ledger(run: RunFolder, out: EpisodeFolder, store: Store, num_shards: int) -> None:
    """Writes the ledger of the pictures that a policy saw. If the origin of a picture is unknown,
    the ledger leaves it out, and its trajectory stays out of the data set."""
    if not ledger_path(run, 0).is_file():
        write_ledger(run, store, num_shards)
    for shard in range(num_shards):
        shown = read_ledger(run, shard)
        tasks = {a.source_sha256: a for a in shown.values()}
        found: dict[str, Attribution] = {}
        for attribution in _attributions(out, shard, shown, tasks, store):
            found.setdefault(attribution.image_id, attribution)
        write_records(out.attribution(shard), Attribution, [found[i] for i in sorted(found)])


def _attributions(
    out: EpisodeFolder,
    shard: int,
    shown: dict[str, Attribution],
    tasks: dict[str, Attribution],
    store: Store,
) -> Iterator[Attribution]:
    for trajectory in read_records(out.shard(out.label(PLAY), "kept", shard), Trajectory):
        for image, source in zip(trajectory.episode.images, trajectory.source_ids, strict=True):
            base = shown.get(image.sha256) or tasks.get(source)
            if base is None and source and (asset := store.image(source)) is not None:
                base = tasks[source] = _of_asset(asset)
            if base is not None:
                changes = (
                    base.changes
                    if image.origin == "task"
                    else f"made by the tool {image.origin}"
                    if is_made(image)
                    else AS_FOUND
                )
                yield base.replace(image_id=image.sha256, changes=changes)


def _of_asset(asset: ImageAsset) -> Attribution:
    return Attribution(
        image_id=asset.id,
        source_sha256=asset.id,
        file=asset.file,
        author=asset.author,
        licence=asset.licence,
        licence_url=asset.licence_url,
        source_page=asset.source_page,
        credit=asset.credit,
    )
