#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds files and functions of arch/ and sim/ to lengths that a reader can take in."""
import pathlib
import re
import sys
import unittest

MOST_FILE = 480      # lines of any file
MOST_P90 = {"arch/": 200, "sim/": 200}  # lines that nine of ten files do not reach
MOST_FUNCTION = 60   # lines of any function's body, braces included
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
# What holds no braces of the code: comments, raw strings, strings, characters, preprocessor lines.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
                     r"|^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)


def functions(text):
    """(first line, lines, beginning) of each function body in a C++ file that is formatted with clang-format."""
    text = NO_CODE.sub(lambda found: "\n" * found.group().count("\n"), text)
    found, open_, head, line = [], [], "", 1
    for character in text:
        if character == "\n":
            line += 1
        inside = next((entry for entry in open_ if entry[0] != "scope"), None)
        if character == "{":
            kind = "inner"
            if inside is None:
                plain = re.sub(r"<[^<>]*>", "", head)  # template parameters name classes, too
                is_scope = SCOPE.search(plain) and "(" not in plain.split(":")[0]
                kind = "scope" if is_scope else "function" if ")" in head and not head.rstrip().endswith("=") else "data"
            open_.append((kind, line, head.strip()))
            head = ""
        elif character == "}":
            kind, first, beginning = open_.pop()
            if kind == "function":
                found.append((first, line - first + 1, beginning))
            head = ""
        elif character == ";" and inside is None:
            head = ""
        elif inside is None:
            head += character
    return found


def files(root):
    return [file for top in ("arch", "sim") for file in sorted((root / top).rglob("*")) if file.suffix in (".h", ".cpp")]


class Lengths(unittest.TestCase):
    root = None

    def test_no_file_is_too_long(self):
        lines = {file.relative_to(self.root).as_posix(): file.read_text().count("\n") for file in files(self.root)}
        self.assertGreater(len(lines), 100)
        self.assertEqual([f"{file}: {count} lines, at most {MOST_FILE}" for file, count in lines.items() if count > MOST_FILE],
                         [])
        for top, most in MOST_P90.items():
            counts = sorted(count for file, count in lines.items() if file.startswith(top))
            self.assertLess(counts[len(counts) * 9 // 10], most, f"nine of ten files of {top}")

    def test_no_function_is_too_long(self):
        long = []
        for file in files(self.root):
            for first, count, beginning in functions(file.read_text()):
                if count > MOST_FUNCTION:
                    long.append(f"{file.relative_to(self.root)}:{first}: {count} lines, at most {MOST_FUNCTION}: "
                                f"{' '.join(beginning.split())[:80]}")
        self.assertEqual(long, [])

    def test_functions_are_found(self):
        code = """
namespace a {
template <class T>
struct S : B<T> {
  int f() const { return 1; }
  // not here: { "
  S(int x) : b_{x}, c_(x) {
    if (x == '{') { g("}"); }
  }
};
constexpr int kTable[] = {
    1, 2,
};
enum class E { a, b };
auto g(const char* s = R"({)") -> int
{
  const auto h = [&] {
    return 0;
  };
  return h();
}
}  // namespace a
"""
        found = {" ".join(beginning.split()): count for _, count, beginning in functions(code)}
        self.assertEqual(found, {"int f() const": 1, "S(int x) : b_": 1, ", c_(x)": 3, "auto g(const char* s = ) -> int": 6})


if __name__ == "__main__":
    Lengths.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
