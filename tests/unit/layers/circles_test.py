#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No folders of arch/ and sim/ include each other, and no Python modules of python/ and tools/ import each other, also not
by way of others: whatever one reads first, it can be understood without what comes later."""
import ast
import graphlib
import pathlib
import re
import sys
import tempfile
import unittest

INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:arch|sim)/[^"]+)"', re.MULTILINE)


def folders(root):
    """folder -> folders that its files include."""
    graph = {}
    for top in ("arch", "sim"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (".h", ".cpp"):
                here = file.parent.relative_to(root).as_posix()
                graph.setdefault(here, set()).update(target.rsplit("/", 1)[0] for target in INCLUDE.findall(file.read_text()))
    return {here: others - {here} for here, others in graph.items()}


def scripts(root):
    """The Python files of python/ and tools/, also those that are commands without a suffix."""
    for top in ("python", "tools"):
        for file in sorted((root / top).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts and (
                    file.suffix == ".py" or (not file.suffix and file.read_bytes().startswith(b"#!/usr/bin/env python3"))):
                yield file


def imported(file, root):
    """Files that an import of this file may mean, wherever it stands: in a function and for type checks too."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [(0, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            stem = node.module + "." if node.module else ""
            names = [(node.level, stem + alias.name) for alias in node.names]
            names += [(node.level, node.module)] if node.module else []
        else:
            continue
        for level, name in names:
            start = file.parent if level < 2 else file.parents[level - 1]
            for folder in (start, root / "tools", root / "python"):
                module = folder.joinpath(*name.split("."))
                yield from (path for path in (module.with_suffix(".py"), module / "__init__.py") if path.is_file())


def modules(root):
    """Python file -> files that it imports."""
    return {file: {path for path in imported(file, root) if path != file} for file in scripts(root)}


def circle(graph):
    """Some nodes that lead to each other, in order; empty: there is none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return [str(node) for node in reversed(error.args[1])]
    return []


class Circles(unittest.TestCase):
    root = None

    def test_no_folders_include_each_other(self):
        graph = folders(self.root)
        self.assertGreater(len(graph), 30)
        self.assertEqual(circle(graph), [])

    def test_no_modules_import_each_other(self):
        graph = modules(self.root)
        self.assertGreater(sum(map(len, graph.values())), 20)
        self.assertEqual(circle(graph), [])

    def test_circles_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            files = {"arch/sm/a.h": '#include "arch/b/b.h"\n', "arch/b/b.h": '#include "sim/c/c.h"\n',
                     "sim/c/c.cpp": '#include "arch/sm/a.h"\n', "sim/d/d.h": '#include "arch/sm/a.h"\n',
                     "python/p/one.py": "def f():\n    from .two import g\n", "python/p/two.py": "from . import three\n",
                     "python/p/three.py": "if TYPE_CHECKING:\n    from .one import f\n", "tools/t.py": "import q.r\n",
                     "tools/q/r.py": "import t, json\n"}
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            self.assertEqual(set(circle(folders(root))), {"arch/sm", "arch/b", "sim/c"})
            self.assertEqual(set(circle({file: to for file, to in modules(root).items() if "python" in file.parts})),
                             {str(root / f"python/p/{name}.py") for name in ("one", "two", "three")})
            self.assertEqual(set(circle({file: to for file, to in modules(root).items() if "tools" in file.parts})),
                             {str(root / "tools/t.py"), str(root / "tools/q/r.py")})


if __name__ == "__main__":
    Circles.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
