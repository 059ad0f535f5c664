#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the dependencies that modules declare (sassim_module(... DEPENDS ...)) with what their files include."""
import pathlib
import re
import sys
import tempfile
import unittest

ORDER = [["base"], ["isa", "pattern", "plot"], ["trace", "config", "stats"], ["environment"], ["report", "model", "arch", "emu"],
         ["replay", "campaign", "page", "timeline", "live"], ["session", "validate", "bundle"], ["explore", "sweep"], ["cli", "cuda"], ["driver"]]
LEVEL = {name: level for level, names in enumerate(ORDER) for name in names}
# Folders inside a module: whom else's headers a folder may include. A folder that is not named may include all of its module.
# The core steps warps and asks `order` whose turn it is; `order` looks at the core's warps. What opcodes do stands apart.
INSIDE = {
    "sim/emu/core": {"sim/emu/order"},
    "sim/emu/exec": {"sim/emu/core", "sim/emu/order"},
    "sim/emu/order": {"sim/emu/core"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:arch|sim|tests|tools|validation)/[^"]+)"', re.MULTILINE)
DECLARATION = re.compile(r"sassim_module\((\w+)([^)]*)\)")
KEYWORDS = {"RECURSE", "SEPARATE", "COLD", "DEPENDS", "LIBRARIES", "EXCLUDE"}


def module_of(path):
    parts = path.split("/")
    return parts[0] if parts[0] != "sim" else parts[1]


def declared(root):
    """The modules that each module says it depends on."""
    found = {}
    for file in [root / "arch/CMakeLists.txt", *sorted(root.glob("sim/*/CMakeLists.txt"))]:
        for name, rest in DECLARATION.findall(file.read_text()):
            section, depends = None, set()
            for word in rest.split():
                section = word if word in KEYWORDS else section
                if section == "DEPENDS" and word != "DEPENDS":
                    depends.add(word)
            found[name] = depends
    return found


def includes(root):
    """(file, included file) of every include between the project's own files."""
    for top in ("arch", "sim"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (".h", ".cpp"):
                for target in INCLUDE.findall(file.read_text()):
                    yield file.relative_to(root).as_posix(), target


def problems(root):
    modules = declared(root)
    out = [f"{name}: not in the order of layers" for name in modules if name not in LEVEL]
    for name, depends in sorted(modules.items()):
        for other in sorted(depends):
            if LEVEL.get(other, 99) >= LEVEL.get(name, -1):
                out.append(f"{name} declares {other}, which is not below it")
    used = {name: set() for name in modules}
    for file, target in includes(root):
        name, other = module_of(file), module_of(target)
        if other in ("tests", "tools", "validation"):
            out.append(f"{file} includes {target}: what is built must not need tests or tools")
        elif name != other:
            used.setdefault(name, set()).add(other)
            if other not in modules.get(name, set()):
                out.append(f"{file} includes {target}, but {name} does not declare {other}")
        else:
            source, goal = file.rsplit("/", 1)[0], target.rsplit("/", 1)[0]
            if source in INSIDE and goal != source and goal not in INSIDE[source]:
                out.append(f"{file} includes {target}, and {source} is not above {goal}")
    for name, depends in sorted(modules.items()):
        for other in sorted(depends - used[name]):
            out.append(f"{name} declares {other} and includes nothing of it")
    return out


class Layers(unittest.TestCase):
    maxDiff = None
    root = None

    def test_declarations_are_what_files_include(self):
        self.assertEqual(problems(self.root), [])

    def test_every_module_is_declared(self):
        self.assertEqual(set(declared(self.root)), set(LEVEL))

    def test_an_include_upwards_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for module, depends in (("sim/base", ""), ("sim/isa", "DEPENDS base")):
                (root / module).mkdir(parents=True)
                (root / module / "CMakeLists.txt").write_text(f"sassim_module({module[4:]} {depends})\n")
            (root / "arch").mkdir()
            (root / "arch/CMakeLists.txt").write_text("sassim_module(arch RECURSE DEPENDS base)\n")
            (root / "sim/base/a.h").write_text('#include "sim/isa/b.h"\n')
            (root / "sim/isa/b.h").write_text("// nothing\n")
            self.assertEqual(problems(root), [
                "sim/base/a.h includes sim/isa/b.h, but base does not declare isa",
                "arch declares base and includes nothing of it",
                "isa declares base and includes nothing of it"])


if __name__ == "__main__":
    Layers.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
