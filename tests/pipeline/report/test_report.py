"""The report of a synthetic run: its numbers, its bytes, and that nothing hostile in it can run."""

import dataclasses
import json
import re
from collections import Counter

import pytest

from questloom.calls.attempts import CostLine
from questloom.files.parquet import read_records, write_records
from questloom.pipeline.report import build_report
from questloom.pipeline.report.charts import funnel
from questloom.pipeline.report.evidence_text import evidence_text
from questloom.pipeline.report.gallery import detail, hop_words
from questloom.pipeline.report.path_graph import question_graph
from questloom.pipeline.report.people_names import Names, clause_words, date_words
from questloom.pipeline.report.run_reader import find_questions, open_run
from questloom.pipeline.report.seed_outcomes import seed_outcomes, stage_flow
from questloom.pipeline.report.spend_text import money_words, seconds_words
from questloom.records.errors import InputError
from questloom.records.form import Ask, ClaimClause, Form, Fuzzy, Image, Reads
from questloom.records.knowledge import Value, entity_value
from questloom.records.outcomes import PendingCause, Reason, Rejection
from questloom.records.synthesis import Fuzzed, Hop
from questloom.transforms.reason_words import PENDING, REASONS
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.browser import CHROMIUM, Page
from tests.pipeline.hostile_run import HOSTILE, HostileSources, poison
from tests.pipeline.report.data_files import payload
from tests.pipeline.synthetic_run import write_facts, write_run
from tests.run_files import shard_path

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """(run, sources, report folder)."""
    run = tmp_path_factory.mktemp("runs") / "run"
    sources = write_run(run, num_seeds=120, num_pictures=10)
    return run, sources, build_report(run, sources=sources).parent


def test_every_reason_and_pending_cause_is_explained():
    assert set(REASONS) == {r.value for r in Reason}
    assert set(PENDING) == {c.value for c in PendingCause}


def test_every_seed_has_one_outcome_and_every_stage_balances(made):
    run = open_run(made[0])
    outcomes = payload(made[2], "outcomes-0000")
    assert Counter(row[5] for row in outcomes)["unaccounted"] == 0 and len(outcomes) == 120
    flows = [stage_flow(run, stage) for stage in run.stages]
    assert all(flow.balanced for flow in flows)
    assert [f.num_in for f in flows[2:]] == [f.num_out for f in flows[1:-1]]


def test_a_lost_seed_is_shown_as_unaccounted_and_a_wrong_count_as_unbalanced(tmp_path):
    sources = write_run(tmp_path, num_seeds=40, num_pictures=5)
    path = next(
        p
        for p in RunFolder(str(tmp_path)).shards(
            RunFolder(str(tmp_path)).label("drafts"), "rejected"
        )
        if list(read_records(p, Rejection))
    )
    write_records(path, Rejection, list(read_records(path, Rejection))[1:])
    run = open_run(tmp_path)
    lost = [
        o
        for o in seed_outcomes(run, {q.seed_id: [0] for q in run.last.questions()}, Names(None))
        if o.result == "unaccounted"
    ]
    assert len(lost) == 1
    assert stage_flow(run, run.stages[1]).balanced is False
    page = build_report(tmp_path, sources=sources).read_text(encoding="utf-8")
    assert "1 seeds have no outcome" in page and "does not balance" in page


def test_the_outcome_of_a_seed_names_its_last_stage_reason_and_evidence(made):
    run = open_run(made[0])
    rejected = {r.seed_id: r for stage in run.stages for r in stage.rejections()}
    found = payload(made[2], "outcomes-0000")
    by_reason = Counter(row[7] for row in found if row[5] == "rejected")
    assert by_reason == Counter(r.reason.replace("_", " ") for r in rejected.values())
    assert all("rival: " in row[8] for row in found if row[5] == "rejected")
    assert {row[7] for row in found if row[5] == "pending"} == {"provider"}


def test_index_and_details_hold_every_kept_question_once(made):
    run = open_run(made[0])
    index = payload(made[2], "index")
    kept = [q for q in run.last.questions()]
    assert index["text"] == [q.text for q in kept]
    details = [
        d
        for path in sorted((made[2] / "data").glob("questions-*.js"))
        for d in payload(made[2], path.stem)
    ]
    assert [d["id"] for d in details] == [q.id for q in kept]
    for facet, found in index["facets"].items():
        assert len(found["codes"]) == len(kept), facet
    level = index["facets"]["level"]
    assert [level["values"][c] for c in level["codes"]] == [q.level for q in kept]
    assert all(
        entry["about"] for d in details for entry in (*d["certificate"]["checks"], *d["verdicts"])
    )


