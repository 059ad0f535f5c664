#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file or folder of arch/, sim/ and tests/ that a page or a comment names in backquotes is there."""
import pathlib
import re
import sys
import unittest

NAMED = re.compile(r"`((?:arch|sim|tests)/[\w/.-]*\w/?)`")
COMMENTED = re.compile(r"//.*?\b((?:arch|sim)/[\w/-]+\.(?:h|cpp))\b")


def pages(root):
    yield from (root / name for name in ("README.md", "CONTRIBUTING.md"))
    for top in ("docs", "validation", "arch", "sim"):
        yield from (file for file in sorted((root / top).rglob("*")) if file.suffix in (".md", ".h", ".cpp"))


def named(root):
    """(where, path) of each name."""
    for file in pages(root):
        pattern = NAMED if file.suffix == ".md" else COMMENTED
        for number, line in enumerate(file.read_text().split("\n"), 1):
            for path in pattern.findall(line):
                yield f"{file.relative_to(root)}:{number}", path


class Paths(unittest.TestCase):
    root = None

    def test_files_that_are_named_exist(self):
        names = list(named(self.root))
        self.assertGreater(len(names), 100)
        self.assertEqual([f"{where} names {path}, which is not there"
                          for where, path in names if not (self.root / path).exists()], [])

    def test_names_are_found(self):
        self.assertEqual(NAMED.findall("see `arch/sm/memory/`, `sim/a.h` and arch/b.h"), ["arch/sm/memory/", "sim/a.h"])
        self.assertEqual(COMMENTED.findall("int a;  // as in sim/base/a.h"), ["sim/base/a.h"])


if __name__ == "__main__":
    Paths.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
