# SPDX-License-Identifier: Apache-2.0
"""Manual pages and completions have every option of every command that --help shows, and shells accept them.

    completions_test.py BUILD_FOLDER
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
SASSIM = BUILD / "sassim"


def output_of(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def commands_below(path):
    """{path: its options, by what --help prints}"""
    text = output_of(SASSIM, *path, "--help")
    options = set()
    for names in re.findall(r"^  (-\S+)", text.split("Options:", 1)[-1].split("Subcommands:")[0], flags=re.M):
        options |= set(names.split(","))
    found = {path: options}
    for name in re.findall(r"^  ([a-z]\S*) ", text.split("Subcommands:", 1)[1], flags=re.M) if "Subcommands:" in text else []:
        found |= commands_below((*path, name))
    return found


class CompletionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = commands_below(())
        assert len(cls.commands) > 20 and "--json" in cls.commands[("run",)] and ("config", "list") in cls.commands

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sassim-completions-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def script(self, shell):
        file = self.folder / f"sassim.{shell}"
        file.write_text(output_of(SASSIM, "completions", shell))
        return file

    def bash(self, *words):
        script = (f"source '{self.script('bash')}'; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _sassim; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        environment = {**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"}
        return subprocess.run(["bash", "-c", script, "bash", *words], check=True, capture_output=True, text=True, cwd=self.folder,
                              env=environment).stdout.split()

    def test_bash_offers_every_option_of_every_command(self):
        for path, options in self.commands.items():
            self.assertEqual(set(self.bash("sassim", *path, "--")), {option for option in options if option.startswith("--")}, path)
        self.assertIn("explore", self.bash("sassim", "ex"))
        self.assertEqual(set(self.bash("sassim", "config", "")) - {"sassim.bash"},
                         {path[1] for path in self.commands if len(path) == 2 and path[0] == "config"} | self.commands[("config",)])

    def test_bash_offers_values(self):
        self.assertEqual(self.bash("sassim", "run", "--caches", "w"), ["warm"])
        self.assertIn("v100", self.bash("sassim", "run", "--config", "v1"))
        (self.folder / "some.json").write_text("")
        self.assertEqual(self.bash("sassim", "run", "--json", "some"), ["some.json"])

    def test_zsh_and_fish_have_them_too(self):
        zsh, fish = self.script("zsh").read_text(), self.script("fish").read_text()
        for path, options in self.commands.items():
            name = "_".join(("_sassim", *path))
            body = re.search(rf"^{name}\(\) {{\n(.*?)^}}$", zsh, flags=re.M | re.S)
            self.assertIsNotNone(body, name)
            for option in options:
                self.assertRegex(body[1], rf"'\*?{option}\[", path)
            for option in (option[2:] for option in options if option.startswith("--")):
                condition = "__fish_use_subcommand" if not path else "; and ".join(f"__fish_seen_subcommand_from {word}" for word in path)
                self.assertRegex(fish, rf"(?m)^complete -c sassim -n '{condition}'.* -l {option} ", path)

    def test_the_shells_read_their_scripts(self):
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell):
                subprocess.run([shell, "-n", str(self.script(shell))], check=True)

    def test_every_command_has_a_page_with_every_option(self):
        output_of(SASSIM, "man", self.folder / "man1")
        pages = {page.name for page in (self.folder / "man1").iterdir()}
        self.assertEqual(pages, {"-".join(("sassim", *path)) + ".1" for path in self.commands})
        for path, options in self.commands.items():
            page = self.folder / "man1" / ("-".join(("sassim", *path)) + ".1")
            text = page.read_text().replace("\\-", "-")
            for option in options:
                self.assertIn(f"\\fB{option}\\fR", text, page.name)
            if shutil.which("groff"):
                done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", str(page)], capture_output=True, text=True, check=True)
                self.assertEqual(done.stderr, "", page.name)

    def test_an_unknown_shell_is_refused(self):
        done = subprocess.run([str(SASSIM), "completions", "tcsh"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main()
