# SPDX-License-Identifier: Apache-2.0
"""tools/lab/distances: its page is current, every row of NVIDIA's tables is some latency's or named as nobody's, every latency that is not the
distance to its own class has a reason, and a table that is not read as it is written is refused.

    distances_test.py BUILD
"""
import lzma
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = None
DATA = "validation/published/distances"


class DistancesTest(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="sassim-distances-"))
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        for folder in ("tools", DATA, "configs"):
            shutil.copytree(ROOT / folder, self.top / folder, ignore=shutil.ignore_patterns("__pycache__"))
        (self.top / "validation/results").mkdir()
        shutil.copy(ROOT / "validation/results/vendor-distances.md", self.top / "validation/results")

    def tool(self, *arguments):
        command = [sys.executable, str(self.top / "tools/lab/distances"), "--sassim", str(BUILD / "sassim"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, env={"SASSIM_CONFIGS": str(self.top / "configs")})

    def change(self, file, old, new):
        path = self.top / file
        is_xz = path.suffix == ".xz"
        text = lzma.decompress(path.read_bytes()).decode() if is_xz else path.read_text()
        self.assertTrue(old in text, f"{file} has no {old!r}")
        text = text.replace(old, new, 1).encode()
        path.write_bytes(lzma.compress(text) if is_xz else text)

    def refused(self, text):
        done = self.tool("--check")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(text, done.stderr)

    def test_the_page_is_current(self):
        done = self.tool("--check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_another_latency_is_another_page(self):
        self.change("configs/generations/turing.yaml", "fp16_widen: {pipe: fp16, latency: 8", "fp16_widen: {pipe: fp16, latency: 7")
        self.refused("vendor-distances.md is not current: tools/lab/distances --out validation/results/vendor-distances.md")
        self.assertIn("| `fp16_widen` | 7 | documented | fp16 | 6 | 8 | 8 | 8 | | 6 to 8 | within | no half", self.tool().stdout)

    def test_a_latency_that_differs_needs_a_reason(self):
        self.change("configs/generations/turing.yaml", "idp: {latency: 4}", "idp: {latency: 40}")
        self.refused("configurations.yaml: t4: without a reason: idp; a reason too many: none")

    def test_a_reason_that_nothing_needs_is_refused(self):
        self.change(f"{DATA}/configurations.yaml", "  why:\n", "  why:\n    int_alu: because\n")
        self.refused("configurations.yaml: t4: without a reason: none; a reason too many: int_alu")

    def test_a_row_that_is_nobodys_is_refused(self):
        self.change(f"{DATA}/ampere.yaml.xz", "  dmma: registers.dmma\n", "")
        self.refused("ampere.yaml.xz: rows that no latency of ours stands for: registers.dmma")

    def test_a_latency_that_no_list_has_is_refused(self):
        self.change(f"{DATA}/turing.yaml.xz", "mufu, convert,", "convert,")
        self.refused("turing.yaml.xz: mufu must be in one of ops, ops.counters and ops.none, and in one only")

    def test_a_class_that_nobody_explains_is_refused(self):
        self.change(f"{DATA}/blackwell.yaml.xz", "  elect: ELECT\n", "")
        self.refused("blackwell.yaml.xz: classes without an explanation: elect")

    def test_a_row_that_lost_a_cell_is_refused(self):
        self.change(f"{DATA}/turing.yaml.xz", "      udp     4    6        11\n", "      udp     4    6\n")
        self.refused("turing.yaml.xz: uniform_predicates.raw: row udp: 2 cells under 3 columns")


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
