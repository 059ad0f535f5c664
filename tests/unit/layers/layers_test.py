#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the dependencies that modules declare (sassim_module(... DEPENDS ...)) with what their files include, and holds
the folders inside arch/ and other modules to their order."""
import pathlib
import re
import sys
import tempfile
import unittest

ORDER = [["base"], ["isa", "pattern", "plot"], ["trace", "config", "stats"], ["environment"], ["report", "arch", "emu"],
         ["model", "replay", "campaign", "page", "timeline", "live"], ["session", "validate", "change", "bundle"], ["explore", "sweep", "library"], ["cli", "cuda"], ["driver"]]
LEVEL = {name: level for level, names in enumerate(ORDER) for name in names}
# The folders of arch/ from the ground up: a folder may include folders of lower rows, and nobody of its own row.
HARDWARE = [
    ["arch/common"],
    ["arch/cache", "arch/network"],
    ["arch/cache/replacement", "arch/memory/dram", "arch/sm/common"],
    ["arch/memory", "arch/sm/code"],
    ["arch/sm/warps"],
    ["arch/sm/fetch"],
    ["arch/sm/units"],
    ["arch/sm/units/adu", "arch/sm/units/barrier", "arch/sm/units/constants", "arch/sm/units/l1", "arch/sm/units/shared",
     "arch/sm/units/shuffle", "arch/sm/units/texture", "arch/sm/memory"],
    ["arch/sm/sync"],
    ["arch/sm/issue"],
    ["arch/sm/block"],
    ["arch/sm/allocate"],
    ["arch/sm"],
    ["arch/gpu"],
]
ROW = {folder: row for row, folders in enumerate(HARDWARE) for folder in folders}
# These meet at the network only, so neither includes the other.
APART = ("arch/sm", "arch/memory")
# Folders inside other modules: whom else's headers a folder may include.
# The core steps warps and tells `order` what blocks touch. What opcodes do stands apart.
INSIDE = {
    "sim/emu/memory": set(),
    "sim/emu/order": {"sim/emu/memory"},
    "sim/emu/core": {"sim/emu/memory", "sim/emu/order"},
    "sim/emu/exec": {"sim/emu/memory", "sim/emu/core"},
    "sim/model": set(),
    "sim/model/models": {"sim/model"},
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
    for file in [root / "arch/CMakeLists.txt", *root.glob("sim/CMakeLists.txt"), *sorted(root.glob("sim/*/CMakeLists.txt"))]:
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


def under(folder, top):
    return folder == top or folder.startswith(top + "/")


def not_below(source, goal):
    """Why files of the folder `source` must not include files of `goal`, which is in the same module; None: they may."""
    if source == goal:
        return None
    if source in INSIDE:
        return None if goal in INSIDE[source] else f"{source} is not above {goal}"
    if source not in ROW or goal not in ROW:
        return None  # problems() tells of folders of arch/ without a row
    if any(under(source, one) and under(goal, other) for one, other in (APART, APART[::-1])):
        return f"{' and '.join(APART)} meet at the network only"
    return None if ROW[goal] < ROW[source] else f"{source} is not above {goal}"


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
            if why := not_below(source, goal):
                out.append(f"{file} includes {target}, but {why}")
            if name == "arch" and source not in ROW:
                out.append(f"{file}: {source} has no row in the order of the folders of arch/")
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

    def test_the_page_of_the_design_says_what_each_folder_may_use(self):
        said = {}
        for table, top in re.findall(r"^\| folder(?: of `(\w+)`)? .*\n\|---\|---\|---\|\n((?:\|.*\n)+)", self.page(), re.MULTILINE):
            for name, uses in re.findall(r"^\| `(\w+)` \| .+ \| ([^|]+) \|$", top, re.MULTILINE):
                said[f"{table}/{name}" if table else name] = set() if uses == "nothing" else set(uses.split(", "))
        may = declared(self.root)
        for top in {folder.split("/")[1] for folder in ROW}:
            row = ROW[f"arch/{top}"]
            may[f"arch/{top}"] = {folder.split("/")[1] for folder in ROW if ROW[folder] < row and not not_below(f"arch/{top}", folder)} - {top}
        may |= {folder.removeprefix("sim/"): {other.rsplit("/", 1)[1] for other in below} for folder, below in INSIDE.items() if "/emu/" in folder}
        self.assertEqual(said, may)

    def page(self):
        return (self.root / "docs/design.md").read_text()

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

    def test_folders_of_the_hardware_are_there(self):
        there = {file.parent.relative_to(self.root).as_posix() for file in (self.root / "arch").rglob("*.h")}
        there |= {file.parent.relative_to(self.root).as_posix() for file in (self.root / "arch").rglob("*.cpp")}
        self.assertEqual(there, set(ROW))

    def test_an_include_of_a_higher_folder_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            files = {"arch/CMakeLists.txt": "sassim_module(arch RECURSE)\n",
                     "arch/sm/sm.h": '#include "arch/sm/issue/a.h"\n',
                     "arch/sm/issue/a.h": '#include "arch/sm/sm.h"\n#include "arch/network/a.h"\n',
                     "arch/sm/units/l1/a.h": '#include "arch/sm/units/shared/a.h"\n#include "arch/memory/a.h"\n',
                     "arch/top.h": '#include "arch/sm/sm.h"\n',
                     "sim/emu/order/a.h": '#include "sim/emu/memory/a.h"\n#include "sim/emu/core/a.h"\n',
                     "sim/emu/CMakeLists.txt": "sassim_module(emu RECURSE)\n"}
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            self.assertEqual(problems(root), [
                "arch/sm/issue/a.h includes arch/sm/sm.h, but arch/sm/issue is not above arch/sm",
                "arch/sm/units/l1/a.h includes arch/sm/units/shared/a.h, but arch/sm/units/l1 is not above arch/sm/units/shared",
                "arch/sm/units/l1/a.h includes arch/memory/a.h, but arch/sm and arch/memory meet at the network only",
                "arch/top.h: arch has no row in the order of the folders of arch/",
                "sim/emu/order/a.h includes sim/emu/core/a.h, but sim/emu/order is not above sim/emu/core"])


if __name__ == "__main__":
    Layers.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
