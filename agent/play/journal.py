"""The journal stores unfinished episodes on disk, turn by turn. If a run was killed, the next run
continues each episode after its last stored turn.

`journal.jsonl` begins with a line for the settings of the episodes. A line for each finished turn
and each finished episode follows. `pictures/` has the pictures that tools returned, as files named
by their sha256. A picture is written before the line that names it. If a kill left the last line
incomplete, this line is cut off. All lines that come in one pass of the asyncio event loop are
written together at the end of the pass. Written lines are safe if the process is killed, but may be
lost in a power cut.
"""

import asyncio
import fcntl
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from questloom.records.episodes import BankImage, EndReason, Turn
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json, sha256_hex

VERSION = 1


@dataclass
class Begun:
    """The stored state of one unfinished or finished episode."""

    turns: list[Turn] = field(default_factory=list)
    images: list[BankImage] = field(default_factory=list)
    """Pictures that tools returned, in order of arrival."""
    end: dict[str, Any] | None = None
    """How the episode ended, as fields of its record; None for an unfinished episode."""


class Journal:
    """The journal of one run. Only one process may use a journal at a time.

    Args:
        folder: folder of the journal; created if missing.
        settings: JSON of all settings that change the episodes (engine, model, prompt, limits).

    Raises: InputError: the journal was written with other settings, another process uses it, or a line cannot be read.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self._path, self._pictures = folder / "journal.jsonl", folder / "pictures"
        self._pictures.mkdir(parents=True, exist_ok=True)
        self._file = open(self._path, "ab+")  # noqa: SIM115 (open as long as the journal)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise InputError(
                str(folder),
                "another process is playing these episodes",
                "Wait for it, or give another folder.",
            ) from None
        self._flushes = False
        self.begun: dict[str, Begun] = {}
        try:
            self._load(
                orjson.loads(orjson.dumps(dict(settings)))
            )  # a JSON round trip, so that the settings compare equal to stored ones
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Closes the journal and releases its folder."""
        self._file.close()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def turn(
        self,
        episode_id: str,
        index: int,
        turn: Turn,
        brought: Iterable[tuple[BankImage, bytes]] = (),
    ) -> None:
        """Stores a finished turn and its pictures if the episode goes on after this turn."""
        self._append({"episode": episode_id, **self._played(index, turn, brought)})

    def end(
        self,
        episode_id: str,
        fields: Mapping[str, Any],
        index: int = -1,
        turn: Turn | None = None,
        brought: Iterable[tuple[BankImage, bytes]] = (),
    ) -> None:
        """Stores the end of an episode together with the turn that ended it, if there is such a
        turn. The turn and the end are written at once, so a kill cannot lose only one of the
        two."""
        self._append(
            {
                "episode": episode_id,
                "end": dict(fields),
                **(self._played(index, turn, brought) if turn else {}),
            }
        )

    def _played(
        self, index: int, turn: Turn, brought: Iterable[tuple[BankImage, bytes]]
    ) -> dict[str, Any]:
        images = []
        for image, data in brought:
            self._keep(image.sha256, data)
            images.append(image.to_row())
        # The same as `to_row`, but with orjson, in a twentieth of the time. Arguments are text, because their numbers
        # may have any length.
        call = (
            {"name": turn.call.name, "arguments": canonical_json(turn.call.arguments)}
            if turn.call
            else None
        )
        return {"index": index, "turn": {**vars(turn), "call": call}, "images": images}

    def picture(self, sha256: str) -> bytes:
        """The bytes of a picture from a stored turn.

        Raises:
            InputError: the file is missing or was changed.
        """
        path = self._pictures / sha256
        data = path.read_bytes() if path.exists() else b""
        if sha256_hex(data) != sha256:
            raise InputError(
                str(path),
                "the picture of a played turn is missing or was changed",
                "Restore it, or play anew in another folder.",
            )
        return data

    def _keep(self, sha256: str, data: bytes) -> None:
        path = self._pictures / sha256
        if not path.exists():
            part = path.with_suffix(".part")
            part.write_bytes(data)
            os.replace(part, path)

    def _append(self, line: dict[str, Any]) -> None:
        self._file.write(orjson.dumps(line) + b"\n")
        if not self._flushes:
            self._flushes = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._flushes = False
        if not self._file.closed:
            self._file.flush()

    def _load(self, settings: dict[str, Any]) -> None:
        self._file.seek(0)
        end_of_whole = 0
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b"\n"):
                break
            try:
                self._take(orjson.loads(line), settings, first=number == 1)
            except (ValueError, LookupError, TypeError) as error:
                if isinstance(error, InputError):
                    raise
                raise InputError(
                    f"{self._path}, line {number}",
                    f"cannot be read ({error})",
                    "Play anew in another folder.",
                ) from error
            end_of_whole += len(line)
        self._file.truncate(end_of_whole)
        self._file.seek(0, os.SEEK_END)
        if not end_of_whole:
            self._file.write(orjson.dumps({"journal": VERSION, "settings": settings}) + b"\n")
            self._file.flush()

    def _take(self, line: dict[str, Any], settings: dict[str, Any], *, first: bool) -> None:
        if first:
            old = line["settings"]
            changed = sorted(
                name for name in old.keys() | settings if old.get(name) != settings.get(name)
            )
            if changed:
                was = "; ".join(
                    f"{name} was {old.get(name)!r} and is {settings.get(name)!r}"
                    for name in changed
                )
                raise InputError(
                    str(self._path),
                    f"was written with other settings: {was}",
                    "Restore them, or give another folder.",
                )
            return
        begun = self.begun.setdefault(line["episode"], Begun())
        if "turn" in line:
            if line["index"] != len(begun.turns):
                raise ValueError(f"turn {line['index']} after {len(begun.turns)} turns")
            begun.turns.append(Turn.from_row(line["turn"]))
            begun.images += map(BankImage.from_row, line["images"])
        # A provider's fault is not the policy's doing, so such an episode is resumed after its last turn.
        if "end" in line and line["end"]["end"] != EndReason.PROVIDER:
            begun.end = line["end"]
