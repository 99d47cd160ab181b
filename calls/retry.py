"""Classifies a failed attempt and decides when to try again."""

import email.utils
import time
from collections.abc import Mapping
from dataclasses import dataclass

from questloom.calls.attempts import Status
from questloom.records.errors import ProviderFault
from questloom.records.identity import chance

WRONG_CREDENTIALS = (401, 402)
RETRYABLE_STATUS = (408, 409, 425, 429)
LASTING_STATUS = (501, 505)
"""HTTP statuses which say that the server does not support the method or the protocol, so that a
retry is useless.
"""


class CallFault(ProviderFault):
    """The error that a sender raises when an attempt brings no reply. A pickled `CallFault` becomes
    a `ProviderFault`.

    Args:
        kind: the status that the ledger stores for the attempt.
    """

    def __init__(
        self,
        provider: str,
        message: str,
        kind: Status,
        *,
        status: int = 0,
        retryable: bool = True,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(
            provider, message, status=status, retryable=retryable, retry_after=retry_after
        )
        self.kind = kind


def fault_of_status(
    provider: str, status: int, message: str, headers: Mapping[str, str]
) -> CallFault:
    """Makes the fault for any HTTP status except 2xx.

    Args:
        message: the text of the body, shortened and without secrets.
        headers: the headers of the response; the names are in lower case, or the mapping ignores
            case.
    """
    if status in RETRYABLE_STATUS or (status >= 500 and status not in LASTING_STATUS):
        kind = Status.RATE_LIMITED if status == 429 else Status.SERVER_ERROR
        return CallFault(provider, message, kind, status=status, retry_after=retry_after(headers))
    return CallFault(provider, message, Status.NOT_ACCEPTED, status=status, retryable=False)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns the pause in seconds that the header `Retry-After` asks for. The header holds seconds
    or an HTTP date (RFC 9110 10.2.3). Returns None if there is no such header.
    """
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Retries with exponential backoff and jitter. With the default values, a call survives an
    endpoint that is down for a minute.
    """

    max_attempts: int = 9
    first_delay: float = 0.5
    max_delay: float = 30.0
    max_retry_after: float = 600.0
    """The longest pause in seconds that a provider may ask for. If the provider asks for a longer
    pause, the task that made the call stays unfinished.
    """
    max_unreachable: int = 9
    """Maximum number of attempts if no server answers at the address. Because the maximum is low, a
    user soon notices a misspelt address.
    """

    def delay(self, key: str, attempt: int) -> float:
        """Returns the seconds to wait after a failed attempt. Attempts are numbered from 1. The
        delay doubles with each attempt. A call waits between half the delay and the whole delay,
        depending on the request's key.
        """
        full = min(self.max_delay, self.first_delay * 2 ** (attempt - 1))
        return full * (0.5 + 0.5 * chance(0, key, f"retry {attempt}").random())

    def gives_up(self, fault: ProviderFault, attempt: int) -> bool:
        """Whether the call ends with this fault, without further attempts."""
        unreachable = (
            isinstance(fault, CallFault)
            and fault.kind is Status.UNREACHABLE
            and attempt >= self.max_unreachable
        )
        return (
            not fault.retryable
            or unreachable
            or attempt >= self.max_attempts
            or (fault.retry_after or 0.0) > self.max_retry_after
        )
