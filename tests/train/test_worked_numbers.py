"""The worked numbers in the trainer's docstrings hold."""

import doctest
import importlib

import pytest

WITH_NUMBERS = (
    "attention",
    "axpo",
    "fatal",
    "forecast",
    "groups",
    "logprobs",
    "metrics",
    "model_shape",
    "normalise",
    "objective",
    "optimiser",
    "rewards",
    "sft_loss",
)


@pytest.mark.parametrize("name", WITH_NUMBERS)
def test_worked_numbers_hold(name):
    ran = doctest.testmod(importlib.import_module(f"questloom.train.{name}"))
    assert ran.attempted > 0 and not ran.failed
