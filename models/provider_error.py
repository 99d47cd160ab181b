"""What a provider's error object means, wherever it stands: in the body of an HTTP error, in a reply of status 200, in an event of a stream."""

import json
from collections.abc import Mapping
from typing import Any

from questloom.calls.attempts import Status
from questloom.calls.retry import CallFault, fault_of_status

REFUSAL_CODES = frozenset({"content_filter", "content_policy_violation"})
QUOTA_SPENT = "insufficient_quota"
"""Sent with status 429, but waiting does not help."""
STATUS_OF_CODE = {
    "context_length_exceeded": 400,
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
}
"""What codes in words mean where no number is given."""


class ContentFiltered(CallFault):
    """The provider's content filter refused the request: an error in the protocol, an answer to us."""


def error_in(said: Any) -> Any:
    """The error object, or message, of a decoded body; None where there is none."""
    if isinstance(said, list) and len(said) == 1:
        said = said[0]
    if not isinstance(said, dict):
        return None
    error = said.get("error")
    if isinstance(error, dict) and not any(
        error.values()
    ):  # some gateways send the object with every reply, empty
        error = None
    return error or (said if "error" in (said.get("object"), said.get("type")) else None)


def fault_of_error(
    provider: str,
    error: Any,
    *,
    status: int = 0,
    headers: Mapping[str, str] | None = None,
    begun: bool = False,
) -> CallFault:
    """The fault that an error object stands for. No reply came, so that nothing is charged.

    Args:
        error: an object, or a message.
        status: the response's, where it is an error's. Else the one that the object tells counts, and a fault without any passes.
        headers: of the response.
        begun: whether the error broke off a reply that had begun: then it passes, whatever it is.
    """
    message, codes = _words_of(error)
    if codes & REFUSAL_CODES:
        return ContentFiltered(
            provider, message, Status.NOT_ACCEPTED, status=status, retryable=False
        )
    status = 402 if QUOTA_SPENT in codes else status or _told_status(codes)
    fault = fault_of_status(provider, status, message, headers or {}) if status else None
    return (
        fault
        if fault is not None and (fault.retryable or not begun)
        else CallFault(provider, message, Status.SERVER_ERROR, status=status)
    )


def _words_of(error: Any) -> tuple[str, frozenset[str]]:
    """The message, shortened, and the codes."""
    if not isinstance(error, dict):
        return str(error).strip()[:300] or "no message", frozenset()
    message = str(
        error.get("message") or error.get("msg") or error.get("detail") or json.dumps(error)
    )
    return message[:300], frozenset(
        str(error[name]) for name in ("code", "type", "status") if error.get(name) is not None
    )


def _told_status(codes: frozenset[str]) -> int:
    """The HTTP status that the codes name, as a number, in digits or in words; 0 for none."""
    numbers = [
        int(code) for code in codes if code.isascii() and code.isdecimal() and len(code) == 3
    ]
    return max([0, *(n for n in numbers if 400 <= n < 600)]) or max(
        [0, *(STATUS_OF_CODE.get(code, 0) for code in codes)]
    )
