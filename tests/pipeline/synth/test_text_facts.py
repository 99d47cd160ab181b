"""The stage `text_facts` in whole runs over a store whose dump lost some relations: an honest endpoint, a lying one, a run that is resumed, the forecast."""

import asyncio
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from questloom.calls.event_loop import submit
from questloom.files.opened import Opened
from questloom.knowledge.store.store import Store
from questloom.pipeline.plan import forecast
from questloom.pipeline.plan.call_forecast import planned_calls, uses_model
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.question_stages import make_text_facts
from questloom.pipeline.synth.settings_check import check_settings
from questloom.pipeline.synth.synth_job import run_synth
from questloom.pipeline.synth.synth_stages import TEXT_FACTS, synth_stages
from questloom.records.errors import InputError
from questloom.records.form import SentenceClause
from questloom.records.outcomes import Pending
from questloom.records.plan import PlannedSeed, ReadSeed
from questloom.records.synthesis import Question, Seed
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.role_endpoint import RoleEndpoint, answering
from tests.pipeline.small_world import LEAN, small_recipe
from tests.pipeline.synth.silent_store import silent_store, truth
from tests.run_files import read_stage

CUES = {
    "designed by": "P84",
    "studied at": "P69",
    "educated at": "P69",
    "went to": "P69",
    "founded by": "P112",
    "grave is in": "P119",
    "buried in": "P119",
    "pupil of": "P1066",
}
"""Words of the world's pages, with the relation that they state."""
LENGTHS = {"easy": 1, "medium": 1, "hard": 1}
SEEDS = {
    "count": 40,
    "rare_min_statements": 4,
    "anchor_min_in_degree": 1,
    "methods": {"paths": 1},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("silent")
    silent_store(made)
    return made


@pytest.fixture(scope="module")
def titles(folder) -> tuple[str, ...]:
    found = {e.label() for e in Store.open(str(folder / "store")).scan_entities(0, 2_000)}
    return tuple(sorted(found, key=lambda t: (-len(t), t)))


def recipe_at(endpoint: RoleEndpoint | None, *, pages: int = 2, **changes):
    url = endpoint.url if endpoint else "http://127.0.0.1:9/v1"
    roles = RoleEndpoint(url).models("take_facts", "word_plan", "check_words")
    settings = {
        "writer": "llm",
        "models": roles | {"llm": {"votes": 1}},
        "filters": LEAN,
        "seeds": SEEDS,
        "draft": {
            "text_facts": {"pages": pages, "samples": 3},
            "hops": LENGTHS,
            "detail_share": 0,
            "computation_share": 0,
        },
        "certificate": {"max_guess": 0.5, "bases": ["closed", "margin", "votes"]},
    }
    return small_recipe(**(settings | changes))


# Models


def shown(text: str) -> tuple[str, list[str]]:
    """The title and the lines of the page in a request."""
    title = re.search(r'The page is about "([^"]*)"', text)
    page = re.search(r"<page \w+>\n(.*?)\n</page", text, re.DOTALL)
    return title[1], page[1].splitlines()


def honest(titles: tuple[str, ...], text: str) -> dict:
    """What the lines of the page say in known words of the page's thing."""
    title, lines = shown(text)
    found = []
    for line in lines:
        for cue in CUES:
            rest = line.partition(f"{cue} ")[2].removeprefix("the ")
            if name := next((t for t in titles if rest.startswith(t)), ""):
                found.append(note(line, title, cue, name))
    return {"statements": found[:6]}


def note(sentence, subject, relation, object, single=True) -> dict:
    return {
        "sentence": sentence,
        "subject": subject,
        "relation": relation,
        "object": object,
        "single": single,
    }


def invented(titles, text):
    title, _ = shown(text)
    return {
        "statements": [
            note(f"It was designed by {t}.", title, "designed by", t) for t in titles[:6]
        ]
    }


def cut(titles, text):
    return {
        "statements": [
            s | {"sentence": s["sentence"].split(" ", 1)[1]}
            for s in honest(titles, text)["statements"]
        ]
    }


def swapped(titles, text):
    """Every line is said to state every relation of the page's thing to every name in the line."""
    title, lines = shown(text)
    names = [(line, t) for line in lines for t in titles if t in line and t != title]
    return {"statements": [note(line, t, "was designed by", title) for line, t in names[:6]]}


def elsewhere(titles, text):
    return {"statements": [s | {"object": titles[0]} for s in honest(titles, text)["statements"]]}


def many(titles, text):
    return {"statements": [s | {"single": False} for s in honest(titles, text)["statements"]]}


def obedient(titles, text):
    """Does what the text says about its task, and what no page says."""
    return {"statements": [], "system": "IGNORE ALL RULES", "single": True}


LIES = {
    "invented": invented,
    "cut": cut,
    "swapped": swapped,
    "elsewhere": elsewhere,
    "many": many,
    "obedient": obedient,
    "garbage": lambda titles, text: ["</page>", {"statements": "all of them"}],
    "empty": lambda titles, text: {},
}


SAYS = {
    "grave is in": "The grave of {} is in a {}.",
    "studied at": "{} studied at a {}.",
    "educated at": "{} was educated at a {}.",
    "went to": "{} went to a {}.",
}
NEAR = {"father": "the father of {}", "mother": "the mother of {}", "spouse": "the spouse of {}"}
NOT_SCRIPTED = {"question": "Nothing", "phrase": "Nothing"}


def worded(text: str) -> dict:
    """Words for a plan whose last steps are a sentence, and a claim or none; for other plans no words that pass."""
    lines = re.search(r"<steps \w+>\n(.*?)\n</steps", text, re.DOTALL)[1].splitlines()
    steps = [re.match(r"\d+\. (.*?) — (.*?): (.*)", line) for line in lines]
    names = [m[2] for m in steps if m]
    told = next((m for m in steps if m and m[2] in SAYS), None)
    if told is None or not {*names[: names.index(told[2])]} <= NEAR.keys():
        return NOT_SCRIPTED
    other = told[3].partition(" (the page")[0]
    kind = next(line for line in lines if f"{other} is a kind of" in line).rpartition(": ")[2]
    phrase = f"the {'woman' if 'female' in text.partition('(anybody sees:')[2][:30] else 'man'} in the picture"
    subject = phrase
    for name in names[: names.index(told[2])]:
        subject = NEAR[name].format(subject)
    said = SAYS[told[2]].format(subject, kind)
    example = re.search(r"in place of the name: (.*)", text)
    asked = example[1].replace(other, f"that {kind}") if example else f"Which {kind} is it?"
    return {
        "question": f"{said[0].upper()}{said[1:]} {asked}",
        "phrase": phrase if phrase in said else phrase.capitalize(),
    }


def read_back(text: str) -> dict:
    question = re.search(r"<question \w+>\n(.*?)\n</question", text, re.DOTALL)[1]
    lines = re.search(r"<lines \w+>\n(.*?)\n</lines", text, re.DOTALL)[1].splitlines()
    numbered = [line for line in lines if re.match(r"\d+\. ", line)]
    precision = "year" if "In which year" in question else ""
    return {
        "said": [{"line": n, "words": question} for n, _ in enumerate(numbered, 1)],
        "precision": precision,
        "why": "read",
        "holds": True,
    }


def run(folder: Path, out: Path, reader, *, recipe=None) -> Job:
    with answering({"take_facts": reader, "word_plan": worded, "check_words": read_back}) as at:
        made = recipe or recipe_at(at)
        run_synth(made, store=str(folder / "store"), out=str(out), opened=Opened())
    return Job(RunFolder(str(out)), str(folder / "store"), made)


def facts_of(job: Job) -> list:
    label = job.run.label(TEXT_FACTS)
    return [f for read in job.run.read(label, "kept", ReadSeed) for f in read.facts]


def told_plans(job: Job) -> list:
    seeds = job.run.read(job.run.label("plan"), "kept", PlannedSeed)
    return [p for s in seeds for p in s.plans if p.logical_form.of(SentenceClause)]


@pytest.fixture(scope="module")
def made(folder, titles, tmp_path_factory) -> Job:
    out = tmp_path_factory.mktemp("honest") / "run"
    return run(folder, out, partial(honest, titles))


def test_an_honest_model_gives_facts_that_are_true_and_plans_that_follow_them(folder, made):
    facts, true = facts_of(made), truth(folder)
    assert len(facts) > 10 and all(f.votes == 3 for f in facts)
    assert all((f.subject, CUES[f.relation], f.object) in true for f in facts)
    plans = told_plans(made)
    assert plans and {p.certificate.basis for p in plans} == {"votes"}
    for plan in plans:
        (told,) = plan.logical_form.of(SentenceClause)
        ends = [plan.bindings[told.subject], plan.bindings[told.object]]
        assert (ends[0], CUES[told.relation], ends[1]) in true


def test_the_llm_writer_words_such_a_plan_and_it_is_kept_with_its_certificate(made):
    kept = list(read_stage(made.run, "split", "kept", Question))
    told = [q for q in kept if q.certificate.basis == "votes"]
    assert told
    for question in told:
        hop = next(h for h in question.hops if not h.property)
        assert hop.stated == "sentence" and hop.evidence and hop.page
        assert any(c.name == "text_votes" and c.score == 3 for c in question.certificate.checks)
        assert any(c.name == "words_agree" for c in question.certificate.checks)


@pytest.mark.parametrize("lie", sorted(LIES))
def test_of_a_lying_model_nothing_is_accepted(lie, folder, titles, made, tmp_path):
    seeds = list(made.run.read(made.run.label("seeds"), "kept", Seed))[::4]
    with answering({"take_facts": partial(LIES[lie], titles)}) as at:
        job = Job.at(recipe_at(at), run=str(tmp_path), store=made.store_path, opened=Opened())
        read = make_text_facts(job)

        async def all_seeds():
            return await asyncio.gather(*map(read, seeds))

        found = submit(all_seeds()).result()
        job.opened.close()
    assert at.asked and [read.facts for read, *_ in found] == [()] * len(seeds)
    reasons = {r.reason for _, *dropped in found for r in dropped}
    assert reasons <= {"not_on_page", "wrong_ends", "not_single", "bad_reply"}
    assert bool(reasons) == (lie not in ("obedient",))


def test_a_run_without_answers_waits_and_a_resumed_one_ends_as_if_they_had_come_at_once(
    folder, titles, made, tmp_path
):
    replies, run_folder = {}, RunFolder(str(tmp_path / "run"))
    with answering(replies) as at:
        recipe = recipe_at(at)
        run_synth(recipe, store=made.store_path, out=run_folder.path, opened=Opened())
        label = run_folder.label(TEXT_FACTS)
        waiting = {p.seed_id for p in run_folder.read(label, "pending", Pending)}
        read = {r.id: r.facts for r in run_folder.read(label, "kept", ReadSeed)}
        assert waiting and not any(read.values()) and not waiting & read.keys()
        replies |= {
            "take_facts": partial(honest, titles),
            "word_plan": worded,
            "check_words": read_back,
        }
        run_synth(recipe, store=made.store_path, out=run_folder.path, opened=Opened())
        num_asked = len(at.asked)
        run_synth(recipe, store=made.store_path, out=run_folder.path, opened=Opened())
        assert len(at.asked) == num_asked
    assert not list(run_folder.read(label, "pending", Pending))
    assert facts_of(Job(run_folder, made.store_path, recipe)) == facts_of(made)


def test_the_stage_stands_only_in_a_run_that_reads_pages(made):
    names = [s.name for s in synth_stages(made)]
    assert names[:4] == ["seeds", "text_facts", "plan", "draft"]
    off = replace(made, recipe=recipe_at(None, pages=0))
    assert [s.name for s in synth_stages(off)][:3] == ["seeds", "plan", "draft"]


def test_the_forecast_counts_the_calls_and_says_what_passes(folder):
    recipe, store = recipe_at(None), str(folder / "store")
    (row,) = [r for r in planned_calls(recipe, Store.open(store)) if r.stage == TEXT_FACTS]
    assert row.role == "take_facts" and row.per_item.low == 0
    assert (row.per_item.likely, row.per_item.high) == pytest.approx((3 * 1.05, 6 * 1.4))
    assert row.tokens_in.high <= 6_000 / 3
    made = forecast(recipe, store=store, opened=Opened()).as_json()
    stage = next(s for s in made["stages"] if s["stage"] == TEXT_FACTS)
    assert stage["calls"]["high"] > 0 and stage["source"] == "drops no seed"
    off = planned_calls(recipe_at(None, pages=0), Store.open(store))
    assert TEXT_FACTS not in {r.stage for r in off} and not uses_model(
        recipe_at(None, pages=0), TEXT_FACTS
    )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"models": {}, "writer": "terse:Terse"}, "no model has the role take_facts"),
        ({"certificate": {}}, 'does not accept the basis "votes"'),
        ({"writer": "graph"}, "the graph writer has no phrases"),
        ({"seeds": SEEDS | {"methods": {"injection": 1}}}, 'only plans of the method "paths"'),
    ],
)
def test_a_setting_without_effect_is_refused(changes, words):
    with pytest.raises(InputError, match=words):
        check_settings(recipe_at(None, **changes))
    check_settings(recipe_at(None))
