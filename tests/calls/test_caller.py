"""The caller over a real cache, in a file and in Redis; senders are coroutines that count what is sent."""

import asyncio

import pytest

from questloom.calls.attempts import CostLine, Status
from questloom.calls.budget import Budget, Spend
from questloom.calls.cache import CallCache
from questloom.calls.caller import Caller
from questloom.calls.ledger import cost_lines
from questloom.calls.pacing import Pace
from questloom.calls.request import FREE, CallRequest, Price, Reply
from questloom.calls.retry import CallFault, RetryPolicy
from questloom.records.errors import BudgetExceeded, InputError, ProviderFault

QUICK = RetryPolicy(max_attempts=4, first_delay=0.001, max_delay=0.002)


class Provider:
    """Counts what reaches it; `script` holds what the next sends raise."""

    def __init__(self, *script: BaseException, seconds: float = 0.0, tokens: int = 10) -> None:
        self.script, self.seconds, self.tokens = list(script), seconds, tokens
        self.sent: list[str] = []

    async def send(self, key: str) -> Reply:
        self.sent.append(key)
        await asyncio.sleep(self.seconds)
        if self.script:
            raise self.script.pop(0)
        return Reply(
            body=b"reply to " + key.encode(), tokens_in=self.tokens, tokens_out=self.tokens
        )


def request(content: object = "question", **changes) -> CallRequest:
    return CallRequest(
        **{
            "provider": "provider",
            "model": "model",
            "content": content,
            "stage": "stage",
            "price": FREE,
        }
        | changes
    )


def fault(kind: Status, status: int, **changes) -> CallFault:
    return CallFault("provider", "a fault", kind, status=status, **changes)


@pytest.fixture
def cache(backend):
    return backend.open()


def total(backend) -> CostLine:
    return cost_lines(backend.place, by=())[0]


def run(cache: CallCache, provider: Provider, asked: CallRequest, **settings) -> Reply:
    return asyncio.run(Caller(cache, retry=QUICK, **settings).call(asked, provider.send))


def test_a_reply_is_sent_once_and_then_comes_from_the_cache_without_a_ledger_row(cache, backend):
    provider = Provider()
    first = run(cache, provider, request())
    second = run(cache, provider, request(stage="another", item_id="another"))
    assert (first.body, first.cached, second.body, second.cached) == (
        first.body,
        False,
        first.body,
        True,
    )
    assert len(provider.sent) == 1
    assert total(backend).num_calls == 1


@pytest.mark.parametrize(
    "change", [{"provider": "b"}, {"model": "b"}, {"content": "b"}, {"sample": 1}]
)
def test_everything_that_can_change_a_reply_changes_the_key(change):
    assert request(**change).key() != request().key()


def test_stage_item_price_and_timeout_are_not_in_the_key():
    other = request(
        stage="b", item_id="b", seed_id="b", price=None, timeout=1.0, tokens_in=5, tokens_out=5
    )
    assert other.key() == request().key()


def test_equal_requests_in_flight_are_sent_once(cache):
    provider = Provider(seconds=0.02)

    async def ask():
        caller = Caller(cache)
        return await asyncio.gather(*(caller.call(request(), provider.send) for _ in range(20)))

    assert len({reply.body for reply in asyncio.run(ask())}) == len(provider.sent) == 1


def test_equal_requests_of_two_caches_on_one_place_are_sent_once(cache, backend):
    provider = Provider(seconds=0.05)
    other = backend.open()

    async def ask():
        return await asyncio.gather(
            *(Caller(c).call(request(), provider.send) for c in (cache, other))
        )

    one, two = asyncio.run(ask())
    assert one.body == two.body
    assert len(provider.sent) == 1


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (Status.RATE_LIMITED, 429),
        (Status.SERVER_ERROR, 500),
        (Status.CUT, 0),
        (Status.UNREACHABLE, 0),
        (Status.BAD_RESPONSE, 200),
        (Status.TIMEOUT, 0),
    ],
)
def test_a_passing_fault_is_tried_again_with_the_same_idempotency_key(cache, backend, kind, status):
    provider = Provider(fault(kind, status), fault(kind, status))
    run(cache, provider, request())
    assert len(provider.sent) == 3
    assert set(provider.sent) == {request().key()}
    assert total(backend).num_faults == 2


def test_a_lasting_fault_ends_as_provider_fault_and_is_never_cached(cache):
    provider = Provider(*[fault(Status.SERVER_ERROR, 503)] * 4)
    with pytest.raises(ProviderFault):
        run(cache, provider, request())
    assert len(provider.sent) == QUICK.max_attempts
    assert run(cache, provider, request()).cached is False


