import email.utils
import pickle
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questloom.calls.attempts import Status
from questloom.calls.retry import RetryPolicy, fault_of_status, retry_after
from questloom.records.errors import ProviderFault


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (429, Status.RATE_LIMITED, True),
        (500, Status.SERVER_ERROR, True),
        (502, Status.SERVER_ERROR, True),
        (529, Status.SERVER_ERROR, True),
        (408, Status.SERVER_ERROR, True),
        (400, Status.NOT_ACCEPTED, False),
        (401, Status.NOT_ACCEPTED, False),
        (404, Status.NOT_ACCEPTED, False),
        (501, Status.NOT_ACCEPTED, False),
        (301, Status.NOT_ACCEPTED, False),
    ],
)
def test_a_status_says_whether_it_is_worth_trying_again(status, kind, retryable):
    fault = fault_of_status("p", status, "m", {})
    assert (fault.kind, fault.retryable) == (kind, retryable)


def test_retry_after_is_read_as_seconds_and_as_a_date():
    assert retry_after({"retry-after": "12"}) == 12
    assert retry_after({"retry-after": email.utils.formatdate(time.time() + 60)}) == pytest.approx(
        60, abs=3
    )
    assert retry_after({"retry-after": email.utils.formatdate(time.time() - 60)}) == 0


@given(st.text())
def test_no_retry_after_header_raises_or_is_negative(value):
    seconds = retry_after({"retry-after": value})
    assert seconds is None or seconds >= 0


def test_the_backoff_doubles_within_its_bounds_and_is_the_same_for_the_same_key():
    policy = RetryPolicy(first_delay=1.0, max_delay=8.0)
    delays = [policy.delay("key", attempt) for attempt in range(1, 8)]
    assert delays == [policy.delay("key", attempt) for attempt in range(1, 8)]
    assert delays != [policy.delay("other", attempt) for attempt in range(1, 8)]
    assert all(
        full / 2 <= delay <= full for delay, full in zip(delays, [1, 2, 4, 8, 8, 8, 8], strict=True)
    )


def test_the_default_policy_outlasts_an_endpoint_that_is_away_for_a_minute():
    policy = RetryPolicy()
    assert sum(policy.delay("key", attempt) for attempt in range(1, policy.max_attempts)) > 60


def test_a_fault_crosses_processes_as_a_provider_fault():
    fault = pickle.loads(pickle.dumps(fault_of_status("p", 503, "m", {"retry-after": "5"})))
    assert isinstance(fault, ProviderFault)
    assert (fault.status, fault.retry_after) == (503, 5)
