# SPDX-License-Identifier: Apache-2.0
"""Fixtures for pytest: name this module in conftest.py, `pytest_plugins = ["sassim.pytest_plugin"]`.

    def test_the_limits_hold(budgets):
        budgets("limits.yaml", ["./app"])

    def test_the_transposition_has_no_bank_conflicts(simulate):
        assert simulate("transpose.sast", "t4").metrics["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"].sum() == 0
"""
from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from .check import Checked, check
from .result import Result
from .simulate import execute, run


@pytest.fixture
def budgets() -> Callable[..., Checked]:
    """`check`, which makes the test fail with a line for each limit that is broken."""
    def hold(*arguments: Any, **named: Any) -> Checked:
        __tracebackhide__ = True
        checked = check(*arguments, **named)
        if checked.broken:
            pytest.fail(checked.text, pytrace=False)
        return checked
    return hold


@pytest.fixture(scope="session")
def simulate() -> Callable[..., Result]:
    """`run` of traces, or `execute` of a program in a list that is not of traces; the tests of a session that ask the same share a result."""
    results: dict[str, Result] = {}

    def once(what: Any, config: str, *arguments: Any, **named: Any) -> Result:
        words = [os.fspath(what)] if isinstance(what, (str, os.PathLike)) else [os.fspath(one) for one in what]
        key = json.dumps([words, config, arguments, named], default=str, sort_keys=True)
        if key not in results:
            traces = all(word.endswith(".sast") for word in words)
            results[key] = run(words, config, *arguments, **named) if traces else execute(words, config, *arguments, **named)
        return results[key]
    return once
