"""Explains each reason, check and filter in one sentence for people who have not read the code."""

from collections.abc import Iterable

from questloom.records.outcomes import PendingCause, Reason
from questloom.transforms.filters import registry
from questloom.transforms.filters.filter import Filter

_GENERAL: dict[str, str] = {
    Reason.ERROR: "A stage of the program, or a custom filter, failed on this item, and the report shows the traceback.",
    Reason.NAMESPACE: "The page is no article.",
    Reason.NOT_WIKITEXT: "The page's content is not wikitext.",
    Reason.REDIRECT: "The page only points elsewhere.",
    Reason.DISAMBIGUATION: "The page lists meanings of a word.",
    Reason.LIST_PAGE: "The page is a list.",
    Reason.PAGE_TOO_LARGE: "The page is larger than the limit.",
    Reason.BAD_PAGE: "The page is damaged, or has no text: blank, deleted, or not in the export.",
    Reason.BAD_ENTITY: "The entity's record is damaged.",
    Reason.DUPLICATE_RECORD: "The same record was read twice.",
    Reason.NO_PICTURE: "There is no picture of it.",
    Reason.NO_OTHER_VIEW: "Search withholds the question's own picture, and there is no other view of the thing to find.",
    Reason.PICTURE_UNREADABLE: "The picture's file cannot be decoded.",
    Reason.PICTURE_TOO_LARGE: "The picture has more pixels than the limit.",
    Reason.PICTURE_TOO_SMALL: "The picture is smaller than the recipe asks for.",
    Reason.PICTURE_TOO_SIMPLE: "The picture is too plain to ask about (an icon, a drawing of few colours, mostly text).",
    Reason.PICTURE_KIND: "The picture is a flag, logo, map or another refused kind.",
    Reason.PICTURE_DUPLICATE: "The picture is a near-duplicate of another, or of a benchmark's.",
    Reason.NO_LICENCE: "A picture states no licence.",
    Reason.LICENCE_NOT_ALLOWED: "The picture's licence is not on the recipe's list.",
    Reason.DROPPED_BY_REQUEST: "Somebody asked for this picture to be left out.",
    Reason.NOT_GROUNDED: "Nothing shows that the picture really depicts the entity.",
    Reason.NOT_ON_PAGE: "A model noted a sentence, a name or a relation that the page does not have.",
    Reason.WRONG_ENDS: "The sentence that a model noted tells of something else than the page's thing and the noted one.",
    Reason.NOT_SINGLE: "The page's thing may have the noted relation to several things.",
    Reason.OUTVOTED: "Too few of a model's replies note the same fact.",
    Reason.EXCLUDED: "The entity belongs to a benchmark or to an earlier round.",
    Reason.NO_PATH: "No path of the wanted length leads away from the entity.",
    Reason.NO_ANSWER: "The path ends at nothing that can be asked for.",
    Reason.NO_DESCRIPTION: "No description was found that fits one entity only.",
    Reason.NO_WORDING: "The question could not be put into words that read well.",
    Reason.NO_PHRASE: "The writer has no phrase for a relation that only a sentence of a page states.",
    Reason.OFF_LEVEL: "The question needs fewer claims than its level asks for.",
    Reason.BAD_REPLY: "The model's reply did not follow the schema, also after a repair turn.",
    Reason.REFUSED: "The model refused.",
    Reason.NO_EVIDENCE: "A step of the question has no claim or sentence behind it.",
    Reason.NOT_STATED: "A claim that it rests on is stated by no page, so nobody could look it up.",
    Reason.VOLATILE: "A claim holds as of a day (an owner, a population), and the words state no day.",
    Reason.NOT_CONNECTED: "The chain from picture to answer is broken.",
    Reason.NOT_UNIQUE: "More than one answer fits.",
    Reason.MARGIN_TOO_SMALL: "Another entity would fit if only a fact or two were missing from the store.",
    Reason.CLASS_INCOMPLETE: "The store may lack members of the class, so that no list of rivals would be a list of all.",
    Reason.WEAK_BASIS: "The uniqueness rests on a basis that the recipe does not accept.",
    Reason.ANSWER_CHANGED: "After rewriting, the question has another answer.",
    Reason.WORDS_DIFFER: "A reader found that the words say something else than the evidence, or do not say all of it.",
    Reason.PICTURE_NOT_NEEDED: "The question has one answer even without the picture.",
    Reason.GUESSABLE: "Without the picture one answer is so common that a guess would often get it.",
    Reason.COLLAPSES: "Fewer relations lead to the answer than the question names.",
    Reason.DECORATION: "A step of the path is a decoration: the description fits one entity without it.",
    Reason.LEAK: "Something that the policy sees names a hidden entity or the answer.",
    Reason.RIVAL_FITS: "A solver's other answer satisfies the question too.",
    Reason.WRONG_ANSWER_GIVEN: "The episode ended with an answer that was not judged right.",
    Reason.NO_ANSWER_GIVEN: "The episode ended without an answer: a limit was met, or the policy gave up.",
    Reason.FORMAT: "A turn broke the format: one thought, then one call or one answer.",
    Reason.FATAL_FAULTS: "The episode was ended after several faulty tool calls in a row.",
    Reason.PROCESS: "The answer is right, but the way there is not fit to be learned from: no tool, a call repeated to no effect, an unfounded citation.",
    Reason.JUDGE_FAILED: "The judge's model gave no usable verdict: unknown, not wrong.",
    Reason.NOT_SOLVED: "No rollout of the task gave the right answer.",
    Reason.NOT_RECOVERABLE: "The degraded picture cannot be repaired well enough.",
}