def test_a_request_that_is_not_accepted_is_sent_once_only(cache):
    provider = Provider(fault(Status.NOT_ACCEPTED, 400, retryable=False))
    with pytest.raises(ProviderFault):
        run(cache, provider, request())
    assert len(provider.sent) == 1


@pytest.mark.parametrize("reached", [False, True])
def test_where_nothing_ever_answered_the_calls_behind_the_first_need_not_find_out_one_by_one(
    cache, reached
):
    provider = Provider()

    async def ask():
        caller = Caller(cache, retry=QUICK)
        if reached:
            await caller.call(request("before the outage"), provider.send)
        provider.script = [fault(Status.UNREACHABLE, 0)] * (2 * QUICK.max_attempts)
        provider.sent.clear()
        for number in range(2):
            with pytest.raises(ProviderFault):
                await caller.call(request(number), provider.send)

    asyncio.run(ask())
    assert len(provider.sent) == QUICK.max_attempts * (2 if reached else 1)


@pytest.mark.parametrize(
    "shutting",
    [
        fault(Status.NOT_ACCEPTED, 401, retryable=False),
        fault(Status.RATE_LIMITED, 429, retry_after=86_400.0),
    ],
)
def test_refused_credentials_and_bans_stop_all_further_sending_to_the_pair(cache, shutting):
    provider = Provider(shutting)

    async def ask():
        caller = Caller(cache, retry=QUICK)
        for i in range(3):
            with pytest.raises(ProviderFault):
                await caller.call(request(i), provider.send)
        await caller.call(request(model="another"), provider.send)

    asyncio.run(ask())
    assert len(provider.sent) == 2


def test_retry_after_stops_the_whole_pair_but_no_other(cache, backend):
    provider = Provider(fault(Status.RATE_LIMITED, 429, retry_after=1.0))

    async def ask():
        loop, caller = asyncio.get_running_loop(), Caller(cache, retry=QUICK)
        began = loop.time()

        async def timed(asked: CallRequest) -> float:
            await caller.call(asked, provider.send)
            return loop.time() - began

        first = asyncio.create_task(timed(request(0)))
        while not sum(
            line.num_faults for line in cost_lines(backend.place, by=())
        ):  # a slow server takes its time to write the fault down
            await asyncio.sleep(0.01)
        return await asyncio.gather(first, timed(request(1)), timed(request(2, model="another")))

    first, second, another = asyncio.run(ask())
    assert first >= 1.0 and second >= 1.0 > another


def test_a_reply_that_takes_longer_than_the_timeout_is_a_fault(cache):
    provider = Provider(seconds=5)
    with pytest.raises(ProviderFault, match="no reply within"):
        asyncio.run(
            Caller(cache, retry=RetryPolicy(max_attempts=1)).call(
                request(timeout=0.01), provider.send
            )
        )


def test_a_caller_that_is_cancelled_leaves_the_paid_call_running(cache):
    provider = Provider(seconds=0.4)

    async def ask():
        caller = Caller(cache)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(caller.call(request(), provider.send), 0.2)
        async with asyncio.timeout(5):
            while await cache.lookup(request().key()) is None:
                await asyncio.sleep(0.01)
        return await caller.call(request(), provider.send)

    assert asyncio.run(ask()).cached
    assert len(provider.sent) == 1


def test_calls_in_flight_when_their_event_loop_ends_are_counted_as_lost(cache, backend):
    provider = Provider(seconds=60)

    async def leave_at_once():
        caller = Caller(cache)
        self_running = asyncio.ensure_future(caller.call(request(), provider.send))
        while not provider.sent:
            await asyncio.sleep(0.01)
        self_running.cancel()

    asyncio.run(leave_at_once())
    assert total(backend).num_lost == 1
    assert run(cache, Provider(), request()).body.startswith(b"reply")


def test_one_caller_serves_event_loops_one_after_the_other(cache):
    caller, provider = (
        Caller(cache, paces={"provider": Pace(max_in_flight=2)}),
        Provider(seconds=0.001),
    )

    async def bundle(number: int) -> None:
        await asyncio.gather(*(caller.call(request([number, i]), provider.send) for i in range(10)))

    for number in range(3):
        asyncio.run(bundle(number))
    assert len(provider.sent) == 30


