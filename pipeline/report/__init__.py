"""Writes the HTML report of a run: one folder that opens without a server or network."""

from questloom.pipeline.report.report_pages import build_report

__all__ = ["build_report"]
