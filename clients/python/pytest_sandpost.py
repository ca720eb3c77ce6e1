"""Fixtures of pytest for sandpost.py: `inbox`, an address of the test, and `inbox_factory`, which makes more of them."""

from __future__ import annotations

from typing import Callable

import pytest

from sandpost import Inbox, Sandpost


@pytest.fixture(scope="session")
def _sandpost() -> Sandpost:
    return Sandpost()


@pytest.fixture
def inbox_factory(_sandpost: Sandpost) -> Callable[[str], Inbox]:
    """Returns a function that makes an address which begins with a name."""
    return _sandpost.inbox


@pytest.fixture
def inbox(_sandpost: Sandpost, request: pytest.FixtureRequest) -> Inbox:
    """Returns an address that begins with the name of the test."""
    return _sandpost.inbox(request.node.name)
