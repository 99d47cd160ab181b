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
"""The server does not support the method or the protocol, and a retry will not change that."""


class CallFault(ProviderFault):
    """The error that a sender raises when an attempt brought no reply; it pickles as `ProviderFault`.

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
    """The fault for an HTTP status other than 2xx.

    Args:
        message: the text of the body, shortened and without secrets.
        headers: the response's headers, with names in lower case or as a case-insensitive mapping.
    """
    if status in RETRYABLE_STATUS or (status >= 500 and status not in LASTING_STATUS):
        kind = Status.RATE_LIMITED if status == 429 else Status.SERVER_ERROR
        return CallFault(provider, message, kind, status=status, retry_after=retry_after(headers))
    return CallFault(provider, message, Status.NOT_ACCEPTED, status=status, retryable=False)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The pause in seconds that `Retry-After` (seconds or an HTTP date, RFC 9110 10.2.3) asks for;
    None without the header."""
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
    """Exponential backoff with jitter. The defaults are enough for an endpoint that is down for a minute."""

    max_attempts: int = 9
    first_delay: float = 0.5
    max_delay: float = 30.0
    max_retry_after: float = 600.0
    """The longest pause in seconds that a provider may ask for. After a request for a longer pause
    the item stays pending."""
    max_unreachable: int = 9
    """Attempts at an address where nothing answers. The number is low, so that a misspelt address is reported soon."""

    def delay(self, key: str, attempt: int) -> float:
        """Seconds to wait after the attempt (the first is 1): half to all of the doubling delay;
        the key decides the fraction."""
        full = min(self.max_delay, self.first_delay * 2 ** (attempt - 1))
        return full * (0.5 + 0.5 * chance(0, key, f"retry {attempt}").random())

    def gives_up(self, fault: ProviderFault, attempt: int) -> bool:
        """Whether this fault ends the call."""
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
