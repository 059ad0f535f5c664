# SPDX-License-Identifier: Apache-2.0
"""Generated pages are current (SASSIM_UPDATE=1 writes them), results follow their schema, links lead somewhere.

    pages_test.py BUILD_FOLDER
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
MANY = 20    # keys that differ in a name alone are one row
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
SASSIM = BUILD / "sassim"


def output_of(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, cwd=ROOT).stdout


def cell(text):
    return text.replace("|", "\\|")


def keys_page():
    listed = [line.split()[0] for line in output_of(SASSIM, "config", "explain", "--all").splitlines() if line.startswith("  ")]
    text = """# Keys of a configuration

What the YAML files of `configs/` may contain; `sassim config explain KEY` adds the value of each GPU, with its source. [configuration.md](configuration.md)
describes the files. `-o KEY=VALUE` and `--vary` take these names, with any unique end of them (`l1.size`).

This page is made by the test `Pages` from the lists of fields in `sim/config` (`SASSIM_UPDATE=1` rewrites it).
"""
    rows = []
    key = meaning = None
    for line in output_of(SASSIM, "config", "explain", *listed).splitlines():
        if not line.startswith(" "):
            key, meaning = line.strip(), None
        elif meaning is None:
            meaning = line.strip()
        elif line.startswith("  values:"):
            rows.append((key, line.split(":", 1)[1].strip(), meaning))
    group = None
    for key, values, meaning in shared_rows(rows):
        head = ".".join(key.split(".")[:2]) if key.count(".") > 1 else key.split(".")[0] if "." in key else "the file"
        if head != group:
            group = head
            text += f"\n## {group}\n\n| key | values | meaning |\n|---|---|---|\n"
        text += f"| `{key}` | {cell(values)} | {cell(meaning)} |\n"
    return text


def shared_rows(rows):
    """One row for keys of many that differ in the part before the last and mean the same: a.CLASS.b, with the names for CLASS."""
    alike = collections.defaultdict(list)
    for key, values, meaning in rows:
        *top, name, last = ["", "", *key.split(".")]
        alike[tuple(top), last, values, meaning].append(name)
    shown = set()
    for key, values, meaning in rows:
        *top, name, last = ["", "", *key.split(".")]
        names = alike[tuple(top), last, values, meaning]
        if len(names) < MANY:
            yield key, values, meaning
        elif (*top, last, values, meaning) not in shown:
            shown.add((*top, last, values, meaning))
            yield ".".join([*top[2:], "CLASS", last]), values, f"{meaning} CLASS: {', '.join(names)}."


def calls_page():
    symbols = {line.split()[-1].split("@")[0] for line in output_of("nm", "-D", "--defined-only", BUILD / "lib/libcudart.so.11.0").splitlines()}
    lacking = set()
    for source in ("sim/cuda/api_unsupported.cpp", "sim/driver/api_unsupported.cpp"):
        lacking |= set(re.findall(r"SASSIM_UNSUPPORTED\w*\((\w+)\)", (ROOT / source).read_text()))
    text = """# CUDA calls

