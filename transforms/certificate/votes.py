"""The certificate of a question without a form: its cited sentences are in the store, and models' votes found no second answer.

This is the weakest basis. No form can be executed. So margin, effective hops and the answers without the picture stay empty, which means
"not measured". Votes say that the picture is needed and that the words say what the evidence says. What can be
checked is checked: the evidence word for word, the chain of the rewriting, the leak. It is accepted only where the recipe names "votes", and is counted apart.
"""

from questloom.records.outcomes import Reason
from questloom.records.synthesis import Certificate, Check, Hop, Question, Rewrite
from questloom.records.table import Json
from questloom.transforms.facts.lookups import Facts


def evidence_of(question: Question) -> tuple[Hop, ...]:
    """A hop for each link of the path and each fact of the history, with its sentence; towards the answer where the order is known."""
    by_entity = {key: var for var, key in question.bindings.items()}
    facts = [
        Hop(
            source=by_entity.get(step.entity_id, ""),
            target="" if step.before else "a",
            evidence=step.source,
            revision=step.revision,
            article_id=step.article_id,
            section=step.section,
            start=step.start,
            end=step.end,
        )
        for step in reversed(question.history)
        if step.source
    ]
    return (*question.hops, *facts)


def missing_sentence(question: Question, facts: Facts) -> str | None:
    """The first cited sentence that does not stand where it is said to stand, or None."""
    articles = {}
    for key in (
        question.seed_entity,
        *question.bindings.values(),
        *(step.entity_id for step in question.history),
    ):
        article = facts.article(key)
        if article is not None:
            articles[article.id] = article
    for hop in evidence_of(question):
        if not hop.article_id:
            continue
        article = articles.get(hop.article_id)
        found = (
            article.sections[hop.section].text[hop.start : hop.end]
            if article and hop.section < len(article.sections)
            else ""
        )
        if " ".join(found.split()) != " ".join(hop.evidence.split()):
            return hop.evidence
    return None


def broken_link(question: Question) -> Rewrite | None:
    """The first rewriting that does not go on from the one before, or that hides nothing: then the history does not prove the question."""
    text = ""
    for step in question.history:
        if step.before != text or not step.entity_id:
            return step
        text = step.after
    return None


def certify_votes(question: Question, facts: Facts) -> Certificate | tuple[Reason, dict]:
    """The certificate by votes, or why there is none.

    Args:
        question: without a form, with the votes that accepted it and its anchor.
        facts: the store.
    """
    votes = question.votes if isinstance(question.votes, list) else []
    against = [v for v in votes if not v["holds"]]
    if against or not any(v["check"] == "unique" for v in votes):
        return Reason.NOT_UNIQUE, {"votes": len(votes), "against": against}
    num_picture = sum(v["check"] == "picture" for v in votes)
    if not num_picture:
        return Reason.PICTURE_NOT_NEEDED, {"votes": 0}
    if question.anchor not in question.bindings.values():
        return Reason.NOT_CONNECTED, {"anchor": question.anchor}
    broken = broken_link(question)
    if broken is not None:
        return Reason.NOT_CONNECTED, {"step": broken.round, "role": broken.role}
    hops = evidence_of(question)
    missing = missing_sentence(question, facts)
    if missing is not None or not hops:
        return Reason.NO_EVIDENCE, {"sentence": missing}
    num_unique = sum(v["check"] == "unique" for v in votes)
    checks = (
        Check(name="evidence", passed=True, score=float(len(hops))),
        Check(name="connected", passed=True),
        Check(name="votes", passed=True, score=float(num_unique)),
        Check(name="picture_votes", passed=True, score=float(num_picture)),
    )
    return Certificate(
        basis="votes",
        margin=-1,
        evidence=hops,
        nominal_hops=len(hops),
        checks=checks,
        votes=Json(votes),
    )
