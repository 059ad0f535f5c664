# SPDX-License-Identifier: Apache-2.0
"""Figures of tables that results and studies have. They are plain matplotlib figures: figure.savefig("x.png"), or shown
in a notebook."""
from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

_MOST_REASONS = 8  # the others are one colour


def stall_figure(stalls: pd.DataFrame, config_name: str) -> Figure:
    """A stacked bar per kernel: shares of all warp cycles by reason."""
    shares = stalls.div(stalls.sum(axis=1).replace(0, 1), axis=0).mul(100)
    order = list(shares.sum().sort_values(ascending=False).index)
    if len(order) > _MOST_REASONS:
        shares["others"] = shares[order[_MOST_REASONS:]].sum(axis=1)
        order = order[:_MOST_REASONS] + ["others"]
    figure = Figure(figsize=(8, 1.5 + 0.4 * len(shares)), layout="constrained")
    axes = figure.subplots()
    labels = [f"{number} {_short(name)}" for number, name in shares.index]
    left = pd.Series(0.0, index=shares.index)
    for reason in order:
        axes.barh(labels, shares[reason], left=left, label=reason)
        left = left + shares[reason]
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("warp cycles (%)")
    axes.set_title(f"Where warps spent their time, on {config_name}")
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize="small")
    return figure


def line_figure(lines: pd.DataFrame, reasons: Sequence[str], name: str, count: int) -> Figure:
    """The lines of a kernel's SASS with the most warp cycles, by reason."""
    cycles = lines[[reason for reason in reasons if reason in lines]]
    top = cycles.sum(axis=1).sort_values(ascending=False).head(count).index
    labels = [f"{lines.loc[at, 'pc']:04x} {_short(lines.loc[at, 'sass'], 40)}" for at in top]
    figure = Figure(figsize=(9, 1.5 + 0.25 * len(top)), layout="constrained")
    axes = figure.subplots()
    left = pd.Series(0.0, index=top)
    for reason in cycles.columns[cycles.loc[top].sum() > 0]:
        axes.barh(labels, cycles.loc[top, reason], left=left, label=reason)
        left = left + cycles.loc[top, reason]
    axes.invert_yaxis()
    axes.set_xlabel("warp cycles")
    axes.set_title(_short(name, 60))
    axes.legend(fontsize="small")
    return figure


def points_figure(points: pd.DataFrame, keys: Sequence[str], y: str, x: str | None) -> Figure:
    """`y` over one of the keys, a line per setting of the others."""
    if "status" in points:
        points = points[points["status"] == "done"]
    if x is None:
        x = max(keys, key=lambda key: points[key].nunique())
    others = [key for key in keys if key != x]
    figure = Figure(layout="constrained")
    axes = figure.subplots()
    for setting, rows in points.groupby(others if len(others) > 1 else others[0], sort=False) if others else [((), points)]:
        values = setting if isinstance(setting, tuple) else (setting,)
        label = ", ".join(f"{key}={value}" for key, value in zip(others, values))
        axes.plot(rows[x], rows[y], marker="o", label=label or None)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.3)
    if others:
        axes.legend(fontsize="small")
    return figure


def _short(text: str, length: int = 30) -> str:
    return text if len(text) <= length else text[:length - 3] + "..."
