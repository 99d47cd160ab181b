"""Writes the data set of a run, and removes pictures from it. See README.md."""

from questloom.pipeline.export.dataset import ExportSummary, export_dataset
from questloom.pipeline.export.purge import DropSummary, drop, read_names

__all__ = ["DropSummary", "ExportSummary", "drop", "export_dataset", "read_names"]
