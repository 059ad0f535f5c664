#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages of sweep, explore and validate: they have the study's numbers and say what follows, tables sort and filter, each
model has a switch. And every page of sassim: light and dark, wide and narrow, from a file, without a message in the console.
SASSIM_SCREENSHOTS=FOLDER keeps a picture of each."""
import csv
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import page_test
from page_test import BROWSER, BUILD, EVIL, ROOT, data_of, sassim

CELLS = ("[...[...document.querySelectorAll('section')].find(s => s.querySelector('h2')?.textContent === '{}')"
         ".querySelectorAll('.rows .row')].map(r => [...r.children].map(c => c.textContent))")
SECTION = "section:has(> h2:text-is('{}')) "
LINES = "[...document.querySelectorAll('.follows li')].map(n => n.textContent)"


def number(text):
    return float(re.match(r"[\d,.]+", text)[0].replace(",", ""))


class Studies(unittest.TestCase):
    look, with_data = page_test.Page.look, page_test.Page.with_data

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.at = pathlib.Path(cls.folder.name)
        spmv = BUILD / "traces/sm_70/spmv_scalar.sast"
        sassim("sweep", "--config", "v100", "--workload", "sfu", "--alpha", "0,4,64", "--warps", "4,8,16,32", "--models", "all", "--out", cls.at / "sweep")
        sassim("explore", spmv, "--config", "v100", "--vary", "l2.latency=40,80,120", "--vary", "l2.size=768KiB,6MiB",
               "--vary", "sm.issue.scheduler=gto,lrr", "--what-if", "--miss-curves", "--out", cls.at / "explore")
        two = [BUILD / "traces/sm_70" / name for name in ("saxpy.sast", "softmax.sast")]
        subprocess.run([BUILD / "sassim", "explore", *two, "--config", "v100", "--vary", "l2.size=3MiB,6MiB,7000", "--out", cls.at / "two"],
                       capture_output=True, check=False)
        # Two rows whose sources contradict each other make the command end with status 1 or 0; both write the page.
        subprocess.run([BUILD / "sassim", "validate", "--config", "t4", "--prepared", "--only", "lat", "--out", cls.at / "validate"],
                       capture_output=True, check=False)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def page(self, study):
        return self.at / study / "index.html"

    def points(self, study):
        return json.loads((self.at / study / "points.json").read_text())

    def test_pages_name_no_folder(self):
        for study in ("sweep", "explore", "two", "validate"):
            text = self.page(study).read_text(encoding="utf-8")
            for folder in (self.at, ROOT, BUILD, pathlib.Path.home()):
                self.assertNotIn(f"{folder}/", text, study)

    def test_the_data_are_those_of_the_study(self):
        shown, points = data_of(self.page("explore")), self.points("explore")
        self.assertEqual([p["values"][0] for p in shown["points"]], [p["metrics"]["gpc__cycles_elapsed.max"] for p in points["points"]])
        self.assertEqual({r["name"]: r["recovered"] for r in shown["what_if"]["rows"]}, {r["name"]: r["recovered"] for r in points["what_if"]})
        self.assertEqual([c["steps"] for c in shown["curves"]], [points["miss_curves"][c]["hit_rate_from_bytes"] for c in ("l1", "l2")])
        swept, points = data_of(self.page("sweep")), self.points("sweep")
        self.assertEqual([p["ipc"] for p in swept["points"]], [p["ipc"] for p in points["points"]])
        self.assertEqual(dict(zip(swept["alphas"], swept["needed"])), points["cusp"]["simulated"])
        validated = json.loads((self.at / "validate/validation.json").read_text())
        answered = [t for t in validated["targets"] if t.get("simulated") is not None]
        self.assertEqual([t["id"] for t in data_of(self.page("validate"))["answered"]], [t["id"] for t in answered])

    def test_pages_say_what_follows(self):
        best = max(json.loads((self.at / "explore/points.json").read_text())["what_if"],
                   key=lambda r: r["recovered"] if r["name"] not in ("all of these", "double SMs", "no register limit") else -1)
        said = " ".join(data_of(self.page("explore"))["findings"])
        self.assertIn(f"Of the parts of the GPU, {best['name']} recovers most", said)
        self.assertRegex(said, r"l2\.latency (stops paying|pays up|does not pay|has no effect)")
        self.assertRegex(said, r"L1: no size finds more than [\d.]+ %")
        said = " ".join(data_of(self.page("sweep"))["findings"])
        most = f"{max(self.points('sweep')['cusp']['simulated'].values()):g}"
        self.assertIn(f"and most, {most}, at", said)
        errors = list(csv.DictReader((self.at / "sweep/errors.csv").read_text().splitlines()))
        self.assertRegex(said, rf"volkov predicts {min(float(e['least']) for e in errors):.3g} to ")

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_an_exploration(self):
        points = self.points("explore")["points"]
        cycles = sorted(p["metrics"]["gpc__cycles_elapsed.max"] for p in points)
        up, found, said, maps, curves, fewer, idealisations = self.look(self.page("explore"), [
            {"click": SECTION.format("Points") + "button[data-column='Cycles']"}, {"click": SECTION.format("Points") + "button[data-column='Cycles']"},
            {"ask": CELLS.format("Points")}, {"fill": SECTION.format("Points") + "input[type=search]", "text": "lrr"}, {"ask": CELLS.format("Points")},
            {"ask": LINES}, {"ask": "document.querySelectorAll('.map svg').length"},
            {"ask": "document.querySelectorAll('.switches input:checked').length"}, {"click": ".switches label:nth-of-type(1) input"},
            {"ask": "document.querySelectorAll('.switches input:checked').length"}, {"ask": CELLS.format("What if")}])
        self.assertEqual([number(row[3]) for row in up], cycles)
        self.assertGreater(cycles[-1], cycles[0])
        self.assertEqual(len(found), 6)
        self.assertEqual([line.rstrip(".") for line in said], [line.rstrip(".") for line in data_of(self.page("explore"))["findings"]])
        self.assertEqual((maps, curves, fewer), (1, 4, 3))
        self.assertEqual(idealisations[0][0], "all of these")

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_points_of_several_kernels_and_failed_ones(self):
        points = self.points("two")["points"]
        together, first, said = self.look(self.page("two"), [
            {"ask": CELLS.format("Points")}, {"click": SECTION.format("Kernels") + "button:nth-of-type(2)"}, {"ask": CELLS.format("Points")},
            {"ask": "document.body.innerText"}])
        self.assertEqual(number(together[0][1]), points[0]["metrics"]["gpc__cycles_elapsed.max"])
        self.assertEqual(number(first[0][1]), points[0]["kernels"][0]["metrics"]["gpc__cycles_elapsed.max"])
        self.assertIn("failed: -o memory.l2.size=7000", together[2][-1])
        self.assertIn("saxpy(", said)  # demangled

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_a_sweep(self):
        def more(data):  # models that do not apply to this mix look as they would
            volkov, = data["models"]
            data["models"] = [{**volkov, "name": f"model {i}"} for i in range(11)]
        cells, titles, rows, many, styles = self.look(self.with_data("models.html", more, self.page("sweep")), [
            {"ask": "[...document.querySelector('.map svg').querySelectorAll('text')].map(n => n.textContent)"},
            {"click": "[aria-label='α'] button:nth-of-type(3)"}, {"ask": "[...document.querySelectorAll('h3')].map(n => n.textContent)"},
            {"click": SECTION.format("Points") + "button[data-column='IPC']"}, {"ask": CELLS.format("Points")},
            {"click": ".switches button:text-is('none')"}, {"click": ".switches button:text-is('all')"},
            {"ask": "document.querySelectorAll('.switches input:checked').length"},
            {"ask": "[...document.querySelectorAll('.switches svg')].map(n => n.innerHTML)"}])
        ipc = [p["ipc"] for p in self.points("sweep")["points"]]
        for value in ipc:
            self.assertIn(f"{value:#.3g}", cells)
        self.assertIn("α = 64", titles)
        self.assertEqual([float(row[2]) for row in rows], [float(f"{value:.4g}") for value in sorted(ipc, reverse=True)])
        self.assertEqual((many, len(set(styles))), (11, 11))

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_a_validation(self):
        validated = json.loads((self.at / "validate/validation.json").read_text())["targets"]
        worst = max((t for t in validated if t.get("simulated") is not None), key=lambda t: abs(t["error"]))
        down, found, fitted = self.look(self.page("validate"), [
            {"click": SECTION.format("Targets") + "button[data-column='Error']"}, {"ask": CELLS.format("Targets")},
            {"fill": SECTION.format("Targets") + "input", "text": "lat.iadd3"}, {"ask": CELLS.format("Targets")},
            {"ask": "document.querySelector('[data-metric=fitted]').textContent"}])
        self.assertAlmostEqual(number(down[0][4].lstrip("+\u2212")), 100 * abs(worst["error"]), delta=0.06)
        self.assertEqual([row[0] for row in found], ["t4.lat.iadd3"])
        self.assertRegex(fitted, r"^\d+ of \d+$")

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_curves_of_targets(self):
        def more(data):
            data["curves"] = [{"name": "t4.a.*", "points": [[2 ** i, 10, 11] for i in range(4)]}, {"name": "t4.b.*", "points": [[i, 10, 10] for i in range(5)]}]
        rows, one, other = self.look(self.with_data("curves.html", more, self.page("validate")), [
            {"ask": CELLS.format("Curves")}, {"ask": "document.querySelector('#curves svg').textContent"},
            {"click": SECTION.format("Curves") + ".rows .row:nth-child(1)"}, {"ask": "new Promise(done => setTimeout(() => done(document.querySelector('#curves svg').textContent), 300))"}])
        self.assertEqual([row[:2] for row in rows], [["t4.a.*", "4"], ["t4.b.*", "5"]])
        self.assertEqual(number(rows[0][2]), 10)
        self.assertIn("t4.b.*", one)  # the longest is shown first
        self.assertIn("t4.a.*", other)

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_text_is_never_markup(self):
        def evil(data):
            data["traces"], data["notes"], data["points"][0]["error"] = [EVIL], [EVIL], EVIL
            data["points"][0]["state"] = "failed"
        text, = self.look(self.with_data("evil.html", evil, self.page("two")), [{"ask": "document.body.innerText"}])
        self.assertGreaterEqual(text.count(EVIL), 3)

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_every_page_fits_every_window(self):
        traces = [BUILD / "tests/data" / folder / "bank_conflicts.sast" for folder in ("planted", "planted/mended")]
        for name, trace in zip(("before", "after"), traces):
            sassim("run", trace, "--config", "t4", "--json", self.at / f"{name}.json", "--html", self.at / f"{name}.html")
        (self.at / "ncu.csv").write_text('"ID","Kernel Name","gpc__cycles_elapsed.max"\n"","","cycle"\n"0","bank_conflicts","5000"\n')
        sassim("compare", self.at / "before.json", self.at / "after.json", "--html", self.at / "change.html")
        sassim("compare", self.at / "before.json", self.at / "ncu.csv", "--html", self.at / "comparison.html")
        pages = {"report": self.at / "before.html", "before-after": self.at / "change.html", "profile": self.at / "comparison.html",
                 **{name: self.page(name) for name in ("sweep", "explore", "validate")}, "explore-kernels": self.page("two")}
        shots = os.environ.get("SASSIM_SCREENSHOTS")
        views = [(name, scheme, width) for name in pages for scheme in ("light", "dark") for width in (1280, 390)]
        steps = [{"open": str(pages[name]), "scheme": scheme, "width": width,
                  **({"shot": str(pathlib.Path(shots).resolve() / f"{name}-{scheme}-{width}.png")} if shots else {}),
                  "ask": "[document.documentElement.scrollWidth - document.documentElement.clientWidth,"
                         " innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]"} for name, scheme, width in views]
        for view, (wide, width, dark) in zip(views, self.look(pages["report"], steps), strict=True):
            self.assertEqual((wide, width, dark), (0, view[2], view[1] == "dark"), view)


if __name__ == "__main__":
    unittest.main()
