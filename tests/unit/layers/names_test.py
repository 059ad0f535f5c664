#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No GPU's name stands in the code of arch/ and sim/, and no architecture's number in arch/; in sim/ none is compared with.
What is true of one chip is a key of the configuration, what is true of an architecture a column of the table of
architectures. Comments may name a GPU as a source."""
import pathlib
import re
import sys
import tempfile
import unittest

NAME = re.compile(r"h[12]00|gh[12]00|[gp]?[vap]100|t4|g[vpah]10\d|tu1\d+|titan|rtx|gtx|quadro|volta|turing|ampere|ada|hopper|"
                  r"blackwell|b[12]00", re.IGNORECASE)
# Where a name is the meaning: file, the word, why.
ALLOWED = {
    ("sim/emu/exec/opcode_table.cpp", "H200"): "text of docs/opcodes.md, which says what results were compared with",
    ("sim/emu/exec/opcode_table.cpp", "mufu_h200"): "the same: a file of measurements",
    ("sim/emu/exec/opcode_table.cpp", "h200"): "the same: the archive of that file",
    ("sim/emu/exec/tensor.cpp", "H200"): "the same, of one opcode",
    ("sim/model/published_gpus.cpp", "8800GTX"): "a table of GPUs that papers measured",
}
# The rows of these files are what generations differ in.
TABLES = ("sim/isa/architecture.cpp",)
WORD = re.compile(r"[A-Za-z0-9_]+")
PART = re.compile(r"[A-Z]?[a-z]+\d*[a-z]*|[A-Z]+\d*[A-Z]*|\d+")
STRING_OR_COMMENT = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
ARCHITECTURE = re.compile(r"\bsm_?[6-9]\d(?!\d)|\bsm\s*(?:[<>]=?|[!=]=)\s*[6-9]\d|\b[6-9]\d\s*(?:[<>]=?|[!=]=)\s*\w+\.sm\b")
COMPARED = re.compile(r"\b(?:sm|arch)_?\s*(?:[<>]=?|[!=]=)\s*[6-9]\d\b")


def code_of(text):
    """The text without its comments, with as many lines."""
    return STRING_OR_COMMENT.sub(lambda m: "\n" * m[0].count("\n") if m[0].startswith(("//", "/*")) else m[0], text)


def names_in(line):
    if not NAME.search(line):
        return
    for word in WORD.findall(line):
        if NAME.fullmatch(word) or any(NAME.fullmatch(part) for part in PART.findall(word)):
            yield word


def findings(root):
    """(file, line, word) of every name of a GPU outside comments, of architectures in arch/, and of comparisons with one."""
    for top in ("arch", "sim"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".cpp", ".js", ".css", ".html"):
                continue
            path = file.relative_to(root).as_posix()
            if path in TABLES:
                continue
            for number, line in enumerate(code_of(file.read_text()).split("\n"), 1):
                for word in names_in(line):
                    yield path, number, word
                if found := (ARCHITECTURE if top == "arch" else COMPARED).search(line):
                    yield path, number, found[0]


class Names(unittest.TestCase):
    maxDiff = None
    root = None

    def test_no_gpu_is_named_in_code(self):
        wrong = [f"{path}:{line}: '{word}': make it a key of the configuration, a policy that says what it does, or a column of the "
                 "table of architectures"
                 for path, line, word in findings(self.root) if (path, word) not in ALLOWED]
        self.assertEqual(wrong, [])

    def test_every_exception_is_in_use(self):
        self.assertEqual(set(ALLOWED) - {(path, word) for path, _, word in findings(self.root)}, set())

    def test_names_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "arch").mkdir()
            (root / "sim").mkdir()
            (root / "arch/a.cpp").write_text('// measured on an H200\nint n = isH200() ? 2 : 3;  // as a V100 does\n'
                                             'bool b = name == "t4";\nint sm_70_rate;\nif (kernel.sm >= 90) return;\n')
            (root / "sim/b.h").write_text('/* Volta:\n sm_70 */ int kTuringWays;\nconst char* s = "// titan-v";\n'
                                          'bool capturing, updated, sm_90;\nint hopper_rows;\nif (gpu.arch == 80) return;\n')
            self.assertEqual(list(findings(root)), [
                ("arch/a.cpp", 2, "isH200"), ("arch/a.cpp", 3, "t4"), ("arch/a.cpp", 4, "sm_70"),
                ("arch/a.cpp", 5, "sm >= 90"), ("sim/b.h", 2, "kTuringWays"), ("sim/b.h", 3, "titan"),
                ("sim/b.h", 5, "hopper_rows"), ("sim/b.h", 6, "arch == 80")])


if __name__ == "__main__":
    Names.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
