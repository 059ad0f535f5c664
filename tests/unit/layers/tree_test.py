#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the tree to a size at which a clone is fast and a folder can be read: what is in git, not what a build leaves."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

MOST_FILES = 1900
MOST_BYTES = 12_000_000
NAMED = 10  # of the largest, in a failure


def tracked(root):
    """{path: bytes} of the files that git has; None outside a clone."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=False)
    if listed.returncode:
        return None
    paths = [root / name.decode() for name in listed.stdout.split(b"\0") if name]
    return {path.relative_to(root).as_posix(): path.lstat().st_size for path in paths if path.exists()}


def too_much(sizes, most_files=MOST_FILES, most_bytes=MOST_BYTES):
    """What is wrong with a tree, as text; empty: nothing."""
    found = []
    if len(sizes) >= most_files:
        found.append(f"{len(sizes)} files, fewer than {most_files} wanted: small ones of one kind belong into one file or archive")
    if sum(sizes.values()) >= most_bytes:
        largest = sorted(sizes.items(), key=lambda entry: -entry[1])[:NAMED]
        found.append(f"{sum(sizes.values())} bytes, fewer than {most_bytes} wanted: compress what only tools read; the largest: "
                     + ", ".join(f"{path} {size}" for path, size in largest))
    return "\n".join(found)


class Tree(unittest.TestCase):
    root = None

    def test_the_tree_is_small(self):
        sizes = tracked(self.root)
        if sizes is None:
            self.skipTest("no clone of git")
        self.assertGreater(len(sizes), 100)
        self.assertEqual(too_much(sizes), "")

    def test_what_is_too_much_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            self.assertIsNone(tracked(root))
            subprocess.run(["git", "init", "-q", folder], check=True)
            for name, size in (("a", 10), ("b", 300), ("unknown", 5000)):
                (root / name).write_bytes(b"x" * size)
            subprocess.run(["git", "-C", folder, "add", "a", "b"], check=True)
            sizes = tracked(root)
        self.assertEqual(sizes, {"a": 10, "b": 300})
        self.assertEqual(too_much(sizes, 3, 311), "")
        self.assertIn("2 files", too_much(sizes, 2, 311))
        self.assertIn("310 bytes, fewer than 310 wanted: compress what only tools read; the largest: b 300, a 10", too_much(sizes, 3, 310))


if __name__ == "__main__":
    Tree.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
