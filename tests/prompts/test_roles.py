"""Roles: those that are configured are known, and those that the pages name are there."""

import re
from pathlib import Path

import pytest

from questloom.prompts.roles import AGENT, DEFAULT, ROLES, check_roles
from questloom.records.errors import InputError

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"\broles? (`\w+`(?:(?:, | and |, and )`\w+`)*)")
PAGES = sorted(
    [
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("*/README.md"),
        *ROOT.glob("recipes/*.yaml"),
        ROOT / "README.md",
    ]
)


def test_a_known_role_is_taken_and_an_unknown_one_refused_with_those_that_are_near():
    check_roles([AGENT, DEFAULT, *ROLES], "models.roles")
    with pytest.raises(
        InputError,
        match=r"my.yaml, key models.roles.judge_query: is no role .* The roles are agent, .*judge_retrieval",
    ):
        check_roles(["judge_answer", "judge_query"], "my.yaml, key models.roles")
    with pytest.raises(InputError, match="Did you mean judge_answer"):
        check_roles(["judge_anwser"], "models.roles")
    with pytest.raises(
        InputError, match=r"guidance.agent: is no role .*The roles are check_words, word_plan"
    ):
        check_roles(["word_plan", "agent"], "guidance", ("word_plan", "check_words"))


def test_every_role_that_a_page_or_a_recipe_names_is_there():
    named = {
        (page.name, role)
        for page in PAGES
        for found in NAMED.findall(page.read_text(encoding="utf-8"))
        for role in re.findall(r"\w+", found)
    }
    assert ("training.md", "judge_retrieval") in named and ("loop.md", "propose_edits") in named
    assert not {(page, role) for page, role in named if role not in (AGENT, DEFAULT, *ROLES)}
