"""Prices and limits, worked by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidomni_plugin.endpoint.budget import Amount, Budget
from vidomni_plugin.endpoint.prices import Prices
from vidomni_plugin.endpoint.reply import Usage
from vidomni_plugin.problems import InputProblems

PRICES = Prices(input=2.5, cached=1.25, output=10)
COUNTS = st.integers(0, 10**7)


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        pytest.param(Usage(0, 0, 0), 0, id="nothing"),
        pytest.param(Usage(1000, 0, 0), 0.0025, id="question"),
        pytest.param(Usage(1000, 1000, 0), 0.00125, id="all of it cached"),
        pytest.param(Usage(1000, 400, 100), 0.0015 + 0.0005 + 0.001, id="some of it cached"),
        pytest.param(Usage(1000, 4000, 0), 0.00125, id="more cached than asked"),
    ],
)
def test_cost(usage, cost):
    assert PRICES.cost(usage) == pytest.approx(cost, rel=1e-12)


@given(COUNTS, COUNTS, COUNTS, st.floats(0, 100), st.floats(0, 100), st.floats(0, 100))
def test_no_usage_costs_more_than_the_upper_bound(asked, cached, said, a, b, c):
    prices = Prices(a, b, c)
    assert prices.cost(Usage(asked, cached, said)) <= prices.most(Usage(asked, 0, said)) + 1e-9


@pytest.mark.parametrize("price", [-1, math.nan, math.inf])
def test_what_is_no_price(price):
    with pytest.raises(ValueError, match="the price of output tokens"):
        Prices(1, 1, price)


def test_a_budget_of_money_needs_prices():
    with pytest.raises(InputProblems, match="without prices nobody knows"):
        Budget(most_cost=5)


@pytest.mark.parametrize(
    "limits", [{"most_tokens": 0}, {"most_tokens": -1}, {"most_cost": math.nan, "prices": PRICES}]
)
def test_what_is_no_limit(limits):
    with pytest.raises(InputProblems, match="is no limit"):
        Budget(**limits)


def test_either_limit_ends_it():
    budget = Budget(most_tokens=100, most_cost=1.0, prices=PRICES)
    assert budget.allows(Amount(100, 1.0))
    assert not budget.allows(Amount(101, 0.5))
    assert not budget.allows(Amount(50, 1.001))
    assert Budget().allows(Amount(10**15, 1e15))
    assert Budget(most_cost=1.0, prices=PRICES).allows(Amount(0, sum([0.1] * 10)))


def test_without_prices_only_tokens_count():
    assert Budget().spent(Usage(3, 1, 4)) == Amount(7, 0)
    assert Budget(prices=PRICES).spent(Usage(1000, 400, 100)) == Amount(1100, pytest.approx(0.003))