def test_a_pace_is_set_before_the_first_call_or_to_what_it_is(cache):
    caller = Caller(cache, retry=QUICK)
    caller.set_pace("provider", Pace(3, None))
    asyncio.run(caller.call(request(), Provider().send))
    caller.set_pace("provider", Pace(3, None))
    with pytest.raises(AssertionError, match="provider"):
        caller.set_pace("provider", Pace(4, None))


def test_an_exception_of_a_sender_passes_and_its_attempt_does_not_stay_in_flight(cache, backend):
    with pytest.raises(KeyError):
        run(cache, Provider(KeyError("ours")), request())
    assert total(backend).num_lost == 1


# budget


def sent_under(cache: CallCache, budget: Budget, num: int, provider: Provider, **changes) -> int:
    """Asks `num` different questions at once; how many were stopped by the budget."""

    async def ask() -> int:
        caller = Caller(cache, budget=budget)
        results = await asyncio.gather(
            *(caller.call(request(i, **changes), provider.send) for i in range(num)),
            return_exceptions=True,
        )
        assert all(isinstance(result, Reply | BudgetExceeded) for result in results), results
        return sum(isinstance(result, BudgetExceeded) for result in results)

    return asyncio.run(ask())


@pytest.mark.parametrize("budget", [Budget(calls=10), Budget(tokens=200), Budget(money=200e-6)])
def test_calls_in_flight_together_cannot_pass_the_budget(cache, budget):
    provider = Provider(seconds=0.01)
    stopped = sent_under(
        cache, budget, 50, provider, tokens_in=10, tokens_out=10, price=Price(1.0, 1.0)
    )
    assert (len(provider.sent), stopped) == (10, 40)
    assert cache.spent().calls == 10


def test_what_was_reserved_and_not_used_serves_the_calls_that_wait(cache):
    provider = Provider(seconds=0.001, tokens=1)
    assert sent_under(cache, Budget(tokens=100), 20, provider, tokens_in=1, tokens_out=60) == 0
    assert cache.spent().tokens == 40


def test_the_budget_counts_what_earlier_runs_of_the_folder_spent(cache, backend):
    sent_under(cache, Budget(), 10, Provider())
    later = backend.open()
    with pytest.raises(BudgetExceeded):
        run(later, Provider(), request("new"), budget=Budget(calls=10))
    assert run(later, Provider(), request(0), budget=Budget(calls=10)).cached


def test_attempts_that_no_provider_charges_give_their_reservation_back(cache):
    provider = Provider(*[fault(Status.RATE_LIMITED, 429)] * 3)
    run(cache, provider, request(tokens_in=10, tokens_out=500), budget=Budget(calls=1, tokens=600))
    assert cache.spent() == Spend(0.0, 20, 1)


def test_a_timeout_keeps_its_reservation_since_the_reply_may_have_been_charged(cache, backend):
    run(cache, Provider(fault(Status.TIMEOUT, 0)), request(tokens_in=10, tokens_out=500))
    line = total(backend)
    assert (line.num_calls, line.tokens_out, line.num_estimated) == (2, 510, 1)


def test_a_budget_in_money_refuses_an_unknown_price_before_anything_is_sent(cache):
    provider = Provider()
    with pytest.raises(InputError, match="price is unknown"):
        run(cache, provider, request(price=None), budget=Budget(money=1.0))
    assert not provider.sent


# ledger


def test_an_unknown_price_is_unknown_in_the_ledger_and_not_zero(cache, backend):
    run(cache, Provider(), request(0, price=None))
    run(cache, Provider(), request(1, price=Price(3.0, 15.0)))
    line = total(backend)
    assert line.num_unpriced == 1
    assert line.money == pytest.approx(180e-6)


def test_sums_go_by_stage_model_and_seed(cache, backend):
    for i, (stage, seed) in enumerate([("a", "s1"), ("a", "s2"), ("b", "s1")]):
        run(cache, Provider(), request(i, stage=stage, seed_id=seed))
    assert [(line.group, line.num_calls) for line in cost_lines(backend.place)] == [
        (("a", "model"), 2),
        (("b", "model"), 1),
    ]
    assert [(line.group, line.tokens_in) for line in cost_lines(backend.place, by=["seed_id"])] == [
        (("s1",), 20),
        (("s2",), 10),
    ]


def test_the_row_of_a_request_is_committed_before_the_request_is_sent(cache, backend):
    seen: list[str] = []

    async def send(key: str) -> Reply:
        seen.extend(backend.statuses(key))
        return Reply(body=b"")

    asyncio.run(Caller(cache).call(request(), send))
    assert seen == ["in_flight"]


def test_a_ledger_that_is_not_there_is_the_users_error(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        cost_lines(tmp_path / "calls.sqlite")
