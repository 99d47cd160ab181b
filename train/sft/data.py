"""The rows of an SFT run: the documents on disk, a survey of their rows, and the order of training.

A document is one conversation in the form in which its source stores it. The survey has an entry
for each document. The entry holds the figures of the document's row, or the reason why the document
is left out.

```
OUT/rows/documents.arrow   every document, memory-mapped; a resumed run reads the same rows from it
         survey.json       the survey; written last
```

A row with pixels is made when training needs it. Rows are never stored with pixels, because a
picture of 262,144 pixels takes 6 MB of patches. The run compares each row with the survey. The run
stops if a picture file has changed.
"""

import dataclasses
import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from questloom.agent.play.episode_files import EpisodeFiles
from questloom.agent.turns.renderer import Renderer
from questloom.agent.turns.token_renderer import TokenRenderer
from questloom.files.parquet import write_whole
from questloom.records.episodes import Episode
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json
from questloom.train.rows.episode_rows import drop_violations, row_of_episode, row_of_segments
from questloom.train.rows.row import (
    PictureTokens,
    Rope,
    Row,
    RowError,
    RowFault,
    UnusableRow,
    check,
    shorten,
)
from questloom.train.settings.training_settings import DataSettings
from questloom.train.sft.dialogues import segments_of_dialogue
from questloom.train.sft.sources import FOREIGN_SPLIT, OTHER_SPLIT, Document, DroppedRow, Split

SAMPLED, RENDERED = "sampled", "rendered"
DOCUMENTS, SURVEY = "documents.arrow", "survey.json"
REASONS: dict[str, str] = {
    OTHER_SPLIT: "their questions are kept for reinforcement learning or for a benchmark",
    FOREIGN_SPLIT: "their data set has them in a split that is neither for training nor for validation",
    RowFault.DIALOGUE: "they are no dialogue in which what was read and what the policy said take turns, or have other numbers of placeholders and pictures",
    RowFault.PICTURE_FILE: "a picture is missing or cannot be read",
    RowFault.TOO_LONG: "they are longer than data.max_tokens, and are to be left out then or have a first turn that does not fit",
    RowFault.NO_POLICY_TOKENS: "nothing that the policy said is left to be learned from",
    RowFault.SAMPLED_PICTURE_TOKEN: "the policy drew a token that stands for a picture",
    RowFault.LOGPROB: "a log-probability is missing, infinite, or above 0",
}
"""The reasons why rows are left out, in words."""
_SCHEMA = pa.schema(
    {
        "id": pa.string(),
        "split": pa.string(),
        "kind": pa.string(),
        "home": pa.string(),
        "text": pa.large_string(),
        "pictures": pa.list_(pa.large_binary()),
        "source": pa.string(),
    }
)


@dataclass(frozen=True, kw_only=True)
class SurveyedRow:
    """Figures about the row of one document, such as its number of tokens."""

    number: int
    """The document's number in the file, from 0."""
    episode_id: str
    split: Split
    tokens: int
    labels: int
    """The number of tokens in the loss."""
    pictures: int
    slips: int = 0
    """The number of turns that broke the agent's protocol. The model reads these turns, but they
    are not in the loss.
    """
    shortened: bool
    """Whether turns at the end of the row were cut off."""
    ids: str
    """Where the token ids come from. "sampled": the policy sampled these ids, and they were stored.
    "rendered": the policy's text was turned into these ids here.
    """
    digest: str
    """A hash of the row's ids, loss mask and pixels."""

    def __len__(self) -> int:
        return self.tokens