def test_the_page_states_numbers_as_text_and_draws_them(made):
    page = (made[2] / "index.html").read_text(encoding="utf-8")
    run = open_run(made[0])
    num_kept = sum(1 for _ in run.last.questions())
    assert f"{num_kept} certified questions" in page and "5 min 41 s" in page
    assert page.count('role="img"') == len(run.stages)
    assert "✓ balanced" in page


def test_the_same_run_gives_the_same_bytes(made, tmp_path):
    again = build_report(made[0], tmp_path / "again", sources=made[1]).parent
    names = sorted(p.relative_to(made[2]) for p in made[2].rglob("*") if p.is_file())
    assert names == sorted(p.relative_to(again) for p in again.rglob("*") if p.is_file())
    assert all((made[2] / n).read_bytes() == (again / n).read_bytes() for n in names)


def test_without_a_store_ids_stand_for_names(made, tmp_path):
    report = build_report(made[0], tmp_path / "report").parent
    assert payload(report, "index")["facets"]["licence"]["values"] == ["unknown"]
    assert "P569" in payload(report, "index")["facets"]["relation"]["values"]


def test_a_run_that_stopped_early_is_reported_as_far_as_it_came(tmp_path):
    write_run(tmp_path / "whole", num_seeds=30, num_pictures=5)
    run = tmp_path / "part"
    (run / "stages").mkdir(parents=True)
    label = RunFolder(str(tmp_path / "whole")).label("seeds")
    (tmp_path / "whole" / "stages" / label).rename(run / "stages" / label)
    write_facts(run)
    (run / "run.json").unlink()
    page = build_report(run).read_text(encoding="utf-8")
    assert "not finished" in page and "30 of 30 seeds are under way" in page


def test_a_folder_that_is_no_run_is_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(InputError, match=r"no recipe\.json"):
        build_report(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_damaged_stage_file_is_named_and_no_half_report_is_left(tmp_path):
    sources = write_run(tmp_path, num_seeds=30, num_pictures=5)
    path = shard_path(tmp_path, "drafts", "rejected", 0)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InputError, match="rejected-00000"):
        build_report(tmp_path, sources=sources)
    assert not [p for p in tmp_path.iterdir() if "report" in p.name]


def test_an_unknown_price_is_never_shown_as_zero():
    line = CostLine(
        group=("a", "m"),
        num_calls=4,
        num_faults=0,
        num_lost=0,
        tokens_in=1,
        tokens_out=1,
        num_estimated=0,
        money=0.0,
        num_unpriced=4,
        seconds=1,
    )
    assert money_words(line) == "unknown"
    assert money_words(dataclasses.replace(line, money=1.5, num_unpriced=1)) == "at least $1.50"
    assert money_words(dataclasses.replace(line, money=1.5, num_unpriced=0), 100) == "$0.0150"
    assert money_words(None) == "$0"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, "unknown"), (0.44, "0.4 s"), (59.4, "59 s"), (61, "1 min 1 s"), (7380, "2 h 3 min")],
)
def test_durations_are_said_in_the_unit_that_fits(seconds, words):
    assert seconds_words(seconds) == words


@pytest.mark.parametrize(
    ("time", "precision", "words"),
    [("+1874-03-12T00:00:00Z", 11, "12 March 1874"), ("+1874-03-00T00:00:00Z", 10, "March 1874"), ("+1874-00-00T00:00:00Z", 9, "1874"),
     ("-0044-00-00T00:00:00Z", 9, "44 BCE"), ("+1870-00-00T00:00:00Z", 8, "1870s"),
     ("+1801-00-00T00:00:00Z", 7, "19th century"),
     ("+1900-00-00T00:00:00Z", 7, "19th century"), ("-0044-00-00T00:00:00Z", 7, "1st century BCE"),
     ("+1875-00-00T00:00:00Z", 8, "1870s"),
     ("-1500-00-00T00:00:00Z", 6, "2nd millennium BCE"), ("soon", 9, "soon")],
)  # fmt: skip
def test_dates_are_said_to_their_precision(time, precision, words):
    assert date_words(time, precision) == words


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("time:+18/7", "19th century"),
        ("time:-00/7", "1st century BCE"),
        ("time:+187/8", "1870s"),
        ("time:+1874/9", "1874"),
        ("time:-0044-03-15/11", "15 March 44 BCE"),
        ("time:+1/6", "2nd millennium"),
    ],
)
def test_a_binding_is_said_as_its_date(key, words):
    assert Names(None).key(key) == words


