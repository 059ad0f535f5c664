#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file or folder of this tree that a page, a comment, a script or a message names is there."""
import pathlib
import re
import subprocess
import sys
import unittest

TOPS = "arch|configs|docs|python|sim|tests|tools|traces|validation"
# A path, and the character behind it. SASSIM_SOURCE_DIR and ROOT stand for the top of the tree; other paths that go on to the left are
# relative to something else. A string may be a path of this tree; in tests, of trees that they make.
PATH = rf"((?:{TOPS})/[\w/.+-]*)(.?)"
NAMED = re.compile(rf"""(?:(?<![\w./>$"'{{}}-])|(?<=SASSIM_SOURCE_DIR "/)|(?<=ROOT / ")){PATH}""")
QUOTED = re.compile(rf"""(?<![\w./])["']{PATH}""")
LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]+)(?:#[^)]*)?\)")
# A section of a page of measurements, as comments cite it: h200/l1.md#fences.
SECTION = re.compile(r"\b((?:[a-z0-9-]+/)?[a-z0-9-]+\.md)#([a-z0-9-]+)")
UNREAD = ("tests/data", "tests/corpus", "tests/unit/layers")   # bytes, and tests of trees made up
# Files of a bundle, a stand-in's tree, or another program.
ELSEWHERE = {"traces/0.sast", "traces/1.traceg.xz", "traces/12.sast", "sim/other/file.cpp"}


def files(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "--cached"], capture_output=True, text=True, check=False)
    names = listed.stdout.splitlines() or [str(path.relative_to(root)) for top in TOPS.split("|") for path in (root / top).rglob("*") if path.is_file()]
    for name in names:
        if not name.startswith(UNREAD) and not name.endswith((".json", ".csv", ".bin", ".sast", ".xz", ".svg")) and (root / name).is_file():
            try:
                yield name, (root / name).read_text()
            except UnicodeDecodeError:
                continue


def pattern_of(path, follows):
    """What of a name must be there, as a pattern: names may contain placeholders such as <gpu>, {config}, * or NAME."""
    if follows and follows in "<{$*%(" or path.endswith(("_", "-")):
        return path + "*"
    kept = []
    for part in path.rstrip(".").split("/"):
        if re.search(r"(?<![a-zA-Z])(?:NAME|KERNEL|PARSER|LAYER|NN|DIR)(?![a-zA-Z])", part):
            break
        kept.append(part)
    return "/".join(kept)


def is_there(root, pattern):
    return any(root.glob(pattern)) if "*" in pattern else (root / pattern).exists()


def named(text, strings=True):
    """(line, path) of each name."""
    for number, line in enumerate(text.split("\n"), 1):
        for path, follows in NAMED.findall(line) + (QUOTED.findall(line) if strings else []):
            yield number, pattern_of(path, follows)


def anchors_of(text):
    """Of the headings of a page."""
    return {re.sub(r"[^\w\- ]", "", head).lower().replace(" ", "-") for head in re.findall(r"^#+ (.*)$", text, flags=re.M)}


class Paths(unittest.TestCase):
    root = None
    maxDiff = None

    def test_files_that_are_named_exist(self):
        names = [(f"{name}:{number}", path) for name, text in files(self.root) for number, path in named(text, not name.startswith("tests/"))]
        self.assertGreater(len(names), 500)
        self.assertEqual([f"{where} names {path}, which is not there" for where, path in names
                          if path not in ELSEWHERE and not is_there(self.root, path)], [])

    def test_files_that_pages_link_to_exist(self):
        links = [(name, link) for name, text in files(self.root) if name.endswith(".md") for link in LINK.findall(text)]
        self.assertGreater(len(links), 100)
        self.assertEqual([f"{name} links to {link}, which is not there" for name, link in links
                          if not (self.root / name).parent.joinpath(link).exists()], [])

    def test_sections_that_comments_cite_exist(self):
        """Links between pages are tested with the pages; a key whose comment cites a section counts its rows as fitted."""
        measured = self.root / "validation/measured"
        cited = [(name, page, anchor) for name, text in files(self.root) if not name.endswith(".md") and not name.startswith("tests/unit/validate")
                 for page, anchor in SECTION.findall(text) if (measured / page).exists()]
        self.assertGreater(len(cited), 50)
        anchors = {page: anchors_of((measured / page).read_text()) for _, page, _ in cited}
        self.assertEqual([f"{name} cites {page}#{anchor}, which is not there" for name, page, anchor in cited if anchor not in anchors[page]], [])

    def test_names_are_found(self):
        def found(text):
            return [path for _, path in named(text)]
        self.assertEqual(found("see `arch/sm/memory/`, (sim/a.h) and arch/b.h."), ["arch/sm/memory/", "sim/a.h", "arch/b.h"])
        self.assertEqual(found('open(SASSIM_SOURCE_DIR "/tools/x"); ROOT / "docs/y"; f("docs/z"); build/tools/a'), ["tools/x", "docs/y", "docs/y", "docs/z"])
        self.assertEqual(found("validation/results/accuracy-<gpu>.md, configs/*.yaml, tests/LAYER/NAME/a"),
                         ["validation/results/accuracy-*", "configs/*", "tests"])
        self.assertEqual(LINK.findall("[a](b/c.md#d) [e](https://f) [g](h)"), ["b/c.md", "h"])


if __name__ == "__main__":
    Paths.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
