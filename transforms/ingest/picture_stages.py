"""Stages `pictures` and `images`: the first joins pictures with the entities that they show, the
second merges copies of one picture that have different names."""

from collections.abc import Iterable, Iterator

from questloom.knowledge.store.codec import pack, unpack
from questloom.knowledge.store.rows import image_rows
from questloom.records.identity import record_id
from questloom.records.knowledge import ImageAsset
from questloom.records.outcomes import Reason, Rejection
from questloom.records.table import Json
from questloom.transforms.ingest.ingest_job import Job, Outcome
from questloom.transforms.ingest.part_files import PartWriter, Row, groups, read_parts, write_runs

STAGE = "pictures"


def depicted(image: ImageAsset) -> Iterator[str]:
    """The items that the picture depicts, according to the picture's page. Parts that the picture's
    details name (an arch, a plaque) are left out."""
    parts = {detail.part for detail in image.details}
    return (item for item in image.depicts if item not in parts)


def join(image: ImageAsset, uses: Iterable[str]) -> ImageAsset:
    """The picture with the entities that it shows."""
    return image.replace(entity_ids=tuple(sorted({*image.entity_ids, *uses})))


def merge_copies(copies: list[ImageAsset]) -> tuple[ImageAsset, list[Rejection]]:
    """Merges copies of one picture that have different names. The merged picture has the name of
    the first copy and the entities of all copies."""
    first, *rest = sorted(copies, key=lambda image: image.file)
    kept = join(first, (entity for image in rest for entity in image.entity_ids))
    return kept, [
        Rejection(
            item_id=record_id("Picture", image.file),
            seed_id="",
            stage=STAGE,
            reason=Reason.PICTURE_DUPLICATE.value,
            evidence=Json({"same_as": first.file}),
            title=image.file,
        )
        for image in rest
    ]


def run(job: Job, partition: int) -> Outcome:
    """Joins the pictures of one partition of file names with the articles that use them."""
    parts, outcome = job.folder("parts"), Outcome()
    uses = {
        file: [data.decode() for _, data, _ in found]
        for file, found in groups(read_parts(parts, "use", partition))
    }
    writer = PartWriter(parts, f"pictures-{partition:06d}", job.num_partitions)
    for file, found in groups(read_parts(parts, "picture", partition)):
        for _, data, _ in found:
            image = join(unpack(ImageAsset, data), uses.get(file, ()))
            writer.add("image", (image.id, image.file, pack(image)))
            outcome.keep()
    writer.close()
    return outcome


def run_images(job: Job, partition: int) -> Outcome:
    """Merges copies of pictures, for all pictures whose hashes belong to one partition."""
    parts, outcome = job.folder("parts"), Outcome()
    files = {
        image_id: found[0][2] for image_id, found in groups(read_parts(parts, "file", partition))
    }
    rows: dict[str, list[Row]] = {"images": [], "pictured": []}
    for image_id, found in groups(read_parts(parts, "image", partition)):
        image, rejected = merge_copies([unpack(ImageAsset, data) for _, data, _ in found])
        outcome.keep()
        for rejection in rejected:
            outcome.reject(rejection)
        for table, row in image_rows(image, files[image_id] or b""):
            rows[table].append(row)
    write_runs(job.folder("runs"), f"{partition:06d}", rows)
    return outcome
