"""Reads the error objects that providers send.

An error object may come in the body of an HTTP error, in a reply of status 200, or in a streamed
event.
"""

import json
from collections.abc import Mapping
from typing import Any

from questloom.calls.attempts import Status
from questloom.calls.retry import CallFault, fault_of_status

REFUSAL_CODES = frozenset({"content_filter", "content_policy_violation"})
QUOTA_SPENT = "insufficient_quota"
"""The error code for a used-up quota. A used-up quota comes with status 429, but waiting does not help."""
STATUS_OF_CODE = {
    "context_length_exceeded": 400,
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
}
"""The HTTP status for each error code in words, for errors without a numeric status."""


class ContentFiltered(CallFault):
    """Raised if the provider's content filter refuses a request.

    The protocol reports a refusal by the content filter as an error; Questloom treats the refusal
    as the model's answer.
    """


def error_in(said: Any) -> Any:
    """The error object or error message in a decoded body; None if the body contains no error."""
    if isinstance(said, list) and len(said) == 1:
        said = said[0]
    if not isinstance(said, dict):
        return None
    error = said.get("error")
    if isinstance(error, dict) and not any(
        error.values()
    ):  # some gateways send an empty error object with every reply
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
    """Turns an error object into a fault. Because no reply came, nothing is charged for the failed
    call.

    Args:
        error: the error object, or its message alone.
        status: status of an HTTP error response. If `status` is 0, the status inside the error
            object is used. If the error has no status at all, the call can be retried.
        headers: headers of the response.
        begun: whether the error cut off a reply that had begun; the call can then always be
            retried.
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
    """Returns the shortened message and the codes of an error object."""
    if not isinstance(error, dict):
        return str(error).strip()[:300] or "no message", frozenset()
    message = str(
        error.get("message") or error.get("msg") or error.get("detail") or json.dumps(error)
    )
    return message[:300], frozenset(
        str(error[name]) for name in ("code", "type", "status") if error.get(name) is not None
    )


def _told_status(codes: frozenset[str]) -> int:
    """The HTTP status that the codes state, in digits or in words; 0 if they state none."""
    numbers = [
        int(code) for code in codes if code.isascii() and code.isdecimal() and len(code) == 3
    ]
    return max([0, *(n for n in numbers if 400 <= n < 600)]) or max(
        [0, *(STATUS_OF_CODE.get(code, 0) for code in codes)]
    )
