"""The files that are stored with episodes: the pictures that were shown, the prompt for the policy
(the model that plays), and the journals of unfinished episodes.

```
FOLDER/prompt.json   the tools' schemas and limits in the policy's prompt
       pictures/     every picture that an episode showed, by its sha256
       journal/      unfinished episodes; removed when they are done
```
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from questloom.agent.turns.image_bank import UnknownHandle
from questloom.agent.turns.renderer import Renderer
from questloom.files.locations import Location, location
from questloom.files.parquet import write_whole
from questloom.records.episodes import BankImage
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json, sha256_hex

FIX = "Play the episodes again into a new folder."


@dataclass(frozen=True)
class EpisodeFiles:
    """A folder with episodes, given by its path or its address in a bucket."""

    path: str

    def at(self, *parts: str) -> Location:
        """The location of a file or folder inside the folder of episodes."""
        return location(self.path, *parts)

    def picture(self, sha256: str) -> Location:
        """The location of a picture's file. The file name has no suffix; the file's bytes show
        whether it is PNG or JPEG."""
        return self.at("pictures", sha256)

    def keep_picture(self, sha256: str, data: bytes) -> None:
        """Stores a picture if it is not stored yet."""
        path = self.picture(sha256)
        if not path.exists():
            write_whole(path, data)

    def read_picture(self, sha256: str) -> bytes:
        """Reads a picture from the folder of episodes.

        Raises:
            InputError: the picture is missing or damaged.
        """
        path = self.picture(sha256)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(
                str(path), f"cannot be read ({error.strerror or error})", FIX
            ) from error
        if sha256_hex(data) != sha256:
            raise InputError(str(path), "is not the picture that its name says", FIX)
        return data

    # The policy's prompt

    def write_prompt(
        self,
        schemas: Sequence[Mapping[str, Any]],
        *,
        max_calls: int,
        handles: bool,
        brief: bool = False,
        special_tokens: Sequence[str] = (),
    ) -> None:
        """Stores the tool schemas and limits that the model's prompt states, once per folder. All
        processes that write into one folder must use the same schemas and limits.

        Raises: InputError: an earlier process used other schemas or limits.
        """
        path = self.at("prompt.json")
        told = {
            "schemas": list(schemas),
            "max_calls": max_calls,
            "handles": handles,
            "special_tokens": list(special_tokens),
        }
        text = canonical_json(told | ({"brief": True} if brief else {})) + "\n"
        if path.is_file() and path.read_text(encoding="utf-8") != text:
            raise InputError(
                str(path),
                "names other tools or limits than this process has",
                "Install the same version of Questloom on all machines.",
            )
        write_whole(path, text.encode())

    def has_prompt(self) -> bool:
        """Whether the folder already has an episode."""
        return self.at("prompt.json").is_file()

    @cached_property
    def prompt(self) -> dict[str, Any]:
        """Reads the file that `write_prompt` wrote."""
        return json.loads(self.at("prompt.json").read_text(encoding="utf-8"))

    def renderer(self) -> Renderer:
        """Makes a renderer that writes the episodes in this folder as chat messages."""
        prompt = self.prompt
        return Renderer(
            prompt["schemas"],
            max_calls=prompt["max_calls"],
            handles=prompt["handles"],
            brief=prompt.get("brief", False),
            special_tokens=prompt["special_tokens"],
        )

    def bank(self, images: Sequence[BankImage]) -> "StoredBank":
        """An episode's pictures, in the form that the renderer of messages reads."""
        return StoredBank(self, images)

    # Journals

    def journal(self, settings: Mapping[str, Any], task_id: str) -> Path:
        """Opens the journal of a task. The journal is only for episodes with the given settings.

        Raises: InputError: the journal's folder belongs to another user.
        """
        return self._journals() / sha256_hex(canonical_json(dict(settings)))[:16] / task_id

    def drop_journals(self, task_ids: Iterable[str]) -> None:
        """Removes the journals of tasks whose episodes are all finished."""
        root = self._journals()
        if not root.is_dir():
            return
        done = set(task_ids)
        for folder in root.glob("*/*"):
            if folder.name in done:
                shutil.rmtree(folder)
        for folder in (*root.glob("*"), root):
            if not any(folder.iterdir()):
                folder.rmdir()

    def _journals(self) -> Path:
        """The folder that holds the journals. If the episodes are in a bucket, the journals are in
        a folder on this machine. No other user can read or create this folder. If this folder is
        lost, the episodes start again, and the call cache answers the calls that were already
        made."""
        root = self.at("journal")
        if isinstance(root, Path):
            return root
        own = Path(tempfile.gettempdir(), f"questloom-journals-{os.getuid()}")
        own.mkdir(mode=0o700, exist_ok=True)
        if own.is_symlink() or own.stat().st_uid != os.getuid() or own.stat().st_mode & 0o077:
            raise InputError(
                str(own),
                "is not a private folder of this user",
                "Remove it, or set TMPDIR to a folder of your own.",
            )
        return own / sha256_hex(str(root))[:16]


class StoredBank:
    """The pictures of a stored episode, in the form that the renderer of messages reads."""

    def __init__(self, files: EpisodeFiles, images: Sequence[BankImage]) -> None:
        self.images = tuple(images)
        self._files = files

    def get(self, handle: int) -> BankImage:
        """The entry of the image bank for a handle (number) of a picture."""
        if not 0 <= handle < len(self.images):
            raise UnknownHandle(f"there is no <image:{handle}>")
        return self.images[handle]

    def data(self, handle: int) -> bytes:
        """The bytes of the picture's file."""
        return self._files.read_picture(self.get(handle).sha256)
