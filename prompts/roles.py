"""Lists every role (a task for a model), with the schema of its reply. The template of a role says
what the model has to do."""

import difflib
from collections.abc import Collection, Iterable

from questloom.prompts import replies
from questloom.prompts.render import ModelTask
from questloom.records.errors import InputError

ROLES: dict[str, ModelTask] = {
    role.name: role
    for role in (
        # planning: what pages say and no claim states
        ModelTask("take_facts", replies.FactsTaken),
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
"""Names that may be used like roles but have no template. `agent` is the policy that plays.
`default` is the model of all roles without an entry of their own."""


def check_roles(
    names: Iterable[str], where: str, known: Collection[str] = (AGENT, DEFAULT, *ROLES)
) -> None:
    """Raises an error for an unknown role. Without this check, nobody would notice a judge's
    misspelt name, and rules would judge in place of the model.

    Args:
        names: the names of roles in the user's configuration.
        where: the name of the section; the error message begins with it.
        known: the names of roles that this section may use.

    Raises:
        InputError: one of the names is unknown.
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
