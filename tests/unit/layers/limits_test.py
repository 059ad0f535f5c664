#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/limits.md has what the code refuses and what pages of measurements say is not modelled."""
import pathlib
import re
import sys
import unittest

REFUSED = re.compile(r'\bunsupported\(\s*"([a-zA-Z\' ]* [a-zA-Z\' ]*)"')    # calls name features; single words are functions


class Limits(unittest.TestCase):
    root = None

    def setUp(self):
        self.page = (self.root / "docs/limits.md").read_text()

    def test_what_calls_refuse_is_on_the_page(self):
        refused = {words for file in (self.root / "sim").rglob("*.cpp") for words in REFUSED.findall(file.read_text())}
        self.assertGreater(len(refused), 3)
        self.assertEqual([words for words in sorted(refused) if words not in self.page], [])

    def test_pages_that_say_what_is_not_modelled_are_linked(self):
        pages = [file for file in sorted((self.root / "validation/measured").rglob("*.md")) if "not modelled" in file.read_text().lower()]
        self.assertGreater(len(pages), 10)
        self.assertEqual([f"{file.relative_to(self.root)} is not linked" for file in pages if not re.search(re.escape(f"(../{file.relative_to(self.root)}") + "[#)]", self.page)], [])


if __name__ == "__main__":
    Limits.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
