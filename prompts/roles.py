"""Every role that a model can be given, with the schema of its reply; what a role is for stands in its template."""

import difflib
from collections.abc import Collection, Iterable

from questloom.prompts import replies
from questloom.prompts.render import Role
from questloom.records.errors import InputError

ROLES: dict[str, Role] = {
    role.name: role
    for role in (
        # writing: VSearcher's injection
        Role("seed_question", replies.Questions),
        Role("pick_entity", replies.PickedEntities),
        Role("take_fact", replies.Descriptions),
        Role("inject", replies.Injected),
        Role("pick_image_entity", replies.PickedEntities),
        Role("hide_entity", replies.Hidden),
        # writing: OpenSearch-VL's paths
        Role("canonical_question", replies.PathQuestions),
        Role("describe", replies.Descriptions),
        Role("obfuscate_answer", replies.Obfuscated),
        # writing: ODE's exploration
        Role("propose_seed", replies.SeedProposed),
        Role("explore", replies.Chosen),
        Role("reason", replies.Chosen),
        Role("perceive", replies.Chosen),
        Role("curate", replies.Curated),
        Role("deepen", replies.Worded),
        # votes of the certificate
        Role("check_words", replies.WordsRead),
        Role("check_picture", replies.PictureVote),
        Role("check_unique", replies.UniquenessVote),
        Role("check_invariant", replies.InvarianceVote),
        # filters
        Role("answer_direct", replies.Solved),
        Role("answer_text_only", replies.Solved),
        Role("answer_with_search", replies.Solved),
        Role("image_too_simple", replies.PictureJudged),
        Role("judge_answer", replies.AnswerJudged),
        # the harness's tools
        Role("read_page", replies.PageRead),
        # the harness's judges of a whole trajectory
        Role("judge_retrieval", replies.RetrievalJudged),
        Role("judge_process", replies.ProcessJudged),
        # the closed loop
        Role("diagnose", replies.Diagnosed),
        Role("propose_edits", replies.EditsProposed),
        Role("review_edits", replies.EditsReviewed),
        # evaluation's lenient judge
        Role("judge_report", replies.ReportJudged),
    )
}
AGENT, DEFAULT = "agent", "default"
"""Names without a template: the policy that plays, and the model of the roles that are not named."""


def check_roles(
    names: Iterable[str], where: str, known: Collection[str] = (AGENT, DEFAULT, *ROLES)
) -> None:
    """Refuses a role that nothing asks for: a misspelt judge would be replaced by rules without a word.

    Args:
        names: as they are configured.
        where: names the section in the error.
        known: the roles that it may name.

    Raises:
        InputError: the first unknown one.
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
