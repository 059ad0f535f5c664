#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages of --html: what they hold, and in a browser that they open, show the result's numbers, sort and filter."""
import atexit
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BROWSER = sys.argv.pop(2) == "browser"
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
WEB = BUILD / "sim/page/web"
EVIL = "<script>alert(1)</script>"


def sassim(*arguments):
    done = subprocess.run([BUILD / "sassim", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def data_of(page):
    text = page.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))


@functools.cache
def browser_of_the_tests():
    """Its start takes longer than most of what is looked at."""
    browser = subprocess.Popen(["node", ROOT / "tests/e2e/page/browser.mjs", WEB], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def close():
        try:
            browser.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            browser.kill()
    atexit.register(close)
    return browser


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.at = pathlib.Path(cls.folder.name)
        traces = [BUILD / "traces/sm_70" / name for name in ("softmax.sast", "sgemm_tiled.sast", "saxpy.sast")]
        cls.page = cls.at / "run.html"
        sassim("run", *traces, "--config", "v100", "--json", cls.at / "run.json", "--html", cls.page)
        cls.result = json.loads((cls.at / "run.json").read_text())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def with_data(self, name, change, of=None):
        """The same page, or the page `of`, with other data, as if a run had given them."""
        of = of or self.page
        data = data_of(of)
        change(data)
        text = json.dumps(data).replace("<", "\\u003c")
        page = self.at / name
        page.write_text(re.sub(r'(id="data">).*?(</script>)', lambda m: m.group(1) + text + m.group(2),
                               of.read_text(encoding="utf-8"), count=1, flags=re.S), encoding="utf-8")
        return page

    def look(self, page, steps=(), scheme="light"):
        browser = browser_of_the_tests()
        browser.stdin.write(json.dumps({"file": str(page), "steps": list(steps), "scheme": scheme}) + "\n")
        browser.stdin.flush()
        line = browser.stdout.readline()
        self.assertTrue(line, "the browser has ended; it says above why")
        seen = json.loads(line)
        self.assertEqual(seen["errors"], [])
        self.assertEqual([url for url in seen["requests"] if not url.startswith("file://")], [])
        return seen["answers"]

    @staticmethod
    def table(label):
        """Asks for the cells of a small table."""
        return f"[...document.querySelectorAll('table[aria-label=\"{label}\"] tbody tr')].map(r => [...r.children].map(c => c.textContent))"

    def longest(self):
        return max(self.result["kernels"], key=lambda k: k["metrics"]["gpc__cycles_elapsed.max"])

    def test_the_data_are_those_of_the_result(self):
        data = data_of(self.page)
        for kernel, shown in zip(self.result["kernels"], data["kernels"]):
            self.assertEqual(kernel["metrics"], shown["metrics"])
            self.assertEqual(kernel["series"], shown["series"])
            self.assertEqual([line["stalls"] for line in kernel["lines"]], [line["stalls"] for line in shown["lines"]])
        self.assertEqual(data["config"], self.result["config"])

    def test_nothing_comes_from_elsewhere(self):
        text = self.page.read_text(encoding="utf-8")
        self.assertNotRegex(text, r"(?i)<(script|link|img)[^>]+(src|href)=")
        self.assertIn("default-src 'none'", text)

    def test_names_are_escaped(self):
        trace = self.at / "<img src=x onerror=alert(1)>.sast"
        trace.write_bytes((BUILD / "traces/sm_70/saxpy.sast").read_bytes())
        page = self.at / "evil.html"
        sassim("run", trace, "--config", "v100", "--html", page)
        self.assertNotIn("<img", page.read_text(encoding="utf-8"))
        self.assertEqual(data_of(page)["kernels"][0]["trace"], trace.name)
        if not BROWSER:
            return
        self.assertIn(trace.name, self.look(page, [{"ask": "document.body.innerText"}])[0])

        def rename(data):
            data["launches"][0][0] = data["kernels"][0]["name"] = EVIL
            data["kernels"][0]["lines"][0]["sass"] = EVIL
        text, = self.look(self.with_data("renamed.html", rename),
                          [{"click": ".launches .rows .row:nth-child(1)"}, {"ask": "document.body.innerText"}])
        self.assertGreaterEqual(text.count(EVIL), 3)  # in the list, as the title, as a line

    def test_a_comparison_has_what_the_command_compares(self):
        (self.at / "ncu.csv").write_text('"ID","Kernel Name","gpc__cycles_elapsed.max"\n"","","cycle"\n"0","softmax","5000"\n"1","other","1"\n')
        page = self.at / "<b>compared.html"
        sassim("compare", self.at / "run.json", self.at / "ncu.csv", "--html", page)
        data = data_of(page)
        cycles = self.result["kernels"][0]["metrics"]["gpc__cycles_elapsed.max"]
        quantity, = [q for q in data["kernels"][0]["quantities"] if q["name"] == "cycles"]
        self.assertEqual((quantity["simulated"], quantity["hardware"]), (cycles, 5000))
        self.assertAlmostEqual(quantity["error"], cycles / 5000 - 1)
        self.assertEqual(data["only_hardware"], ["other"])
        if BROWSER:
            mean, charts, rows = self.look(page, [{"ask": "document.querySelector('[data-metric=mean]').textContent"},
                                                  {"ask": "document.querySelectorAll('.chart svg').length"},
                                                  {"ask": "[...document.querySelectorAll('.rows .row')][0].innerText"}])
            self.assertEqual(mean.split("\u202f")[0], f"{100 * abs(quantity['error']):.1f}")
            self.assertEqual(charts, 2)
            self.assertIn("softmax", rows)
            axes = "document.querySelector('.chart svg').textContent"
            near, = self.look(page, [{"ask": axes}])
            self.assertIn("2,000", near)  # within a decade the axes are linear, from 0

            def farther(data):
                again = json.loads(json.dumps(data["kernels"][0]))
                again["launch"] = 1
                for q in again["quantities"]:
                    q["simulated"], q["hardware"] = 100 * q["simulated"], 100 * q["hardware"]
                data["kernels"].append(again)
            far, = self.look(self.with_data("far.html", farther, page), [{"ask": axes}])
            self.assertNotIn("2,000", far)
            self.assertIn("1\u202fM", far)
            errors, texts = self.look(page, [
                {"ask": self.table("errors by quantity")},
                {"ask": "[...document.querySelectorAll('section:last-of-type .rows .row')].map(r => [r.children[0], r.children[3]].map(c => c.textContent))"}])
            printed = sassim("compare", self.at / "run.json", self.at / "ncu.csv")
            self.assertEqual([row[:3] for row in errors], [["cycles", "1", str(int(abs(quantity["error"]) <= 0.1))]])
            self.assertIn(f"{float(errors[0][3].split(chr(0x202f))[0]):.1f} %", printed)
            self.assertIn(dict(texts)["cycles"], printed)

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_it_opens_with_the_numbers_of_the_result(self):
        longest = self.longest()
        steps = [{"ask": "document.querySelector('h1.kernel').title"},
                 {"ask": "document.querySelector('.bigs [data-metric=\"gpc__cycles_elapsed.max\"]').textContent"},
                 {"ask": "document.querySelectorAll('.chart svg').length"},
                 {"ask": "[...document.querySelectorAll('.states .label')].map(n => n.textContent)"},
                 {"ask": "[...document.querySelectorAll('.three [data-metric]')].map(n => [n.dataset.metric, n.textContent])"}]
        for scheme in ("light", "dark"):
            name, cycles, charts, states, bars = self.look(self.page, steps, scheme=scheme)
            self.assertEqual(name, longest["name"])
            self.assertEqual(int(cycles.replace(",", "")), longest["metrics"]["gpc__cycles_elapsed.max"])
            self.assertEqual(charts, 4)
            stalls = {k[len("sassim__warp_cycles_"):-4]: v for k, v in longest["metrics"].items() if k.startswith("sassim__warp_cycles_") and v}
            self.assertEqual(states, sorted(stalls, key=lambda r: -stalls[r]))
            self.assertGreater(len(bars), 4)
            for metric, text in bars:
                self.assertAlmostEqual(float(text.split("\u202f")[0].rstrip(" %").strip()), longest["metrics"][metric], delta=0.06)

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_it_has_the_sections_of_the_terminal_report(self):
        trace = self.longest()["trace"]
        page = self.at / "one.html"
        printed = sassim("run", trace, "--config", "v100", "--html", page, "--json", self.at / "one.json")
        kernel, = json.loads((self.at / "one.json").read_text())["kernels"]
        metrics = kernel["metrics"]
        titles, every, parts, memory, shared, limiters, text = self.look(page, [
            {"ask": "[...document.querySelectorAll('h2')].map(n => n.textContent)"},
            {"ask": "[...document.querySelectorAll('.facts [data-metric], .mix [data-metric]')].map(n => [n.dataset.metric, n.textContent])"},
            {"ask": "[...document.querySelectorAll('[data-breakdown]')].map(n => [n.dataset.breakdown, [...n.querySelectorAll('[data-metric]')].map(v => v.dataset.metric)])"},
            {"ask": self.table("memory by level")}, {"ask": self.table("shared memory")},
            {"ask": "document.querySelector('[data-metric=limiters]').textContent"}, {"ask": "document.body.innerText"}])
        for title in ("GPU Speed of Light", "Launch and Occupancy", "Scheduler", "Instruction Mix", "Memory Workload", "Warp State", "Source"):
            self.assertIn(title, titles)
            self.assertRegex(printed, rf"(?m)^  {title}")
        shown = [metric for metric, _ in every]
        for metric in ("smsp__warps_eligible.avg.per_cycle_active", "smsp__issue_inst0.avg.pct_of_peak_sustained_active",
                       "launch__occupancy_limit_registers", "sm__inst_executed_pipe_fma.sum"):
            self.assertIn(metric, shown)
        for metric, value in every:
            if metric in metrics and not re.search(r"[A-Za-zµ]{1,3}$", value):  # those with a multiple of their unit are rounded
                self.assertAlmostEqual(float(re.match(r"[\d,.]+", value)[0].replace(",", "")), metrics[metric], delta=0.06, msg=metric)
        for metric, names in parts:
            used = {name: metrics[name] for name in kernel["breakdown"][metric] if metrics[name] > 0}
            self.assertEqual(names, sorted(used, key=lambda name: -used[name]))
            self.assertEqual(max(used.values()), metrics[metric])
        number = lambda cell: 0 if cell == "–" else int(cell.replace(",", ""))
        self.assertEqual([(row[0], number(row[1]), number(row[2])) for row in memory if row[0] in ("L1 all", "L2 reads", "DRAM all")],
                         [("L1 all", metrics["l1tex__t_requests.sum"], metrics["l1tex__t_sectors.sum"]),
                          ("L2 reads", metrics["lts__t_requests_op_read.sum"], metrics["lts__t_sectors_op_read.sum"]),
                          ("DRAM all", metrics["sassim__dram_accesses_read.sum"] + metrics["sassim__dram_accesses_write.sum"],
                           metrics["dram__sectors_read.sum"] + metrics["dram__sectors_write.sum"])])
        self.assertEqual({row[0]: float(row[4]) for row in shared}["loads"], round(metrics["sassim__shared_conflict_ways_op_ld.ratio"], 2))
        self.assertRegex(printed, rf"limited by +{limiters}\n")
        self.assertIn("n-way: passes of the accesses over", text)

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_the_list_says_what_bounds_each_launch(self):
        column = "[...document.querySelectorAll('.launches .rows .row')].map(r => r.children[2].textContent)"
        total, first, down, only = self.look(self.page, [
            {"ask": "document.querySelector('[data-metric=total_cycles]').textContent"}, {"ask": column},
            {"click": ".launches button[data-column='Bound by']"}, {"ask": column},
            {"fill": ".launches input", "text": self.result["kernels"][1]["bound"]["cause"]}, {"ask": column}])
        causes = [kernel["bound"]["cause"] for kernel in self.result["kernels"]]
        self.assertEqual(first, causes)
        self.assertEqual(down, sorted(causes))
        self.assertEqual(only, [cause for cause in causes if causes[1] in cause])
        self.assertEqual(int(total.replace(",", "")), sum(k["metrics"]["gpc__cycles_elapsed.max"] for k in self.result["kernels"]))

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_the_expected_error_stands_beside_the_cycles(self):
        page = self.at / "h200.html"
        printed = sassim("run", BUILD / "traces/sm_90/saxpy.sast", "--config", "h200", "--html", page)
        shown, = self.look(page, [{"ask": "document.querySelector('.bigs [data-metric=expected_error]').textContent"}])
        expected = float(re.search(r"expected error of the cycles +([\d.]+) %", printed)[1])
        self.assertAlmostEqual(float(re.search(r"[\d.]+", shown)[0]), expected, delta=0.06)
        unknown = self.at / "gtx1650.html"  # of which no kernel was measured
        sassim("run", BUILD / "traces/sm_75/saxpy.sast", "--config", "gtx1650", "--html", unknown)
        none, = self.look(unknown, [{"ask": "document.querySelector('.bigs [data-metric=expected_error]')"}])
        self.assertIsNone(none)

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_tables_sort_and_filter(self):
        source = "[...document.querySelectorAll('section')].find(s => s.querySelector('h2')?.textContent === 'Source')"
        column = f"[...{source}.querySelectorAll('.rows .row')].map(r => r.children[%d].textContent)"
        longest = self.longest()
        cycles = sorted((sum(line["stalls"].values()) for line in longest["lines"]), reverse=True)
        sassims = {line["pc"]: line.get("sass", "") for line in data_of(self.page)["kernels"][self.result["kernels"].index(longest)]["lines"]}
        down, strip, title, up, found = self.look(self.page, [
            {"click": "section:has(> h2:text-is('Source')) button[data-column='Warp cycles']"}, {"ask": column % 4},
            {"ask": f"[...{source}.querySelector('.rows .row .strip').children].map(n => parseFloat(n.style.width))"},
            {"ask": f"{source}.querySelector('.rows .row .strip').parentNode.title"},
            {"click": "section:has(> h2:text-is('Source')) button[data-column='Warp cycles']"}, {"ask": column % 4},
            {"fill": "section:has(> h2:text-is('Source')) input", "text": "ffma"}, {"ask": column % 1}])
        self.assertEqual([int(text.replace(",", "")) for text in down], cycles[:len(down)])
        hottest = max(longest["lines"], key=lambda line: sum(line["stalls"].values()))["stalls"]
        self.assertEqual(len(strip), len(hottest))
        self.assertAlmostEqual(sum(strip), 100, delta=0.1)
        self.assertEqual({r: int(n.replace(",", "")) for r, n in (row.split(" ") for row in title.split("\n"))}, hottest)
        self.assertEqual([int(text.replace(",", "")) for text in up], cycles[::-1][:len(up)])
        self.assertEqual(len(found), min(46, sum("FFMA" in text for text in sassims.values())))
        self.assertTrue(found and all("FFMA" in text for text in found))

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_lines_name_their_source_and_what_they_wait_for(self):
        def place(data):
            for kernel in data["kernels"]:
                for line in kernel["lines"]:
                    line["source"] = {"file": "/home/somebody/code.cu", "line": line["pc"]}
        longest = self.longest()
        waiting = max((line for line in longest["lines"] if "waits_for" in line), key=lambda line: line["stalls"].get("long_scoreboard", 0))
        table = "[...document.querySelectorAll('section')].find(s => s.querySelector('h2')?.textContent === 'Source')"
        cells, wide = self.look(self.with_data("placed.html", place), [
            {"fill": "section:has(> h2:text-is('Source')) input", "text": f"code.cu:{waiting['pc']}"},
            {"ask": f"[...{table}.querySelectorAll('.rows .row')].map(r => [...r.children].map(c => c.textContent))"},
            {"ask": f"(v => v.scrollWidth - v.clientWidth)({table}.querySelector('.view'))"}])
        row, = [row for row in cells if row[-1] == f"code.cu:{waiting['pc']}"]
        self.assertEqual(row[-2], "long_scoreboard for " + " and ".join(f"{pc:04x}" for pc in waiting["waits_for"]))
        self.assertEqual(wide, 0)  # every column is in sight

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_a_launch_is_chosen(self):
        first = self.result["kernels"][0]
        name, = self.look(self.page, [{"click": ".launches .rows .row:nth-child(1)"}, {"ask": "document.querySelector('h1.kernel').title + ' ' + document.querySelector('h1.kernel').textContent"}])
        self.assertEqual(name, first["name"] + " softmax(float4 const*, float4*)")

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_before_and_after(self):
        runs = []
        for name, folder in (("before", "planted"), ("after", "planted/mended")):
            runs.append(self.at / f"{name}.json")
            traces = [BUILD / "tests/data" / folder / f"{kernel}.sast" for kernel in ("bank_conflicts", "fp64")]
            sassim("run", *traces, "--config", "t4", "--json", runs[-1])
        page = self.at / "change.html"
        sassim("compare", *runs, "--html", page)
        pairs = [{name: k["metrics"] for name, k in zip(("bank_conflicts", "fp64"), json.loads(run.read_text())["kernels"])}
                 for run in runs]
        cells = ("[...[...document.querySelectorAll('section')].find(s => s.querySelector('h2')?.textContent === '{}')"
                 ".querySelectorAll('.rows .row')].map(r => [...r.children].map(c => c.textContent))")
        rows, title, bars, metrics, other, narrow = self.look(page, [
            {"ask": cells.format("Launches")}, {"ask": "document.querySelector('.bound').textContent"},
            {"ask": "[...document.querySelectorAll('.two')].map(r => [r.querySelector('.label').textContent, "
                    "[...r.querySelectorAll('.track')].map(t => parseFloat(t.querySelector('i')?.style.width ?? '0'))])"},
            {"ask": cells.format("Metrics that changed")},
            {"click": "section:has(> h2:text-is('Launches')) .rows .row:nth-child(2)"}, {"ask": "document.querySelector('.bound').textContent"},
            {"ask": "document.documentElement.scrollWidth - document.documentElement.clientWidth"}])
        cycles = "gpc__cycles_elapsed.max"
        for row in rows:
            before, after = (run[row[0]][cycles] for run in pairs)
            self.assertEqual(row[1:4], [f"{before:,.0f}", f"{after:,.0f}", f"\u2212{before - after:,.0f}"])
        self.assertEqual([row[0] for row in rows], ["bank_conflicts", "fp64"])
        self.assertIn("Bound by bank conflicts before, by the launch after.", title)
        self.assertIn("Bound by FP64 arithmetic before", other)
        widths = dict(bars)
        self.assertEqual(widths["bank conflicts"], [100, 0])
        self.assertGreater(widths["mio_throttle"][0], widths["mio_throttle"][1])
        names = {row[0] for row in metrics}
        self.assertIn("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", names)
        self.assertTrue(names <= {name for run in pairs for name in run["bank_conflicts"]})
        self.assertEqual(narrow, 0)

    @unittest.skipUnless(BROWSER, "needs a browser")
    def test_ten_thousand_launches_are_usable(self):
        def many(data):
            data["launches"] = [[f"kernel_{i}"] + data["launches"][i % 3][1:] for i in range(10_000)]
        page = self.with_data("many.html", many)
        rows, total, found, took = self.look(page, [
            {"ask": "document.querySelectorAll('.launches .rows .row').length"},
            {"ask": "document.querySelector('.launches dd').textContent"},
            {"fill": ".launches input", "text": "kernel_9999"},
            {"ask": "document.querySelectorAll('.launches .rows .row').length"},
            {"ask": "performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart"}])
        self.assertLess(rows, 100)
        self.assertEqual((total, found), ("10,000", 1))
        self.assertLess(took, 20000)


if __name__ == "__main__":
    unittest.main()
