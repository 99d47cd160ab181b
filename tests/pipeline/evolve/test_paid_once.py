"""The parts of a loop's rounds keep their calls apart, and pay for each other."""
import asyncio
import json
import urllib.request

from benchmarks.mock_endpoint import running
from calls.ledger import cost_lines
from files.opened import Opened
from models.messages import user
from pipeline.evolve.verify import POLICY
from pipeline.recipe import with_overrides
from pipeline.synth.job import Job
from pipeline.teach.play_job import PlayJob
from tests.pipeline.evolve.made import a_loop
from transforms.episodes.episode_folder import EpisodeFolder


def test_an_identical_request_of_another_round_or_part_is_not_paid_again(tmp_path):
    loop = a_loop(tmp_path)
    with running() as url:
        recipe = with_overrides(loop.recipe, (f"models.endpoints={json.dumps([{'name': 'mock', 'base_url': url}])}",
                                              'models.roles={"default": {"endpoint": "mock", "model": "small"}}'))
        opened, ledgers = Opened(), []
        for at in (loop.round(1), loop.round(2), loop.held_out(1)):
            for job in (Job(at.synth, "/store", recipe, opened),
                        *(PlayJob(run=run, store_path="/store", recipe=recipe, opened=opened, out=EpisodeFolder.of(run, policy), questions="")
                          for run, policy in ((at.batch, POLICY), (at.unsolved, "teacher")))):
                ledgers.append(job.calls())
                ledgers[-1].parent.mkdir(parents=True)
                client = job.client("draft").client
                text = asyncio.run(client.chat("judge_answer", [user("The same in each?")])).text
                asyncio.run(client.aclose())
                assert text.startswith("text ")
        opened.close()
        with urllib.request.urlopen(f"{url.removesuffix('/v1')}/stats") as stats:
            assert sum(json.load(stats)["by_key"].values()) == 1
    assert [cost_lines(ledger, ())[0].num_calls for ledger in ledgers] == [1] + [0] * 8