The functions that programs find in sassim's runtime (CUDA 11) and driver. A function that is not supported is there, too: it returns
`cudaErrorNotSupported` or `CUDA_ERROR_NOT_SUPPORTED`, and a line on standard error names it. [exec.md](exec.md) and [driver.md](driver.md)
say what differs from a GPU, [limits.md](limits.md) what supported functions refuse. Later versions have the same functions and those that they added ([exec.md](exec.md#cuda-11-12-and-13)).

This page is made by the test `Pages` from the libraries (`SASSIM_UPDATE=1` rewrites it). Variants of a name for per-thread streams (`_ptsz`, `_ptds`) are left out.
"""
    for title, pattern in (("The runtime", r"cuda[A-Z]\w+"), ("The driver", r"cu[A-Z]\w+")):
        names = sorted(name for name in symbols if re.fullmatch(pattern, name) and not re.search(r"_pt[sd][zs]$", name))
        supported = [name for name in names if name not in lacking]
        missing = [name for name in names if name in lacking]
        assert len(supported) > 100 and missing, title
        text += f"\n## {title}\n\n{len(supported)} functions are supported:\n\n{', '.join(f'`{name}`' for name in supported)}\n"
        text += f"\n{len(missing)} are not:\n\n{', '.join(f'`{name}`' for name in missing)}\n"
    return text


class GeneratedTest(unittest.TestCase):
    def check(self, name, text):
        page = DOCS / name
        if os.environ.get("SASSIM_UPDATE"):
            page.write_text(text)
        self.assertTrue(page.exists() and page.read_text() == text, f"docs/{name} is out of date: run this test with SASSIM_UPDATE=1")

    def test_keys(self):
        text = keys_page()
        self.assertGreater(text.count("\n| `"), 350)
        self.check("keys.md", text)

    def test_calls(self):
        self.check("calls.md", calls_page())


def closed(schema):
    """The same schema, in which nothing may stand that it does not describe."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(part) for key, part in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        result["additionalProperties"] = False
    return result


class SchemaTest(unittest.TestCase):
    def setUp(self):
        self.schema = json.loads((DOCS / "schema/result.schema.json").read_text())
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sassim-pages-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def result_of(self, command, *arguments):
        file = self.folder / "result.json"
        output_of(SASSIM, command, "--config", "t4", "--json", file, *arguments)
        return json.loads(file.read_text())

    def check(self, result):
        jsonschema.Draft202012Validator.check_schema(self.schema)
        jsonschema.validate(result, closed(self.schema))

    def test_runs(self):
        traces = [BUILD / "traces/sm_75" / name for name in ("vector_add.sast", "histogram_shared.sast")]
        self.check(self.result_of("run", *traces))
        page = self.result_of("run", "--html", self.folder / "page.html", traces[0])
        self.assertIn("series", page["kernels"][0])
        self.check(page)
        output_of(SASSIM, "trace", "slice", traces[0], self.folder / "slice.sast", "--blocks", "0..3")
        part = self.result_of("run", self.folder / "slice.sast")
        self.assertEqual(part["kernels"][0]["slice"]["blocks"], 4)
        self.check(part)
        compact = self.result_of("run", "--compact-json", traces[0], traces[0])
        self.assertNotIn("metrics", compact["kernels"][1])
        self.check(compact)

    def test_programs(self):
        if not os.access("/usr/bin/nvcc", os.X_OK):
            self.skipTest("CUDA 11.8 is not installed (tools/bootstrap --with-cuda)")
        program = self.folder / "transpose"
        subprocess.run(["/usr/bin/nvcc", "-ccbin", "g++-11", "-cudart", "shared", "-lineinfo", "-gencode", "arch=compute_75,code=sm_75", "-o",
                        str(program), str(DOCS / "examples/transpose.cu")], check=True, env={**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"]})
        result = self.result_of("exec", "--", program)
        self.assertTrue(any("source" in line for line in result["kernels"][0]["lines"]))
        self.check(result)

    def test_what_it_does_not_describe_is_refused(self):
        result = self.result_of("run", BUILD / "traces/sm_75/vector_add.sast")
        for wrong in ({**result, "new": 1}, {**result, "schema": "sassim-result/2"},
                      {**result, "kernels": [{**result["kernels"][0], "grid": [1, 2]}]}):
            with self.assertRaises(jsonschema.ValidationError):
                self.check(wrong)


def anchors_of(page):
    """As GitHub and mkdocs make them of headings."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    heads = re.findall(r"^#+ (.*)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", head).lower()).strip().replace(" ", "-") for head in heads}


class AccuracyTest(unittest.TestCase):
    """The README's table of accuracy repeats pages of results."""

    def row(self, gpu, rows, caches):
        table = [[part.strip() for part in line.split("|")[1:-1]] for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("| ")]
        found, = [row for row in table if len(row) == 8 and row[0] == gpu and row[1].startswith(rows) and row[2] == caches]
        return found[3:7]

    def test_h200(self):
        text = (ROOT / "validation/results/accuracy-h200.md").read_text()
        for kind, rows, caches, name in (("Development kernels, cold caches", "84 development", "cold", "H200"), ("Validation kernels, cold caches", "404 validation", "cold", "H200"),
                                         ("Validation kernels, caches kept", "the same", "kept", "H200")):
            shown = []
            for cycles in ("elapsed", "active"):
                line = re.search(rf"^\| {kind}, {cycles} \| \d+ \| \*\*([\d.]+) %\*\* .* \| ([\d.]+) % \([^|]*\|$", text, re.M)
                shown += [line[1], f"{float(line[2]):.0f}"]
            self.assertEqual(self.row(name, rows, caches), shown, f"README: {kind}")

    def test_boards(self):
        for gpu, rows, caches, page, part in (("T4", "45 of these", "cold", "t4", "t4"), ("V100 SXM2", "8 of these", "mixed", "v100", "v100-sxm2"),
                                              ("V100 SXM2", "6 rows timed", "mixed", "v100", "v100-sxm2-host"), ("Titan V", "23 rows", "mixed", "volta", "titan-v"),
                                              ("GV100", "11 rows", "mixed", "volta", "gv100"), ("RTX 2080 Ti", "24 rows", "mixed", "turing", "rtx2080ti")):
            text = (ROOT / f"validation/results/accuracy-{page}.md").read_text()
            section = re.search(rf"^## {part}\n(.*?)(?=^## |\Z)", text, re.M | re.S)[1]
            count, mean = re.search(r"^(\d+) rows: mean error ([\d.]+) %", section, re.M).groups()
            self.assertTrue(rows.startswith(count), f"README: {gpu} has {count} rows")
            errors = [float(error) for error in re.findall(r"^\| [^|]+ \| [\d.]+ \| [\d.]+ \| ([+-][\d.]+) % \|", section, re.M)]
            self.assertEqual(len(errors), int(count))
            self.assertEqual(self.row(gpu, rows, caches)[:2], [mean, f"{max(map(abs, errors)):.0f}"], f"README: {gpu}, {rows}")


class LinksTest(unittest.TestCase):
    def test_links_lead_somewhere(self):
        pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
        links = 0
        for page in pages:
            text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
            for link in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = (page.parent / path).resolve() if path else page
                links += 1
                self.assertTrue(target.exists(), f"{page.name}: {link}")
                if anchor and target.suffix == ".md":
                    self.assertIn(anchor, anchors_of(target), f"{page.name}: {link}")
        self.assertGreater(links, 100)

    def test_the_site_has_every_page(self):
        def pages_of(entry):
            return [entry] if isinstance(entry, str) else [page for part in (entry if isinstance(entry, list) else entry.values()) for page in pages_of(part)]
        site = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
        listed = pages_of(site["nav"])
        self.assertEqual(len(listed), len(set(listed)), "a page stands twice")
        self.assertEqual({f"docs/{page.name}" for page in DOCS.glob("*.md")} - set(listed), set(), "mkdocs.yml lacks these pages")
        self.assertEqual([page for page in listed if not (ROOT / page).exists() and page != "index.md"], [])


if __name__ == "__main__":
    unittest.main()
