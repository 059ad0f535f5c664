#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The path of a key is the path of the member that it sets: sm.memory_io.adu_queue.entries is config.sm.memory_io.adu_queue.entries."""
import pathlib
import re
import sys
import unittest

# What matters of sim/config/fields_*.cpp: declarations of keys, brackets, and strings, which may contain brackets.
TOKEN = re.compile(r'f\.(?P<kind>add|optional|option|group)\(\s*"(?P<key>[^"]+)"(?:\s*,\s*(?P<member>[\w.]+))?'
                   r'|(?P<bracket>[()])|"(?:[^"\\]|\\.)*"|^void (?P<function>describe\w*)\(', re.MULTILINE)


def keys(text):
    """(key below its struct, member) of every key of a file; an option's own name is a part of the path of its keys."""
    options, depth = [], 0
    for token in TOKEN.finditer(text):
        if token["function"]:
            options, depth = [], 1
        elif token["bracket"] == "(":
            depth += 1
        elif token["bracket"] == ")":
            depth -= 1
            while options and depth < options[-1][1]:
                options.pop()
        elif token["key"]:
            depth += 1
            if token["kind"] == "option":
                options.append((token["key"], depth))
            else:
                yield ".".join([name for name, _ in options] + [token["key"]]), token["member"]


def differing(text):
    """Members of structs (`c`). One may have a struct around it that only adds keys, such as a pipe with a queue (c.pipe.queue)."""
    return [(key, member) for key, member in keys(text)
            if member.startswith("c.") and not f".{member.removeprefix('c.')}".endswith(f".{key}")]


class KeyPaths(unittest.TestCase):
    root = pathlib.Path(".")

    def test_have_the_paths_of_their_keys(self):
        files = sorted((self.root / "sim/config").glob("fields_*.cpp"))
        self.assertGreater(sum(len(list(keys(file.read_text()))) for file in files), 300)
        self.assertEqual({file.name: found for file in files if (found := differing(file.read_text()))}, {})

    def test_another_name_is_found(self):
        text = ('void describe(FieldList& f, Memory& c) {\n  f.option("halves", "Two (2).", [&] { f.add("parts", c.%s, count(1, 2), "a (b"); });\n'
                '  f.add("size", c.size, bytes(), "x");\n}\n')
        self.assertEqual(differing(text % "halves.parts"), [])
        self.assertEqual(differing(text % "l2.partitions"), [("halves.parts", "c.l2.partitions")])
        self.assertEqual(differing(text % "parts"), [("halves.parts", "c.parts")])


if __name__ == "__main__":
    KeyPaths.root = pathlib.Path(sys.argv.pop(1))
    unittest.main()
