import pytest
from pydantic import ValidationError

from questloom.calls.budget import Budget
from questloom.calls.caller import Caller
from questloom.calls.request import Price
from questloom.calls.sqlite import SqliteCache
from questloom.models.chat_client import ChatClient
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.records.errors import InputError

URL = "http://127.0.0.1:1/v1"


@pytest.fixture
def caller(tmp_path):
    cache = SqliteCache(tmp_path / "calls.sqlite")
    yield Caller(cache)
    cache.close()


@pytest.mark.parametrize(
    "bad",
    [
        {"base_url": "ftp://host/v1"},
        {"base_url": "host:80"},
        {"base_url": "https://user:secret@host/v1"},
        {"base_url": "https://host/v1?key=1"},
        {"timeout": 0},
        {"max_in_flight": 0},
        {"structured": "yes"},
        {"unknown": 1},
        {"name": ""},
        {"prices": {"m": {"tokens_in": -1, "tokens_out": 1}}},
    ],
)
def test_a_wrong_endpoint_is_refused_by_its_field(bad):
    with pytest.raises(ValidationError, match=next(iter(bad))):
        EndpointConfig.model_validate({"name": "one", "base_url": URL} | bad)


def test_a_role_cannot_set_by_extra_what_has_its_own_field():
    with pytest.raises(ValidationError, match="cannot be set here"):
        RoleConfig(endpoint="one", model="m", extra={"temperature": 1})


def test_a_price_that_is_not_stated_is_unknown():
    endpoint = EndpointConfig.model_validate(
        {"name": "one", "base_url": URL, "prices": {"m": {"tokens_in": 3, "tokens_out": 0}}}
    )
    assert endpoint.price("m") == Price(3.0, 0.0)
    assert endpoint.price("other") is None


def test_a_role_needs_an_endpoint_that_exists(caller):
    with pytest.raises(InputError, match="there is no endpoint 'two'"):
        ChatClient(
            [EndpointConfig(name="one", base_url=URL)],
            {"role": RoleConfig(endpoint="two", model="m")},
            caller,
        )


def test_two_endpoints_of_one_name_are_refused(caller):
    with pytest.raises(InputError, match="same name"):
        ChatClient([EndpointConfig(name="one", base_url=URL)] * 2, {}, caller)


def test_a_key_that_is_not_set_is_named_before_anything_starts(caller, monkeypatch):
    monkeypatch.delenv("QL_TEST_KEY", raising=False)
    endpoint = EndpointConfig(name="one", base_url=URL, api_key_env="QL_TEST_KEY")
    ChatClient([endpoint], {}, caller)
    with pytest.raises(InputError, match="QL_TEST_KEY is not set"):
        ChatClient([endpoint], {"role": RoleConfig(endpoint="one", model="m")}, caller)


def test_a_budget_in_money_refuses_to_start_where_a_price_is_unknown(tmp_path):
    cache = SqliteCache(tmp_path / "calls.sqlite")
    endpoint = EndpointConfig.model_validate(
        {"name": "one", "base_url": URL, "prices": {"m": {"tokens_in": 0, "tokens_out": 0}}}
    )
    ChatClient(
        [endpoint],
        {"role": RoleConfig(endpoint="one", model="m")},
        Caller(cache, budget=Budget(money=1)),
    )
    with pytest.raises(InputError, match="price is unknown"):
        ChatClient(
            [endpoint],
            {"role": RoleConfig(endpoint="one", model="other")},
            Caller(cache, budget=Budget(money=1)),
        )
    cache.close()
