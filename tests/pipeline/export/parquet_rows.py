"""The rows of a format's folder, as the tools that train read them."""

from pathlib import Path

from datasets import Dataset, load_dataset


def load(folder: Path, tmp_path: Path) -> Dataset:
    """All Parquet files of a folder, in order of their names; the cache lies in `tmp_path`."""
    return load_dataset(
        "parquet",
        data_files=[str(p) for p in sorted(folder.glob("*.parquet"))],
        cache_dir=str(tmp_path),
    )["train"]
