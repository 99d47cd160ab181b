"""What a failed attempt was, and when it is tried again."""

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
"""The server does not know the method, or the protocol: it will not later either."""


class CallFault(ProviderFault):
    """An attempt that brought no reply, as a sender raises it; pickles as `ProviderFault`.

    Args:
        kind: the status that the ledger keeps for the attempt.
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
    """The fault that an HTTP status other than 2xx stands for.

    Args:
        message: what the body says, shortened and without secrets.
        headers: of the response; names in lower case, or a case-insensitive mapping.
    """
    if status in RETRYABLE_STATUS or (status >= 500 and status not in LASTING_STATUS):
        kind = Status.RATE_LIMITED if status == 429 else Status.SERVER_ERROR
        return CallFault(provider, message, kind, status=status, retry_after=retry_after(headers))
    return CallFault(provider, message, Status.NOT_ACCEPTED, status=status, retryable=False)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that `Retry-After` (seconds or an HTTP date, RFC 9110 10.2.3) asks to wait; None without one."""
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
    """Exponential backoff with jitter. The defaults outlast an endpoint that is away for a minute."""

    max_attempts: int = 9
    first_delay: float = 0.5
    max_delay: float = 30.0
    max_retry_after: float = 600.0
    """A provider that asks for a longer pause than this many seconds leaves the item pending."""
    max_unreachable: int = 9
    """Attempts at an address that nothing answers at: a person who misspelt it should hear so soon."""

    def delay(self, key: str, attempt: int) -> float:
        """Seconds to wait after the attempt (the first is 1): half to all of the doubling delay, drawn by the key."""
        full = min(self.max_delay, self.first_delay * 2 ** (attempt - 1))
        return full * (0.5 + 0.5 * chance(0, key, f"retry {attempt}").random())

    def gives_up(self, fault: ProviderFault, attempt: int) -> bool:
        """Whether the call ends with this fault."""
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
