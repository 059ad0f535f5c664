#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the page's style and scripts as C++ constants: embed.py OUTPUT.cpp CHARTS.js STYLE.css SCRIPT.js..."""
import pathlib
import sys

MARK = "sassim_page"


def literal(text):
    if f"){MARK}\"" in text:
        raise SystemExit("the text holds the end of a raw literal")
    return f'R"{MARK}({text}){MARK}"'


def main(output, charts, style, *scripts):
    read = lambda path: pathlib.Path(path).read_text(encoding="utf-8")
    script = "\n".join(read(path) for path in sorted(scripts))
    for text in (script, read(charts)):
        if "</script" in text.lower():
            raise SystemExit("a script would end its own element")
    body = "".join(
        f"extern const std::string_view {name};\nconst std::string_view {name} = {literal(text)};\n"
        for name, text in (("kPageStyle", read(style)), ("kPageScript", script), ("kPageCharts", read(charts)))
    )
    pathlib.Path(output).write_text(
        f"#include <string_view>\nnamespace sassim::page {{\n{body}}}  // namespace sassim::page\n", encoding="utf-8"
    )


main(*sys.argv[1:])