def with_own(filters: Iterable[Filter]) -> dict[str, str]:
    """The sentences for all reasons, including the reasons of the given filters.

    Raises:
        ValueError: a filter explains a reason that this module explains already.
    """
    own = {reason: words for each in filters for reason, words in each.reasons.items()}
    if both := sorted(own.keys() & _GENERAL.keys()):
        raise ValueError(
            f"{both[0]!r} has a sentence in reason_words.py: leave it out of the filter"
        )
    return {**_GENERAL, **own}


REASONS = with_own(registry.FILTERS)
PENDING: dict[str, str] = {
    PendingCause.PROVIDER: "An endpoint did not answer; tried again on resume.",
    PendingCause.BUDGET: "The budget was reached; raise it to continue.",
}
CHECKS: dict[str, str] = {
    "claims": "Every step rests on a claim of the store, or on a sentence.",
    "stated": "A page says each step, in a sentence or in its infobox; counted, and no reason to refuse.",
    "connected": "The chain leads from the picture to the answer.",
    "one_answer": "Executed over the claims, the question has one answer.",
    "margin": "So many facts would have to be missing for a rival to fit.",
    "no_decoration": "No thing on the path could be found without the step before it.",
    "needs_picture": "Without the picture, more than one answer is left.",
    "no_guess": "The best guess by the words alone would be right this often; a likelier one is refused.",
    "effective_hops": "So many steps are left when shortcuts are taken; too few are refused.",
    "text_votes": "So many replies of a model that read the page say the step that no claim states.",
    "words_agree": "Readers found that the words say what the evidence says, and no more.",
    "no_leak": "Nothing shown names a hidden entity or the answer.",
    "solved_with_tools": "The oracle reaches the answer with the tools, in so many calls.",
    "no_leak_in_picture": "The text read in the picture names no hidden entity and not the answer.",
}
FILTERS: dict[str, str] = {
    **{each.name: each.help for each in registry.FILTERS},
    "too_simple": "The picture is not too simple.",
}


def stage_words(stage: str) -> str:
    """The name of a stage in words: "03-leak_check" is "leak check"."""
    return words(stage.lstrip("0123456789").lstrip("-") or stage)


def words(name: str) -> str:
    """A machine name in words: "not_unique" is "not unique"."""
    return name.replace("_", " ").replace("-", " ")