@dataclass(frozen=True)
class Survey:
    """The survey: the figures of every usable row, and the reasons why other documents are left
    out. Each document is either used or left out."""

    read: int
    used: tuple[SurveyedRow, ...]
    left_out: dict[str, int]
    """The number of documents left out, for each reason."""
    examples: dict[str, str] = field(default_factory=dict)
    """The first error message for each reason."""

    def of(self, split: Split) -> list[SurveyedRow]:
        """The figures of each row of a split."""
        return [each for each in self.used if each.split == split]

    def figures(self) -> dict[str, Any]:
        """The totals over all rows, for messages and for result.json."""
        assert self.read == len(self.used) + sum(self.left_out.values()), (
            "a row is neither used nor left out"
        )
        return {
            "read": self.read,
            "train": len(self.of("train")),
            "validation": len(self.of("validation")),
            "shortened": sum(each.shortened for each in self.used),
            "left_out": dict(sorted(self.left_out.items())),
            "ids": dict(sorted(Counter(each.ids for each in self.used).items())),
            **{
                name: sum(getattr(each, name) for each in self.used)
                for name in ("pictures", "slips", "tokens", "labels")
            },
        }

    def reasons(self) -> list[str]:
        """A sentence for each reason for which rows were left out: the number of rows, and the
        first error.
        """
        return [
            f"{count} left out ({reason}): {REASONS.get(reason, reason)}"
            + (f"; the first: {self.examples[reason]}" if reason in self.examples else "")
            for reason, count in sorted(self.left_out.items())
        ]


@dataclass
class DroppedDocuments:
    """Counts the input rows that cannot become documents."""

    reasons: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    """For each reason, the first error message. Reasons that explain themselves have no message."""

    def add(self, left_out: DroppedRow) -> None:
        """Counts an input row that was left out."""
        self.reasons[left_out.reason] += 1
        if left_out.what:
            self.examples.setdefault(left_out.reason, left_out.what)


