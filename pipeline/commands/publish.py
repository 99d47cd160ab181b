"""`questloom publish`: copies a run's data set or a trained model to a folder, or uploads it to the Hugging Face Hub.

The token comes only from HF_TOKEN, never from an option or a file.
"""

import os
import re
import shutil
import tempfile
from pathlib import Path

from questloom.files.locations import Location, check_locations, local_copy, location, whole_folder
from questloom.pipeline.evaluate.score_files import all_scores
from questloom.pipeline.export import drop as drop_pictures
from questloom.pipeline.export import read_names
from questloom.pipeline.export.model_card import write_model_folder
from questloom.pipeline.export.purge import HASHES
from questloom.records.errors import InputError, ProviderFault
from questloom.transforms.stages.run_folder import RunFolder

HUB, TOKEN = "hf://", "HF_TOKEN"
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def publish(
    run: str | Location, to: str, *, drop: Location | None = None, private: bool = False
) -> str:
    """Copies or uploads `RUN/dataset`, after removing pictures if `drop` names some. Returns the text for the user.

    A data set that exists at the target is replaced as a whole. On the Hub, the repository's
    history is squashed after pictures were dropped, because older revisions would still show them.

    Args:
        run: the run's folder.
        to: a folder, local or in a bucket, or "hf://ORG/NAME".
        drop: a file that names pictures; see `questloom.pipeline.export.read_names`.
        private: if the command creates the repository on the Hub, only its owners can see it.

    Raises:
        InputError: there is no data set or no token, the target's folder holds something else, the
            target's form is unknown, or the Hub cannot be reached.
        ProviderFault: the Hub refuses the upload, or the connection breaks.
    """
    said = []
    run = location(run)
    repository = _repository(to) if to.startswith(HUB) else ""
    token = _token() if repository else ""
    check_locations(
        reads=[run], writes=[*([] if repository else [to]), *([] if drop is None else [run])]
    )
    if not repository:
        _check_folder(location(to), run)
    if drop is not None:
        made = drop_pictures(RunFolder(str(run)), read_names(drop))
        said.append(
            f"{made.num_pictures:,} pictures and {made.num_questions:,} questions on them were taken out of {run}. "
            f"{'/'.join(HASHES)} there keeps them out of later runs (filters.exclude_pictures)."
        )
        if made.not_found:
            said.append(
                f"Not in this run: {', '.join(made.not_found[:10])}{' …' if len(made.not_found) > 10 else ''}."
            )
    dataset = run / "dataset"
    if not (dataset / "README.md").is_file():
        raise InputError(str(dataset), "is no data set", "Run `questloom synth` until it ends.")
    if repository:
        said.append(
            _upload(
                local_copy(dataset),
                repository,
                token,
                kind="dataset",
                squash=drop is not None,
                private=private,
            )
        )
    else:
        said.append(_copy(local_copy(dataset), location(to)))
    return "\n".join(said)


def publish_model(out: str | Path, to: str, *, scores: str = "", private: bool = False) -> str:
    """Copies or uploads the model of a training with its card. Returns the text for the user.

    Args:
        out: the --out folder of `questloom train`.
        to, private: see `publish`.
        scores: a folder of `questloom evaluate` whose tables the card shows; "" for none.

    Raises:
        InputError: the training is not finished, or there are no scores; also raises what `publish`
            raises.
        ProviderFault: the Hub refuses the upload, or the connection breaks.
    """
    repository = _repository(to) if to.startswith(HUB) else ""
    token = _token() if repository else ""
    if not repository:
        target = location(to)
        check_locations(reads=[], writes=[to])
        if target.exists() and (
            not target.is_dir() or (any(target.iterdir()) and not (target / "training").is_dir())
        ):
            raise InputError(
                f"--to {target}",
                "holds something that is no model of ours",
                "Name a new or an empty folder.",
            )
    found = all_scores(scores) if scores else []
    if scores and not found:
        raise InputError(
            f"--scores {scores}", "holds no scores", "Name the --out of `questloom evaluate`."
        )
    with tempfile.TemporaryDirectory() as part:
        folder = Path(part, "model")
        write_model_folder(Path(out), folder, scores=found)
        return (
            _upload(folder, repository, token, kind="model", squash=False, private=private)
            if repository
            else _copy(folder, location(to))
        )


def _check_folder(target: Location, run: Location) -> None:
    if target.resolve() == (run / "dataset").resolve():
        raise InputError(f"--to {target}", "is the run's own data set", "Name another folder.")
    if target.exists() and (
        not target.is_dir()
        or (any(target.iterdir()) and not (target / "attribution.parquet").is_file())
    ):
        raise InputError(
            f"--to {target}",
            "holds something that is no data set of ours",
            "Name a new or an empty folder.",
        )


def _copy(dataset: Path, target: Location) -> str:
    """Copies atomically: the target is complete, or unchanged."""
    with whole_folder(target, last="README.md") as part:
        shutil.copytree(dataset, part, dirs_exist_ok=True)
    return f"Copied to {target}."


def _repository(to: str) -> str:
    name = to.removeprefix(HUB)
    if not _REPOSITORY.fullmatch(name):
        raise InputError(
            f"--to {to}",
            "is not of the form hf://ORG/NAME",
            "For example hf://my-lab/questloom-demo.",
        )
    return name


def _token() -> str:
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        raise InputError(
            f"environment variable {TOKEN}",
            "is not set",
            f"Set it to a token that may write (export {TOKEN}=…).",
        )
    return token


def _upload(
    folder: Path, repository: str, token: str, *, kind: str, squash: bool, private: bool
) -> str:
    """Uploads a folder. Large files that the Hub already has are not sent again, so an interrupted upload continues."""
    from huggingface_hub import HfApi  # loads slowly, so it is imported only for an upload
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HTTPError,
    )  # the second error comes from a dependency for sending, which has changed between versions

    hub = HfApi(token=token)
    try:
        hub.create_repo(repository, repo_type=kind, exist_ok=True, private=private or None)
        # files of an earlier upload that are not in this folder must be deleted
        hub.upload_folder(
            repo_id=repository,
            repo_type=kind,
            folder_path=folder,
            delete_patterns="*",
            commit_message="Data set of a Questloom run"
            if kind == "dataset"
            else "Model of a Questloom training",
        )
        if squash:
            hub.super_squash_history(repo_id=repository, repo_type=kind)
    except (HfHubHTTPError, OSError) as error:
        status = getattr(getattr(error, "response", None), "status_code", 0) or 0
        raise ProviderFault(
            "Hugging Face Hub", str(error).splitlines()[0][:300], status=status
        ) from error
    except HTTPError as error:
        raise InputError(
            f"--to {HUB}{repository}",
            f"the Hub at {hub.endpoint} cannot be reached ({error})",
            "Look at the network, or at HF_ENDPOINT where it is set; the same command continues from here.",
        ) from error
    note = (
        " Its history was squashed; large files that no revision names are removed in the repository's settings."
        if squash
        else ""
    )
    return f"Uploaded to {HUB}{repository}.{note}"
