"""Stage `articles`: completes each article with entity, redirects, links and in-degree from the
page table. The stage also writes passages, infobox claims, and which article uses which picture."""

from collections.abc import Iterator

from questloom.knowledge.store.codec import pack, unpack
from questloom.knowledge.store.passages import passages_of
from questloom.knowledge.store.rows import article_rows
from questloom.records.knowledge import Article, Claim, Entity
from questloom.records.outcomes import Reason, Rejection
from questloom.records.table import Json
from questloom.transforms.ingest.faults import fault
from questloom.transforms.ingest.index_stage import page_table
from questloom.transforms.ingest.infobox_claims import infobox_claims
from questloom.transforms.ingest.ingest_job import Job, Outcome
from questloom.transforms.ingest.pages import REDIRECT, PageTable
from questloom.transforms.ingest.part_files import PartWriter, Row, groups, read_parts, write_runs

STAGE = "articles"


def finish_article(article: Article, pages: PageTable) -> Article | Rejection:
    """The article as the store holds it, or the reason why the article is dropped.

    A link to a missing page keeps its title. A link to a redirect gets the title of the page at the
    end of the redirects.
    """
    row = pages.row(article.title)
    if pages.state[row] == REDIRECT:
        return reject(article, Reason.DUPLICATE_RECORD, {"kept": "a newer redirect"})
    if reason := pages.reason(row):
        return reject(article, Reason(reason), None)
    targets = {}
    for link in article.links:
        if link.target not in targets:
            found = pages.resolve(link.target)
            targets[link.target] = pages.title(found) if found >= 0 else link.target
    return article.replace(
        entity_id=pages.entity(row),
        in_degree=int(pages.in_degree[row]),
        redirects=pages.redirects_to(row),
        links=tuple(
            link
            if targets[link.target] == link.target
            else link.replace(target=targets[link.target])
            for link in article.links
        ),
    )


def reject(article: Article, reason: Reason, evidence) -> Rejection:
    """The rejection of a dropped article."""
    return Rejection(
        item_id=article.id,
        seed_id="",
        stage=STAGE,
        reason=reason.value,
        evidence=Json(evidence),
        title=article.title,
    )


def subject_of(article: Article, language: str) -> Entity:
    """The facts about the entity that come from its page. Where no dump has the item, the entity
    consists of the facts from its page."""
    return Entity(
        id=article.entity_id,
        labels={language: article.title},
        sitelinks={article.wiki: article.title},
        in_degree=article.in_degree,
        revision=article.revision,
    )


def parts_of(article: Article, language: str, pages: PageTable) -> Iterator[tuple[str, Row]]:
    """Gives (kind, row) for the later stages: rows of kind `subject` and `infobox` for the entity,
    and rows of kind `use` for the pictures."""
    yield "subject", (article.entity_id, article.title, pack(subject_of(article, language)))
    claims: list[Claim] = list(infobox_claims(article, pages.entity_of))
    for number, claim in enumerate(claims):
        yield "infobox", (article.entity_id, f"{number:04d}", pack(claim))
    for file in sorted({p.file for p in article.pictures}):
        yield "use", (file, article.entity_id, article.entity_id.encode())


def run(job: Job, partition: int) -> Outcome:
    """Finishes the articles of one partition of titles."""
    pages = page_table(job.folder("index"))
    outcome = Outcome()
    rows: dict[str, list[Row]] = {"articles": [], "passages": []}
    writer = PartWriter(job.folder("parts"), f"articles-{partition:06d}", job.num_partitions)
    for _, found in groups(read_parts(job.folder("parts"), "article", partition)):
        newest, *others = (unpack(Article, data) for _, data, _ in found)
        for other in others:
            outcome.reject(reject(other, Reason.DUPLICATE_RECORD, {"kept": newest.id}))
        try:
            article = finish_article(newest, pages)
            if isinstance(article, Rejection):
                outcome.reject(article)
                continue
            made, parts = (
                list(article_rows(article, passages_of(article))),
                list(parts_of(article, job.language, pages)),
            )
        except Exception as error:
            outcome.reject(fault(newest.id, STAGE, newest.title, error))
            continue
        outcome.keep()
        for table, row in made:
            rows[table].append(row)
        for kind, row in parts:
            writer.add(kind, row)
    writer.close()
    write_runs(job.folder("runs"), f"{partition:06d}", rows)
    return outcome