def write_documents(path: Path, documents: Iterable[Document | DroppedRow]) -> DroppedDocuments:
    """Writes documents into a file from which they can be read in any order.

    Returns:
        The input rows that were left out.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    missing = DroppedDocuments()
    with pa.OSFile(str(part), "wb") as out, pa.ipc.new_file(out, _SCHEMA) as writer:
        for document in documents:
            if isinstance(document, DroppedRow):
                missing.add(document)
            else:
                writer.write_batch(
                    pa.RecordBatch.from_pylist(
                        [{**vars(document), "pictures": list(document.pictures)}], schema=_SCHEMA
                    )
                )
    part.replace(path)
    return missing


class Documents:
    """Documents in a memory-mapped file. Each record batch of the file has one document."""

    def __init__(self, path: Path) -> None:
        self._reader = pa.ipc.open_file(pa.memory_map(str(path)))

    def __len__(self) -> int:
        return self._reader.num_record_batches

    def __getitem__(self, number: int) -> Document:
        row = self._reader.get_batch(number).to_pylist()[0]
        return Document(**{**row, "pictures": tuple(row["pictures"])})


class RowMaker:
    """Makes a model's rows (conversations as tensors) from documents.

    Args:
        tokens: the renderer that makes token ids, with the model's processor and its limit on
            pixels.
        picture_tokens: how the model's token ids represent pictures.
        rope: computes the positions of tokens as the model does.
    """

    def __init__(
        self,
        tokens: TokenRenderer,
        *,
        picture_tokens: PictureTokens,
        rope: Rope,
        settings: DataSettings,
    ) -> None:
        self._tokens, self._picture_tokens, self._rope, self._settings = (
            tokens,
            picture_tokens,
            rope,
            settings,
        )
        self._renderers: dict[str, Renderer] = {}

    @property
    def picture_tokens(self) -> PictureTokens:
        """How the model's token ids represent pictures."""
        return self._picture_tokens

    def survey(self, number: int, document: Document) -> tuple[SurveyedRow, Row]:
        """The row of a document, after the figures about the row.

        Raises:
            UnusableRow: the model cannot learn from the row.
            RowError: see `row.check`.
        """
        row, ids = (
            self._of_episode(document)
            if document.kind == "episode"
            else (self._of_dialogue(document), RENDERED)
        )
        whole = len(row)
        if whole > self._settings.max_tokens:
            if self._settings.too_long == "leave_out":
                raise UnusableRow(
                    RowFault.TOO_LONG,
                    document.id,
                    f"{whole} tokens, the limit is {self._settings.max_tokens}",
                )
            row = shorten(row, self._settings.max_tokens, self._picture_tokens)
        if not row.loss_mask.any():
            raise UnusableRow(
                RowFault.NO_POLICY_TOKENS, document.id, "no turn is left that is to be learned from"
            )
        check(row, self._picture_tokens)
        return SurveyedRow(
            number=number,
            episode_id=document.id,
            split=document.split,
            tokens=len(row),
            labels=int(row.loss_mask.sum()),
            pictures=len(row.grid_thw),
            slips=sum(not row.loss_mask[begin:end].any() for begin, end in row.turns),
            shortened=len(row) < whole,
            ids=ids,
            digest=_digest(row),
        ), row

    def again(self, surveyed: SurveyedRow, document: Document) -> Row:
        """Makes the row of a document again, and checks that the row has not changed since the
        survey.

        Raises:
            RowError: the row differs from what the survey recorded.
        """
        now, row = self.survey(surveyed.number, document)
        if now != surveyed:
            raise RowError(
                RowFault.PIXEL_HASH,
                document.id,
                "ids or pixels are not those that were counted when the run began: a picture's file, "
                "the model's processor or transformers has changed",
            )
        return row

    def _of_episode(self, document: Document) -> tuple[Row, str]:
        episode, files = Episode.from_row(json.loads(document.text)), EpisodeFiles(document.home)
        own = all(
            turn.token_ids and self._tokens.rendered(turn.token_ids) == turn.text
            for turn in episode.turns
        )
        if not own:  # another tokenizer, or no engine, gave the ids: the text is encoded instead
            episode = episode.replace(
                turns=tuple(turn.replace(token_ids=(), logprobs=()) for turn in episode.turns)
            )
        row = row_of_episode(
            episode,
            files.bank(episode.images),
            self._renderer(files),
            self._tokens,
            picture_tokens=self._picture_tokens,
            rope=self._rope,
        )
        return drop_violations(row, episode), SAMPLED if own else RENDERED

    def _renderer(self, files: EpisodeFiles) -> Renderer:
        """The renderer, set up with the same prompt as the stored episodes.

        The renderer also escapes the trained model's special tokens in texts from outside.
        """
        if files.path not in self._renderers:
            told = files.prompt
            self._renderers[files.path] = Renderer(
                told["schemas"],
                max_calls=told["max_calls"],
                handles=told["handles"],
                brief=told.get("brief", False),
                special_tokens=sorted({*told["special_tokens"], *self._tokens.special_tokens}),
            )
        return self._renderers[files.path]

    def _of_dialogue(self, document: Document) -> Row:
        segments = segments_of_dialogue(
            json.loads(document.text),
            document.pictures,
            home=document.home,
            where=document.id,
            tokens=self._tokens,
        )
        return row_of_segments(
            segments, episode_id=document.id, tokens=self._picture_tokens, rope=self._rope
        )


def _digest(row: Row) -> str:
    made = hashlib.sha256(row.ids.numpy().tobytes() + row.loss_mask.numpy().tobytes())
    made.update("".join(row.pixel_hashes).encode())
    return made.hexdigest()[:16]


def survey_part(
    documents: Documents, maker: RowMaker, rank: int, world_size: int
) -> Iterator[tuple[int, SurveyedRow | UnusableRow]]:
    """Makes the rows of this rank's share of the documents, and yields the figures of each row.

    Yields: The number of a document, with the figures of its row or with the error.
    """
    for number in range(rank, len(documents), world_size):
        try:
            yield number, maker.survey(number, documents[number])[0]
        except UnusableRow as error:
            yield number, error


