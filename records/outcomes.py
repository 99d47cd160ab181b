"""How an item leaves a stage: kept, rejected for a reason, or pending. In every stage, the number
of items read equals the sum of kept, rejected and pending items."""

from dataclasses import dataclass
from enum import StrEnum

from questloom.records.table import Json, Record


class Reason(StrEnum):
    """Why an item was rejected. Each reason has one meaning. The run's report explains each reason
    in a sentence."""

    ERROR = "error"
    """A stage raised an exception because of a fault in Questloom. The traceback is in the evidence
    of the rejection."""
    # reading
    NAMESPACE = "namespace"
    NOT_WIKITEXT = "not_wikitext"
    REDIRECT = "redirect"
    DISAMBIGUATION = "disambiguation"
    LIST_PAGE = "list_page"
    PAGE_TOO_LARGE = "page_too_large"
    BAD_PAGE = "bad_page"
    BAD_ENTITY = "bad_entity"
    DUPLICATE_RECORD = "duplicate_record"
    # pictures, at ingest and in synthesis
    NO_PICTURE = "no_picture"
    NO_OTHER_VIEW = "no_other_view"
    PICTURE_UNREADABLE = "picture_unreadable"
    PICTURE_TOO_LARGE = "picture_too_large"
    PICTURE_TOO_SMALL = "picture_too_small"
    PICTURE_TOO_SIMPLE = "picture_too_simple"
    PICTURE_KIND = "picture_kind"
    PICTURE_DUPLICATE = "picture_duplicate"
    NO_LICENCE = "no_licence"
    LICENCE_NOT_ALLOWED = "licence_not_allowed"
    DROPPED_BY_REQUEST = "dropped_by_request"
    NOT_GROUNDED = "not_grounded"
    # facts from pages
    NOT_ON_PAGE = "not_on_page"
    WRONG_ENDS = "wrong_ends"
    NOT_SINGLE = "not_single"
    OUTVOTED = "outvoted"
    # drafting
    EXCLUDED = "excluded"
    NO_PATH = "no_path"
    NO_ANSWER = "no_answer"
    NO_DESCRIPTION = "no_description"
    NO_WORDING = "no_wording"
    NO_PHRASE = "no_phrase"
    OFF_LEVEL = "off_level"
    BAD_REPLY = "bad_reply"
    REFUSED = "refused"
    # certificate
    NO_EVIDENCE = "no_evidence"
    NOT_STATED = "not_stated"
    VOLATILE = "volatile"
    NOT_CONNECTED = "not_connected"
    NOT_UNIQUE = "not_unique"
    MARGIN_TOO_SMALL = "margin_too_small"
    CLASS_INCOMPLETE = "class_incomplete"
    WEAK_BASIS = "weak_basis"
    ANSWER_CHANGED = "answer_changed"
    WORDS_DIFFER = "words_differ"
    PICTURE_NOT_NEEDED = "picture_not_needed"
    GUESSABLE = "guessable"
    DECORATION = "decoration"
    COLLAPSES = "collapses"
    LEAK = "leak"
    RIVAL_FITS = "rival_fits"
    # filters
    ANSWER_IN_QUESTION = "answer_in_question"
    NEAR_DUPLICATE = "near_duplicate"
    TEXT_SEARCH_SHORTCUT = "text_search_shortcut"
    IMAGE_SEARCH_SHORTCUT = "image_search_shortcut"
    ANSWERED_WITHOUT_PICTURE = "answered_without_picture"
    ANSWERED_WITHOUT_TOOLS = "answered_without_tools"
    NOT_SOLVABLE = "not_solvable"
    # teaching
    WRONG_ANSWER_GIVEN = "wrong_answer_given"
    NO_ANSWER_GIVEN = "no_answer_given"
    FORMAT = "format"
    FATAL_FAULTS = "fatal_faults"
    PROCESS = "process"
    JUDGE_FAILED = "judge_failed"
    NOT_SOLVED = "not_solved"
    # enhancement and export
    NOT_RECOVERABLE = "not_recoverable"
    OVER_QUOTA = "over_quota"


class PendingCause(StrEnum):
    """Why an item is pending: a service failed, or the budget is spent. A resumed run tries a
    pending item again."""

    PROVIDER = "provider"
    BUDGET = "budget"


@dataclass(frozen=True, kw_only=True)
class Rejection(Record):
    """An item that was rejected, with the stage and the reason."""

    item_id: str
    seed_id: str
    """The seed (the entity of a future question) from which the item comes; "" during ingest."""
    stage: str
    reason: str
    evidence: Json = Json(None)
    """Evidence for the reason, as a small JSON value: the rival, the alias that gave the answer
    away, the traceback."""
    title: str = ""
    """A readable name of the item: a page title, an entity's label, the question's text."""


@dataclass(frozen=True, kw_only=True)
class Pending(Record):
    """An item that waits for a service or for more budget. A resumed run repeats the whole shard of
    the item."""

    item_id: str
    seed_id: str
    stage: str
    cause: str
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class StageCount(Record):
    """The numbers of items that one stage read, kept, rejected and left pending in one shard."""

    stage: str
    shard: int
    num_in: int = 0
    num_kept: int = 0
    """Number of input items that gave at least one record."""
    num_rejected: int = 0
    num_pending: int = 0
    num_out: int = 0
    """Number of records that the stage passed on. If a stage makes several records from one item,
    `num_out` exceeds `num_kept`."""
