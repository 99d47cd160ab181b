"""The forecast of a run: calls, tokens, money, hours and survivors, each from low over likely to high. See README.md."""

from questloom.pipeline.plan.forecast import forecast

__all__ = ["forecast"]