def gather_survey(
    parts: Iterable[tuple[int, SurveyedRow | UnusableRow]], missing: DroppedDocuments
) -> Survey:
    """Joins the ranks' parts into one survey.

    Args:
        missing: counts of input rows that cannot become documents.
    """
    reasons, examples, used = Counter(missing.reasons), dict(missing.examples), []
    for _, found in sorted(parts, key=lambda part: part[0]):
        if isinstance(found, SurveyedRow):
            used.append(found)
        else:
            reasons[str(found.fault)] += 1
            examples.setdefault(str(found.fault), f"{found.episode_id}: {found.what}")
    return Survey(
        read=len(used) + sum(reasons.values()),
        used=tuple(used),
        left_out=dict(reasons),
        examples=examples,
    )


def check_apart(survey: Survey, documents: Documents) -> None:
    """Checks that no row comes from two sources, and that no training row is also a validation row.

    Two rows count as the same if they have the same ids and pixels, in whatever form they were
    stored. A row that comes twice in one source and one split is used twice.

    Raises:
        InputError: some rows come twice. The error states the sources, the number of rows, and one
            of the rows as an example.
    """
    first: dict[str, tuple[str, Split, str]] = {}
    same: dict[tuple[tuple[str, Split], tuple[str, Split]], list[str]] = {}
    for each in survey.used:
        now = (documents[each.number].source, each.split, each.episode_id)
        before = first.setdefault(each.digest, now)
        if before[:2] != now[:2]:
            same.setdefault((before[:2], now[:2]), []).append(f"{before[2]} is {now[2]}")
    for (one, other), found in same.items():
        uses = "for training and for validation" if one[1] != other[1] else "twice"
        raise InputError(
            " and ".join(dict.fromkeys((one[0], other[0]))),
            f"hold {len(found)} rows {uses} (for example {found[0]})",
            "Name each row once: one form of a data set, and other rows for validation than for training.",
        )


def write_survey(path: Path, survey: Survey) -> None:
    """Writes a survey file. The file is never left half written."""
    write_whole(
        path,
        canonical_json(
            {
                "read": survey.read,
                "left_out": survey.left_out,
                "examples": survey.examples,
                "used": [dataclasses.asdict(each) for each in survey.used],
            }
        ).encode(),
    )


def read_survey(path: Path) -> Survey | None:
    """The survey that an earlier start of this run has stored; None if there is none."""
    if not path.is_file():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    return Survey(
        found["read"],
        tuple(SurveyedRow(**each) for each in found["used"]),
        found["left_out"],
        found["examples"],
    )


@dataclass(frozen=True)
class Course:
    """Assigns rows to updates. Each epoch has every row once, in a different order.

    Args:
        rows: the training rows.
        rows_per_update: number of rows per update, over all ranks. The last update of an epoch may
            have fewer rows.
    """

    rows: Sequence[SurveyedRow]
    rows_per_update: int
    epochs: int
    seed: int

    @cached_property
    def per_epoch(self) -> int:
        """The number of updates in an epoch."""
        return -(-len(self.rows) // self.rows_per_update)

    @property
    def updates(self) -> int:
        """The number of updates in the whole run."""
        return self.per_epoch * self.epochs

    def of(self, update: int) -> list[SurveyedRow]:
        """The rows of an update. The rows depend only on the update's number. A run can therefore
        resume at any update.

        Args:
            update: number of the update, 0 to `updates` − 1.
        """
        epoch, place = divmod(update, self.per_epoch)
        order = self._order(epoch)[
            place * self.rows_per_update : (place + 1) * self.rows_per_update
        ]
        return [self.rows[n] for n in order]

    def _order(self, epoch: int) -> list[int]:
        order = list(range(len(self.rows)))
        random.Random(f"{self.seed} {epoch}").shuffle(order)
        return order


def deal_rows(rows: Sequence[SurveyedRow], world_size: int) -> list[list[SurveyedRow]]:
    """Assigns rows to ranks. The longest rows are assigned first. Each row goes to the rank that
    has the fewest tokens so far.

    Every rank computes the same assignment.
    """
    hands: list[list[SurveyedRow]] = [[] for _ in range(world_size)]
    for row in sorted(rows, key=lambda each: (-each.tokens, each.number)):
        min(hands, key=lambda hand: sum(map(len, hand))).append(row)
    return hands
