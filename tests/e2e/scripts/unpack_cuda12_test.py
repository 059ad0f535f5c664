#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/unpack_cuda12 with stand-ins for apt and dpkg: what it says, what it unpacks, and what stops it."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]

APT_GET = """#!/bin/sh
echo "apt-get $*" >>"$FAKE/log"
case "$*" in
  indextargets*) echo 'Debian-Security http://security/'; echo 'Debian http://mirror/debian/' ;;
  *update) [ ! -e "$FAKE/bad-signature" ] || { echo 'not signed'; exit 100; } ;;
  *download*) [ ! -e "$FAKE/no-network" ] || exit 100
     for package in $(echo "$*" | sed 's/.* download //'); do : >"$package.deb"; done ;;
esac
"""
APT_CACHE = """#!/bin/sh
printf 'Size: 2000000\\nInstalled-Size: 3000\\nVersion: %s.1\\n' "${FAKE_VERSION:-12.4}"
"""
DPKG_DEB = """#!/bin/sh
echo "unpack $(basename "$2")" >>"$FAKE/log"
case "$2" in *nvidia-cuda-toolkit.deb)
  inner=$3/usr/lib/nvidia-cuda-toolkit/bin
  mkdir -p "$inner" "$3/usr/bin"
  printf '#!/bin/sh\\necho "release 12.4 $*"\\n' >"$inner/nvcc"
  chmod 755 "$inner/nvcc" ;;
esac
"""


class Unpack(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        self.prefix = self.top / "a folder" / "cuda"
        for name, text in (("apt-get", APT_GET), ("apt-cache", APT_CACHE), ("dpkg-deb", DPKG_DEB)):
            (self.top / name).write_text(text)
            (self.top / name).chmod(0o755)
        # The key is not read by the stand-ins, but the script asks for it.
        script = (ROOT / "tools/unpack_cuda12").read_text()
        (self.top / "key").touch()
        script = script.replace("/usr/share/keyrings/debian-archive-keyring.gpg", str(self.top / "key"))
        self.script = self.top / "unpack"
        self.script.write_text(script)

    def unpack(self, *arguments, status=0, **more):
        environment = {"PATH": f"{self.top}:/usr/bin:/bin", "FAKE": str(self.top), "SASSIM_CUDA12": str(self.prefix), **more}
        done = subprocess.run(["bash", self.script, *arguments], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def log(self):
        text = (self.top / "log").read_text()
        (self.top / "log").write_text("")
        return text

    def test_it_says_first_what_it_downloads_and_the_compiler_runs_where_it_lies(self):
        said = self.unpack().stdout
        self.assertIn("downloading CUDA 12.4, 9 packages: 18 MB, 28 MB unpacked into " + str(self.prefix), said)
        moved = self.prefix.rename(self.top / "moved")
        nvcc = moved / "bin/nvcc"
        self.assertEqual(subprocess.check_output([nvcc, "-c"], text=True), "release 12.4 -ccbin g++-12 -c\n")
        self.assertEqual(subprocess.check_output([nvcc, "-ccbin", "g++-9"], text=True), "release 12.4 -ccbin g++-9\n")
        profile = (moved / "usr/lib/nvidia-cuda-toolkit/bin/nvcc.profile").read_text()
        self.assertNotIn(str(self.top), profile)
        self.assertFalse(list(self.prefix.parent.glob("cuda.unpacking")))

    def test_a_second_run_downloads_nothing_and_libraries_come_on_top(self):
        self.unpack()
        self.log()
        self.assertIn("is here", self.unpack().stdout)
        self.assertFalse((self.top / "log").read_text())
        self.assertIn("10 packages", self.unpack("--libraries").stdout)
        log = self.log()
        self.assertIn("unpack libcublas12.deb", log)
        self.assertNotIn("unpack nvidia-cuda-dev.deb", log)
        self.assertIn("is here", self.unpack("--libraries").stdout)
        self.assertFalse(self.log())

    def test_what_is_downloaded_is_checked_with_debians_key_alone(self):
        self.unpack()
        update = next(line for line in self.log().splitlines() if line.endswith("update"))
        self.assertIn("Dir::Etc::SourceParts=/dev/null", update)
        (self.top / "bad-signature").touch()
        self.prefix = self.top / "other"
        self.assertIn("signature does not hold", self.unpack(status=1).stderr)
        self.assertFalse(self.prefix.exists())
        sources = (self.top / "other.unpacking/sources.list").read_text()
        self.assertEqual(sources, f"deb [arch=amd64 signed-by={self.top}/key] http://mirror/debian/ trixie main non-free\n")

    def test_an_interrupted_download_resumes(self):
        (self.top / "no-network").touch()
        self.assertIn("it resumes", self.unpack(status=1).stderr)
        self.assertFalse(self.prefix.exists())
        (self.top / "no-network").unlink()
        self.unpack()

    def test_another_version_and_a_foreign_folder_are_refused(self):
        self.assertIn("now has CUDA 12.9.1, expected 12.4", self.unpack(status=1, FAKE_VERSION="12.9").stderr)
        self.prefix = self.top / "mine"
        self.prefix.mkdir()
        self.assertIn("is no folder of this script", self.unpack(status=1).stderr)
        self.assertFalse(list(self.prefix.iterdir()))


if __name__ == "__main__":
    unittest.main()
