"""The few calls that a job makes to the REST interface of a Flink cluster (Flink docs: "REST
API")."""

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

SECONDS = 5.0
ENDED = ("FINISHED", "CANCELED", "FAILED")


class Unreachable(Exception):
    """The job manager does not answer, or something other than Flink answers."""


@dataclass(frozen=True)
class Overview:
    """The cluster's version and its numbers of task managers and slots."""

    version: str
    task_managers: int
    slots: int
    free: int


@dataclass(frozen=True)
class FlinkRest:
    """The REST interface of a job manager.

    Args:
        master: the address of the job manager, as HOST:PORT or a URL.
    """

    master: str

    @property
    def url(self) -> str:
        return (self.master if "://" in self.master else f"http://{self.master}").rstrip("/")

    def overview(self) -> Overview:
        """The cluster's Flink version and its numbers of task managers and slots. Raises
        `Unreachable`."""
        found = self._get("/overview")
        try:
            return Overview(
                found["flink-version"],
                found["taskmanagers"],
                found["slots-total"],
                found["slots-available"],
            )
        except (KeyError, TypeError) as error:
            raise Unreachable(f"{self.url} answers, but not as Flink does") from error

    def running(self) -> list[str]:
        """The names of the jobs that have not ended."""
        return [
            job["name"] for job in self._get("/jobs/overview")["jobs"] if job["state"] not in ENDED
        ]

    def find(self, name: str) -> tuple[str, str] | None:
        """The pair (id, state) of the newest job with this name; None if there is no such job."""
        jobs = [job for job in self._get("/jobs/overview")["jobs"] if job["name"] == name]
        newest = max(jobs, key=lambda job: job["start-time"], default=None)
        return (newest["jid"], newest["state"]) if newest else None

    def fault(self, job_id: str) -> str:
        """The newest exception of a job with its causes, one per line; "" if there is no
        exception."""
        entries = (
            self._get(f"/jobs/{job_id}/exceptions?maxExceptions=1")
            .get("exceptionHistory", {})
            .get("entries", [])
        )
        return causes(entries[0]["stacktrace"]) if entries else ""

    def cancel(self, job_id: str) -> None:
        self._request("PATCH", f"/jobs/{job_id}?mode=cancel")

    def _get(self, path: str) -> Any:
        return self._request("GET", path)

    def _request(self, method: str, path: str) -> Any:
        request = urllib.request.Request(self.url + path, method=method)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            raise Unreachable(f"{self.url} answers with status {error.code}") from error
        except (OSError, ValueError) as error:
            raise Unreachable(
                f"{self.url} cannot be reached ({getattr(error, 'reason', error)})"
            ) from error


def causes(trace: str) -> str:
    """The messages of a Java stack trace, the outermost first. Lines about stack frames and
    repeated messages are left out."""
    said: list[str] = []
    for line in trace.splitlines():
        if line.startswith(("\tat ", "\t...", "   ", "\tSuppressed")) or not line.strip():
            continue
        text = line.strip().removeprefix("Caused by: ")
        if not any(text in before or before in text for before in said):
            said.append(text)
    return "\n".join(said)