VAGUE = (
    (Fuzzy(kind="category", subject="x0", property="P131", object=entity_value("Q1")), "some Q1"),
    (
        Fuzzy(
            kind="meta-attribute",
            subject="x0",
            property="P131",
            object=entity_value("Q1"),
            number=2,
        ),
        "some Q1 with a name of 2 words",
    ),
    (
        Fuzzy(
            kind="meta-attribute",
            subject="x0",
            property="P131",
            object=entity_value("Q1"),
            initial="K",
        ),
        "some Q1 whose name begins with K",
    ),
    (Fuzzy(kind="exclusion", subject="x0", property="P131", object=entity_value("Q1")), "not Q1"),
    (
        Fuzzy(
            kind="range",
            subject="x0",
            property="P571",
            object=Value(kind="time", time="+1861-00-00T00:00:00Z", precision=8),
        ),
        "in 1860s",
    ),
    (
        Fuzzy(
            kind="arithmetic", subject="x0", property="P571", object="x1", number=-3, since="P569"
        ),
        "3 years before Q7 — P569",
    ),
)


@pytest.mark.parametrize(("clause", "words"), VAGUE)
def test_a_vague_clue_is_drawn_and_said_as_what_the_value_is_like(made, clause, words):
    question = next(open_run(made[0]).last.questions())
    form = Form(clauses=(Image(var="x0"), clause), ask=Ask(var="x0", type="entity"))
    question = question.replace(form=form.to_json(), bindings={"x0": "Q5", "x1": "Q7"})
    assert words in [n["label"] for n in question_graph(question, Names(None))["nodes"]]
    (_, said) = clause_words(form, Names(None), question.bindings)
    assert said.endswith(f"— {words}")


def test_a_hop_behind_a_vague_clue_names_the_value_and_the_detail_says_how_many_each_leaves(made):
    question = next(q for q in open_run(made[0]).last.questions() if q.certificate)
    counted = Fuzzed(kind="category", var="x2", property="P999", value="Q42", before=2, after=9)
    question = question.replace(
        certificate=question.certificate.replace(fuzzed=(counted,)),
        bindings={**question.bindings, "x2": "Q7"},
    )
    hop = Hop(source="", target="x2", property="P999", reverse=True)
    assert hop_words(hop, question, Names(None))["from"] == "Q42"
    (shown,) = detail(question, Names(None), None)["certificate"]["fuzzed"]
    assert shown == {"kind": "category", "claim": "Q7 — P999 — Q42", "before": 2, "after": 9}


def test_a_reading_of_a_later_picture_starts_at_the_thing_that_this_picture_shows(made):
    question = next(open_run(made[0]).last.questions())
    step = ClaimClause(subject="x0", property="P50", object="x1")
    for of, source, label in (
        ("x0", "picture", "reads: author"),
        ("x1", "x1", "its picture reads: author"),
    ):
        read = Reads(var="r", of=of, property="P50")
        form = Form(clauses=(Image(var="x0"), step, read), ask=Ask(var="r", type="date"))
        graph = question_graph(question.replace(form=form.to_json()), Names(made[1]))
        (edge,) = [e for e in graph["edges"] if e["kind"] == "reads"]
        assert (edge["from"], edge["label"]) == (source, label)


def test_the_graph_leads_from_the_picture_to_the_answer(made):
    run, names = open_run(made[0]), Names(made[1])
    for question in run.last.questions():
        graph = question_graph(question, names)
        reached, ids = {"picture"}, {n["id"] for n in graph["nodes"]}
        for _ in ids:
            reached |= {
                end
                for e in graph["edges"]
                for end in (e["from"], e["to"])
                if {e["from"], e["to"]} & reached
            }
        assert reached == ids and graph["answer"] in ids
        without_form = question_graph(question.replace(form=None), names)
        assert len(without_form["edges"]) == len(question.hops) + 1


def test_strips_share_one_scale_and_never_leave_it(made):
    run = open_run(made[0])
    for strip in funnel([stage_flow(run, stage) for stage in run.stages]):
        assert max((s.x + s.width for s in strip.segments), default=0) <= 1000.1
        assert abs(sum(s.width for s in strip.segments) - 1000 * strip.flow.size / 120) < 1


def test_rejected_examples_show_the_question_where_there_was_one(made):
    groups = payload(made[2], "rejected")
    late = [e for g in groups if g["stage"] == "filters" for e in g["examples"]]
    assert late and all(e["text"].endswith("?") and e["image"] for e in late)
    early = [e for g in groups if g["stage"] == "drafts" for e in g["examples"]]
    assert early and all("text" not in e and e["title"] for e in early)


