#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the types of arch/ to as many data members as a reader can keep in mind. Configuration (sim/config) and the
structs of binary interfaces (sim/cuda, sim/driver) list what others have defined, and are not in it."""
import pathlib
import re
import sys
import unittest

MOST = 20  # data members of a type, its bases and members of members not counted

NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
                     r"|^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
TYPE = re.compile(r"\b(?:struct|class|union)\b(?:\s+alignas\s*\S+)?(?:\s+(\w+(?:::\w+)*))?(?:\s+final)?\s*(?::(?!:).*)?$",
                  re.DOTALL)
NO_MEMBER = re.compile(r"^(?:static|using|typedef|friend|template|enum|struct|class|union|public|private|protected|explicit"
                       r"|virtual|constexpr|consteval|static_assert|operator)\b")


def without(text, opening, closing):
    """The text without what stands between these brackets."""
    kept, depth = [], 0
    for character in text:
        if character == opening:
            depth += 1
        elif character == closing and depth:
            depth -= 1
        elif not depth:
            kept.append(character)
    return "".join(kept)


def members_of(statement):
    """The data members that a statement at the level of a class declares; braces in it are gone."""
    statement = re.sub(r"\b(?:public|private|protected)\s*:", " ", statement)
    statement = re.sub(r"\[\[.*?\]\]|\balignas\s*\([^)]*\)|\bmutable\b|\bconst\b", " ", statement)
    statement = without(statement.strip(), "<", ">").strip()
    if not statement or NO_MEMBER.match(statement):
        return 0
    if "(" in statement.split("=")[0]:
        return 0  # a function
    return 1 + without(statement, "(", ")").count(",")


def types(text):
    """(name, line, data members) of each type that is defined in a C++ file that is formatted with clang-format."""
    text = NO_CODE.sub(lambda found: "\n" * found.group().count("\n"), text)
    found, stack, statement, line = [], [], "", 1  # of the stack: [name or None, first line, members, statement before]
    for character in text:
        line += character == "\n"
        if character == "{":
            head = re.sub(r"\b(?:public|private|protected)\s*:", " ", statement).strip()
            head = without(head, "<", ">")
            named = None if "(" in head or head.endswith("=") or head.startswith("enum") else TYPE.search(head)
            stack.append([(named.group(1) or "(unnamed)") if named else None, line, 0, statement])
            statement = ""
        elif character == "}" and stack:
            name, first, count, before = stack.pop()
            if name is not None:
                found.append((name, first, count))
                statement = "\0"  # what follows may be a variable of this type
            else:
                head = without(before, "<", ">")
                function = "(" in head.split("=")[0] or "namespace" in head or head.strip().startswith("enum")
                statement = "" if function else before  # a member with an initializer goes on to its semicolon
        elif character == ";":
            if stack and stack[-1][0] is not None:
                # After a nested type: the variables of that type.
                stack[-1][2] += (1 + statement.count(",") if statement.strip("\0 \n") else 0) if "\0" in statement \
                    else members_of(statement)
            statement = ""
        else:
            statement += character
    return found


def files(root):
    return [file for file in sorted((root / "arch").rglob("*")) if file.suffix in (".h", ".cpp")]


class Members(unittest.TestCase):
    root = None

    def test_no_type_has_too_many_members(self):
        all_ = [(f"{file.relative_to(self.root)}:{line}: {name} has {count} data members, at most {MOST}", count)
                for file in files(self.root) for name, line, count in types(file.read_text())]
        self.assertGreater(len(all_), 250)
        self.assertGreater(sum(count for _, count in all_), 1000)
        self.assertEqual([text for text, count in all_ if count > MOST], [])

    def test_members_are_found(self):
        code = """
namespace a {
enum class E { x, y };
class Plain final : public Base<int, long>, Other {
 public:
  Plain(int a, int b) : a_(a), b_{b} {}
  explicit Plain(const Config& config);
  std::function<int(int, int)> f_;
  int get() const { return a_ + b_; }
  template <class T>
  void state(T& t) { t(a_, b_); }
  static constexpr int kMost = 4;
  static const int& all();
  using Map = std::map<int, int>;
  friend class Other;
  enum Mode { on, off };

 private:
  struct Inner {
    int x = 0, y = 1;  // two; {
    std::array<std::uint64_t, kMost> z{};
  };
  struct {
    int u;
  } unnamed_;
  int a_, b_ = g(1, 2), *c_;
  const std::vector<Inner> d_{{1, 2}, {3, 4}};
  std::map<int, std::pair<int, int>> e_ = {{1, {2, 3}}};
  unsigned bits_ : 3;
  Registry::Part& part_;
  mutable std::uint64_t counts_[2][3] = {};
  std::unique_ptr<Inner> next_ = nullptr;
};
const struct Counters {
  Count hits{"a, b", "c"};
  Count misses{"d",
               "e"};
} kCounters;
}  // namespace a
"""
        self.assertEqual({name: count for name, _, count in types(code)},
                         {"Inner": 3, "(unnamed)": 1, "Plain": 11, "Counters": 2})


if __name__ == "__main__":
    Members.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
