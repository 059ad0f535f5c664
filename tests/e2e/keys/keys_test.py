#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a short kernel with every key of the configuration at its least, its largest and its special values.

  keys_test.py SASSIM                 on one GPU: least and largest, the names of policies, flags, groups that are off
  keys_test.py SASSIM --all           on three GPUs, with zeros, ones, lists and a second kernel
  keys_test.py SASSIM --only PATTERN  the keys that the regular expression finds

What must come of each: a result (status 0), or status 3 with a message that names the key; in 20 seconds of processor
time and 1 GiB of memory. Exit status: 0 so it is; 1 some are not, each named with what came of it."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
GPUS = {"t4": "sm_75", "v100": "sm_70", "h200": "sm_90"}
SECONDS, BYTES = 20, 1 << 30
UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
# With how a range is written by 'config explain'.
RANGE = re.compile(r"(true or false|any text|a policy's name|one of (?:\w+, )*\w+|(\S+?)\.\.(\S+?)(?:/s)?(?: cycles)?"
                   r"(?:, or a time in ns|, or sm)?) +(?=[A-Z`])")


def keys_of(sassim):
    """(key, what it allows) of every key, as the command explains them."""
    text = subprocess.run([sassim, "config", "explain", "--all"], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        match = re.match(r"  ([a-z]\S*) +(\S.*)", line)
        if not match:
            continue
        allowed = RANGE.match(match[2] + " A")
        if not allowed:
            sys.exit(f"keys_test: cannot tell what {match[1]} allows: {match[2]}")
        yield match[1], allowed


def is_list(sassim, gpu, key):
    return key in lists_of(sassim, gpu)


def lists_of(sassim, gpu, cache={}):
    """The keys whose values are lists: they take an empty one."""
    if gpu not in cache:
        keys = ["sm.occupancy.carveouts", "sm.shared.atomic_hold", "launch.sm_order",
                "launch.group_sms", "memory.crossbar.gpc_sms", "memory.halves.gpcs"]
        cache[gpu] = set(keys)
    return cache[gpu]


def policies_of(sassim, gpu, key, trace):
    """The names of a policy, which the message about an unknown one lists."""
    said = run_one(sassim, gpu, trace, f"{key}=unknown_policy").said
    names = re.search(r"known: ([\w, ]+)", said)
    if not names:
        sys.exit(f"keys_test: no message lists the policies of {key}: {said}")
    return names[1].split(", ")


class Outcome:
    def __init__(self, status, said, seconds, memory):
        self.status, self.said, self.seconds, self.memory = status, said, seconds, memory

    def wrong_about(self, key, unlimited):
        """What is wrong with it; nothing is."""
        if self.memory > BYTES and not unlimited:
            return f"took {self.memory >> 20} MiB"
        if self.status in (-24, -9):
            return f"took more than {SECONDS} s"
        if self.status == 0:
            return ""
        if self.status != 3:
            return f"ended with status {self.status}"
        return "" if names(self.said, key) else "was refused for a reason that does not name the key"


def names(said, key):
    """Whether a message names the key: in full, by its end (l2.group.span), or as a part of the group that it names
    (memory.l2.size: ... 16 ways)."""
    parts = key.split(".")
    if any(word(".".join(parts[start:]), said) for start in range(max(1, len(parts) - 1))):
        return True
    group = any(word(".".join(parts[:end]), said) for end in range(2, len(parts)))
    return group and re.search(rf"\b{parts[-1].replace('_', '[_ ]')}s?\b", said) is not None


def word(text, said):
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", said) is not None


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (4 * BYTES, 4 * BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def no_limit():
    pass


def run_one(sassim, gpu, trace, override, limit=limit):
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([sassim, "run", str(trace), "--config", gpu, "-o", override], stdout=out, stderr=out,
                                 stdin=subprocess.DEVNULL, preexec_fn=limit)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read().decode(errors="replace")
    return Outcome(child.returncode, said, used.ru_utime + used.ru_stime, used.ru_maxrss << 10)


def number(text):
    match = re.match(r"(\d+)(\w*)$", text)
    return int(match[1]) * UNITS.get(match[2], 1) if match else None


def values_of(sassim, gpu, key, allowed, trace, whole):
    what = allowed[1]
    if what == "true or false":
        return ["true", "false"]
    if what == "any text":
        return ["some text"] + (["x" * 5000] if whole else [])
    if what == "a policy's name":
        return policies_of(sassim, gpu, key, trace)
    if what.startswith("one of "):
        return what[len("one of "):].split(", ")
    least, largest = allowed[2], allowed[3]
    if is_list(sassim, gpu, key):
        lists = ["[]", f"[{least}]", f"[{largest}]"]
        rising = [str(number(least) + i) for i in range(1000)]
        return lists + ([f"[{', '.join([largest] * 6)}]", f"[{', '.join(rising)}]"] if whole else [])
    values = [least, largest]
    if whole and number(least) == 0:
        values += ["1"] if number(largest) != 1 else []
    if what.endswith(", or sm"):
        values.append("sm")
    return values


def points_of(sassim, options):
    """(GPU, trace, key, value) of every run."""
    keys = list(keys_of(sassim))
    groups = sorted({key.rsplit(".", 1)[0] for key, _ in keys if "." in key})
    for gpu in options.gpu:
        for trace in options.trace:
            path = pathlib.Path(sassim).resolve().parent / "traces" / GPUS[gpu] / f"{trace}.sast"
            for key, allowed in keys:
                if re.search(options.only, key):
                    for value in values_of(sassim, gpu, key, allowed, path, options.all):
                        yield gpu, path, key, value
            for group in groups:
                if re.search(options.only, group):
                    yield gpu, path, group, "none"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sassim")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--gpu", action="append", choices=sorted(GPUS))
    parser.add_argument("--trace", action="append")
    parser.add_argument("--unlimited", action="store_true",
                        help="the command may take any time and memory: a sanitizer reserves terabytes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.gpu = options.gpu or (list(GPUS) if options.all else ["t4"])
    options.trace = options.trace or (["reduce-2", "transpose_naive"] if options.all else ["reduce-2"])
    points = list(points_of(options.sassim, options))
    if not points:
        sys.exit("keys_test: no key is like that")
    counts, wrong = {}, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        limits = no_limit if options.unlimited else limit
        outcomes = pool.map(lambda point: run_one(options.sassim, point[0], point[1], f"{point[2]}={point[3]}", limits), points)
        for (gpu, trace, key, value), outcome in zip(points, outcomes):
            counts[outcome.status] = counts.get(outcome.status, 0) + 1
            if why := outcome.wrong_about(key, options.unlimited):
                wrong += 1
                print(f"{gpu} {trace.stem}: {key}={value[:60]} {why}: {outcome.said.strip()[-300:]}", flush=True)
    print(f"{len(points)} points: " + ", ".join(f"{counts[s]} with status {s}" for s in sorted(counts)))
    if counts.get(0, 0) == 0:
        sys.exit("keys_test: nothing was simulated")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
