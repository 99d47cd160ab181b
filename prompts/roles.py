"""Every role of a model, with the schema of its reply. The role's template says what the role is for."""

import difflib
from collections.abc import Collection, Iterable

from questloom.prompts import replies
from questloom.prompts.render import ModelTask
from questloom.records.errors import InputError

ROLES: dict[str, ModelTask] = {
    role.name: role
    for role in (
        # writing: the words of a plan, and those who read them back
        ModelTask("word_plan", replies.Worded),
        ModelTask("check_words", replies.WordsRead),
        # filters
        ModelTask("answer_direct", replies.Solved),
        ModelTask("answer_text_only", replies.Solved),
        ModelTask("answer_with_search", replies.Solved),
        ModelTask("image_too_simple", replies.PictureJudged),
        ModelTask("judge_answer", replies.AnswerJudged),
        # the harness's tools
        ModelTask("read_page", replies.PageRead),
        # the harness's judges of a whole trajectory
        ModelTask("judge_retrieval", replies.RetrievalJudged),
        ModelTask("judge_process", replies.ProcessJudged),
        # the closed loop
        ModelTask("diagnose", replies.Diagnosed),
        ModelTask("propose_edits", replies.EditsProposed),
        ModelTask("review_edits", replies.EditsReviewed),
        # evaluation's lenient judge
        ModelTask("judge_report", replies.ReportJudged),
    )
}
AGENT, DEFAULT = "agent", "default"
"""Names without a template: the policy that plays, and the default model of all roles without an entry."""


def check_roles(
    names: Iterable[str], where: str, known: Collection[str] = (AGENT, DEFAULT, *ROLES)
) -> None:
    """Refuses an unknown role. Without this check, rules would silently replace a judge whose name
    is misspelt.

    Args:
        names: the configured role names.
        where: name of the section, for the error.
        known: the role names that the section may use.

    Raises:
        InputError: a name is unknown.
    """
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3)
            raise InputError(
                f"{where}.{name}",
                "is no role that a model can be given",
                f"Did you mean {' or '.join(near)}? " * bool(near)
                + f"The roles are {', '.join(sorted(known))}.",
            )
