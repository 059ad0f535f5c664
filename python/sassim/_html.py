# SPDX-License-Identifier: Apache-2.0
"""What notebooks show: a heading, a sentence, a table. Text of programs is escaped."""
from __future__ import annotations

import html

import pandas as pd


def page(title: str, notes: list[str], table: pd.DataFrame, most: int = 50) -> str:
    parts = [f"<div class='sassim'><b>{html.escape(title)}</b>"]
    parts += [f"<div style='max-width:60em'>{html.escape(note)}</div>" for note in notes]
    parts.append(table.head(most).to_html(escape=True, border=0, float_format=lambda value: f"{value:.6g}"))
    if len(table) > most:
        parts.append(f"<div>and {len(table) - most} more rows</div>")
    return "".join(parts) + "</div>"
