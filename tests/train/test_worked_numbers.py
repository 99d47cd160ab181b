"""The worked numbers in the trainer's docstrings hold."""

import doctest
import importlib

import pytest

WITH_NUMBERS = (
    "model.attention",
    "credit.axpo",
    "credit.fatal",
    "forecast",
    "credit.groups",
    "model.logprobs",
    "run.metrics",
    "model.shape",
    "loss.normalise",
    "loss.objective",
    "model.optimiser",
    "credit.rewards",
    "loss.sft_loss",
)


@pytest.mark.parametrize("name", WITH_NUMBERS)
def test_worked_numbers_hold(name):
    ran = doctest.testmod(importlib.import_module(f"questloom.train.{name}"))
    assert ran.attempted > 0 and not ran.failed
