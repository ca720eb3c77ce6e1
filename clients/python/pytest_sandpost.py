"""Pytest fixtures for sandpost.py: `inbox` is the test's address, and `inbox_factory` creates more."""

from __future__ import annotations

from typing import Callable

import pytest

from sandpost import Inbox, Sandpost


@pytest.fixture(scope="session")
def _sandpost() -> Sandpost:
    return Sandpost()


@pytest.fixture
def inbox_factory(_sandpost: Sandpost) -> Callable[[str], Inbox]:
    """Returns a function that creates an address beginning with a name."""
    return _sandpost.inbox


@pytest.fixture
def inbox(_sandpost: Sandpost, request: pytest.FixtureRequest) -> Inbox:
    """Returns an address that begins with the test's name."""
    return _sandpost.inbox(request.node.name)
