"""An episode on a local page: played by hand to its end, watched, and closed to whoever lacks the address."""

import json
import threading
import time
import urllib.error
import urllib.request

import pytest

from questloom.agent.setup import engine_override_key
from questloom.files.opened import Opened
from questloom.pipeline.commands.chat import chat
from questloom.pipeline.commands.chat_page import ChatPage, HandEngine
from questloom.pipeline.recipe import recipe_of
from tests.agent import tiny
from tests.agent.small_provider import ScriptedEngine
from tests.pipeline.browser import CHROMIUM, Page
from tests.pipeline.export import taught as teacher

RECIPE = recipe_of(
    {
        "name": "chat",
        "teach": {"engine": "openai", "tools": {"tools": ["text_search", "crop"]}},
        "models": {
            "endpoints": [{"name": "e", "base_url": "http://127.0.0.1:9/v1"}],
            "roles": {"agent": {"endpoint": "e", "model": "m"}},
        },
    },
    "test",
)


class Playing:
    """A chat in a thread of its own, and its page."""

    def __init__(self, store: str, picture: str, opened: Opened, **how) -> None:
        self.said: list[str] = []
        self.episode = None

        def play() -> None:
            self.episode = chat(
                RECIPE,
                "What <b>is</b> this?",
                store=store,
                opened=opened,
                picture=picture,
                say=self.said.append,
                **how,
            )

        self.thread = threading.Thread(target=play)
        self.thread.start()
        self.until(lambda: self.said)
        self.url = self.said[0].split()[1]

    @staticmethod
    def until(holds) -> None:
        end = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < end
            time.sleep(0.02)

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(self.url + path) as reply:
            return reply.read()

    @property
    def state(self) -> dict:
        return json.loads(self.get("state"))

    def say(self, turn: str) -> None:
        self.until(lambda: self.state["waiting"])
        urllib.request.urlopen(
            urllib.request.Request(self.url + "turn", data=turn.encode(), method="POST")
        ).close()


@pytest.fixture
def picture(tmp_path) -> str:
    (tmp_path / "a.png").write_bytes(tiny.picture(3, (200, 100)))
    return str(tmp_path / "a.png")


def test_an_episode_is_played_by_hand_with_its_pictures_and_a_wrong_call_explained(small, picture):
    played = Playing(small, picture, Opened(), by_hand=True)
    played.say(teacher.call("crop", handle=0, box=[0, 0, 2000, 500]))
    played.say(teacher.call("crop", handle=0, box=[0, 0, 500, 500]))
    played.until(lambda: len(played.state["messages"]) == 6)
    state = played.state
    assert [tool["name"] for tool in state["tools"]] == ["text_search", "crop"]
    assert "crop" in state["messages"][3]["parts"][0]["text"] and not any(
        "picture" in p for p in state["messages"][3]["parts"]
    )
    (made,) = [part["picture"] for part in state["messages"][5]["parts"] if "picture" in part]
    assert played.get(f"picture/{made}")[:4] in (b"\x89PNG", b"\xff\xd8\xff\xe0")
    played.say("<think>Seen.</think>\n<answer>A tower</answer>")
    played.until(lambda: played.episode is not None)
    played.thread.join()
    assert (
        played.episode.end == "answered"
        and played.episode.answer == "A tower"
        and played.episode.model == "a person"
    )


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_form_writes_turns_in_the_protocol_and_shows_text_as_text(small, picture):
    played = Playing(small, picture, Opened(), by_hand=True)
    with Page() as page:
        page.open(played.url)
        page.wait("!document.getElementById('turn').hidden")
        page.run("""const set = (name, value) => document.querySelector(`[name=${name}]`).value = value;
            const act = document.getElementById('act'); act.value = 'crop'; act.dispatchEvent(new Event('change'));
            document.getElementById('thought').value = 'closer <img src=x onerror=alert(1)>'; set('handle', '0'); set('box', '[0, 0, 500, 500]');
            document.getElementById('turn').requestSubmit()""")
        page.wait(
            "document.querySelectorAll('.message').length === 4 && !document.getElementById('turn').hidden"
        )
        assert page.run("document.querySelectorAll('.message img').length") == 2
        page.run("""document.getElementById('act').value = ''; document.getElementById('act').dispatchEvent(new Event('change'));
            document.getElementById('thought').value = 'seen'; document.querySelector('[name=answer]').value = 'A tower';
            document.getElementById('turn').requestSubmit()""")
        page.wait("!document.getElementById('over').hidden")
        assert page.run("document.getElementById('over').textContent") == "Answer: A tower"
        assert page.messages == []
    played.thread.join()
    assert played.episode.turns[0].call.arguments == {"handle": 0, "box": [0, 0, 500, 500]}


def test_an_engines_episode_is_watched_to_its_end(small, picture):
    go = threading.Event()
    opened = Opened()

    def say(conversation) -> str:
        assert go.wait(60)
        return "<think>Seen.</think>\n<answer>A tower</answer>"

    opened.put(engine_override_key("openai"), ScriptedEngine(say))
    played = Playing(small, picture, opened, page=True)
    go.set()
    played.until(lambda: played.state["over"])
    played.thread.join()
    assert played.episode.answer == "A tower" and played.said[-1].startswith("══ answer: A tower")


def test_without_the_secret_there_is_neither_reading_nor_playing():
    hand = HandEngine()
    with ChatPage((), hand) as page:
        host = page.url.split("/")[2]
        for path in (
            "",
            "state",
            "wrong-secret/",
            "wrong-secret/state",
            page.url.split("/")[3] + "x/state",
        ):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(f"http://{host}/{path}")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(
                urllib.request.Request(f"http://{host}/wrong/turn", data=b"x", method="POST")
            )
        with pytest.raises(urllib.error.HTTPError, match="409"):
            urllib.request.urlopen(
                urllib.request.Request(page.url + "turn", data=b"x", method="POST")
            )
        with urllib.request.urlopen(page.url) as reply:
            policy = reply.headers["Content-Security-Policy"]
            assert b"<title>" in reply.read() and "default-src 'self'" in policy


def test_an_engine_that_is_watched_takes_no_turns_of_others():
    with ChatPage(()) as page, pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(urllib.request.Request(page.url + "turn", data=b"x", method="POST"))
