"""Forecasts a run: calls, tokens, money, hours and finished questions, each as a range (low,
likely, high). See README.md."""

from questloom.pipeline.plan.forecast import forecast

__all__ = ["forecast"]