def test_questions_are_found_as_their_last_stage_has_them(made):
    run = open_run(made[0])
    wanted = next(run.last.questions())
    assert find_questions(run, [wanted.id, "no such id"]) == {wanted.id: wanted}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The report of a run in which every string is hostile."""
    run = tmp_path_factory.mktemp("runs") / "hostile"
    sources = write_run(run, num_seeds=60, num_pictures=5)
    poison(run)
    return build_report(run, sources=HostileSources(sources)).parent


def test_hostile_text_stays_text_in_every_file(hostile):
    page = (hostile / "index.html").read_text(encoding="utf-8")
    scripts = re.findall(r"<script\b[^>]*>", page)
    assert scripts and all(re.fullmatch(r'<script src="assets/\w+\.js">', s) for s in scripts)
    assert "<img" not in page and not re.search(r'\s(onerror|onmouseover)="', page)
    for path in sorted((hostile / "data").glob("*.js")):
        text = path.read_text(encoding="utf-8")
        assert not set("<>&\u2028\u2029") & set(text), path.name
        payload(hostile, path.stem)
    assert payload(hostile, "index")["text"][0].endswith(HOSTILE)


@needs_chromium
def test_hostile_text_is_shown_and_never_run_in_a_browser(hostile):
    with Page() as page:
        address = (hostile / "index.html").as_uri()
        for place, ready in (("overview", ".funnel li"), ("questions", "#questions .card"), ("question/0", "dialog .part"),
                             ("rejected", "#rejected .card"), ("seeds", "#seeds tbody tr")):  # fmt: skip
            page.open(f"{address}#{place}")
            page.wait(f"document.querySelector('{ready}') !== null")
            assert page.run("window.hacked === undefined"), place
            assert page.run("document.querySelectorAll('script:not([src])').length") == 0
            assert page.run(
                "[...document.querySelectorAll('a')].every((a) => !a.href.startsWith('javascript:'))"
            ), place
        assert "</script><script>" in page.run("document.querySelector('#seeds').textContent")
        assert not page.messages, page.messages


@needs_chromium
def test_a_reader_filters_opens_a_question_and_comes_back(made):
    with Page() as page:
        page.open((made[2] / "index.html").as_uri())
        assert (
            page.run("getComputedStyle(document.querySelector('.strip .kept')).fill")
            != "rgb(0, 0, 0)"
        )
        page.run("location.hash = 'questions?level=hard'")
        page.wait("document.querySelectorAll('#questions .card').length > 0")
        hard = payload(made[2], "index")["facets"]["level"]
        wanted = sum(hard["values"][c] == "hard" for c in hard["codes"])
        assert page.run("document.querySelector('#questions .status').textContent").startswith(
            f"{wanted} of "
        )
        assert page.run("document.querySelector('#questions .answer b')") is None
        page.run("document.querySelector('#questions .answer button').click()")
        assert page.run("document.querySelector('#questions .answer b').textContent") != ""
        page.run("document.querySelector('#questions .card h3 a').click()")
        page.wait(
            "document.querySelector('dialog').open && document.querySelector('dialog .graph svg') !== null"
        )
        assert page.run("[...document.querySelectorAll('dialog h3')].map((h) => h.textContent)") == [
            "Path from the picture to the answer", "Evidence", "Certificate", "Filters"]  # fmt: skip
        page.wait(
            "document.querySelector('dialog .shown img').naturalWidth === 800"
        )  # the full picture, beside the report
        page.run("document.querySelector('dialog button[aria-label=Close]').click()")
        page.wait("!document.querySelector('dialog').open")
        assert page.run("location.hash") == "#questions?level=hard"
        page.run("location.hash = 'seeds?reason=no+description'")
        page.wait("document.querySelectorAll('#seeds tbody tr').length > 0")
        assert page.run(
            "[...document.querySelectorAll('#seeds tbody tr')].every((r) => r.cells[4].textContent === 'no description')"
        )
        page.resize(400, 860)
        assert page.run("document.documentElement.scrollWidth") == 400
        tabs = "[...document.querySelectorAll('.top nav a')].map((a) => a.getBoundingClientRect().right)"
        assert max(page.run(tabs)) <= 400, "a part of the report is out of sight"
        assert not page.messages, page.messages


CROSSED = """(() => {
  const node = (id) => ({ id, kind: "entity", label: id, sub: "" });
  const edge = (from, to, label) => ({ from, to, label, kind: "claim" });
  const graph = { answer: "r", nodes: ["picture", "x0", "x1", "x2", "r"].map(node), edges: [edge("picture", "x0", "shows"),
    edge("x0", "x1", "author"), edge("x1", "x2", "influenced by"), edge("picture", "r", "reads: inscription")] };
  document.body.append(questloom.graph(graph, "", 400, ""));
  const boxes = [...document.querySelectorAll(".graph text.relation")].map((text) => text.getBBox());
  const apart = (a, b) => a.x + a.width <= b.x + 2 || b.x + b.width <= a.x + 2 || a.y + a.height <= b.y + 2 || b.y + b.height <= a.y + 2;
  return boxes.length === 4 && boxes.every((a, i) => boxes.slice(0, i).every((b) => apart(a, b)));
})()"""


@needs_chromium
def test_the_labels_of_edges_do_not_lie_on_each_other(made):
    with Page() as page:
        page.open((made[2] / "index.html").as_uri())
        assert page.run(CROSSED)


def test_evidence_is_said_with_labels_and_without_what_is_empty(made):
    names = Names(made[1])
    assert evidence_text(
        {
            "rival": {"entity_id": "Q5", "gaps": ["P50=time:+1874/9"], "label": ""},
            "margin": 0,
            "none": None,
        },
        names,
    ) == ("rival: Q5, gaps: author (P50)=1874 · margin: 0")
    assert (
        evidence_text(
            {
                "form": {
                    "clauses": [{"is": "image", "var": "x0"}],
                    "ask": {"var": "x0", "type": "entity"},
                }
            },
            names,
        )
        == "form: the picture shows x0"
    )
    assert (
        evidence_text({"lacks": {"claims Q5 P50": 2, "members Q5": 1}}, names)
        == "lacks: claims of Q5 for author (P50): 2 · members of Q5: 1"
    )
    assert (
        evidence_text({"examples": [{"reason": "no_path"}, {"reason": "leak"}]}, names)
        == "examples: \n– reason: no path\n– reason: leak"
    )
    tried = {
        "examples": [
            {"reason": "no_path", "evidence": {}},
            {"reason": "leak", "evidence": {"alias": "X"}},
        ],
        "tried": 2,
    }
    assert evidence_text(tried, names) == "tried: 2 · examples: \n– no path\n– leak: alias: X"
    assert evidence_text({"clauses": 3, "ask": 4}, names) == '{"ask":4,"clauses":3}'
    assert len(evidence_text("x" * 10_000, names)) < 2_100


def test_a_store_that_is_gone_costs_the_names_and_not_the_report(tmp_path):
    write_run(tmp_path, num_seeds=30, num_pictures=5)
    facts = json.loads((tmp_path / "run.json").read_text())
    (tmp_path / "run.json").write_text(json.dumps({**facts, "store": str(tmp_path / "gone")}))
    report = build_report(tmp_path).parent
    assert "P569" in payload(report, "index")["facets"]["relation"]["values"]


def test_a_hop_to_a_constant_names_it(made):
    question = next(
        q for q in open_run(made[0]).last.questions() if q.logical_form and "P69" in str(q.form)
    )
    (clause,) = [c for c in question.logical_form.of(ClaimClause) if isinstance(c.object, Value)]
    for hop in (
        Hop(source="x2", target="", property="P571"),
        Hop(source="", target="x2", property="P571", reverse=True),
    ):
        said = hop_words(hop, question, Names(made[1]))
        assert date_words(clause.object.time, 9) in (said["to"], said["from"])


def test_a_near_duplicate_shows_and_links_the_question_that_it_repeats(tmp_path):
    run = tmp_path / "run"
    write_run(run, num_seeds=60)
    found = open_run(run)
    winner = next(iter(found.last.questions()))
    path = next(
        p for p in RunFolder(str(run)).shards(RunFolder(str(run)).label("filters"), "rejected")
    )
    twin = Rejection(
        item_id="0" * 32,
        seed_id="",
        stage="filters",
        reason=Reason.NEAR_DUPLICATE,
        evidence={"of": winner.id, "by": "words"},
    )
    write_records(path, Rejection, [twin])
    report = build_report(run).parent
    (group,) = [
        g for g in payload(report, "rejected") if any("other" in one for one in g["examples"])
    ]
    (one,) = group["examples"]
    assert (
        one["other"] == winner.text
        and payload(report, "index")["text"][one["otherRow"]] == winner.text
    )
