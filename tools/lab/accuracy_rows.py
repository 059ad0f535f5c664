# SPDX-License-Identifier: Apache-2.0
"""The part of tools/lab/accuracy that compares rows of others' measurements (validation/measured: volta-turing.yaml.xz, t4-v100.yaml.xz).

Each program runs once on the functional emulator, which checks its results and keeps a trace of its launch. The trace is
then replayed on the board: twice in a row, the second time counted, where launches in a row were measured; once with
empty caches where a profiler flushed them, and where one kernel was timed that reads what nothing has read before.
"""
import json
import lzma
import os
import shlex
import shutil
import subprocess
import tarfile
from concurrent.futures import ThreadPoolExecutor

from applications import rows_page
from applications.launches import CYCLES

# File of rows, folder of their programs, by what names their boards have in common.
FILES = (("generation", "volta-turing"), ("page", "t4-v100"))
# How a board was measured, the list of its rows, and whether that is in microseconds.
KINDS = {"launches in a row": ("events", True), "profiled": ("profiles", False), "kernel time": ("times", True), "host timer": ("times", True)}


def load(path):
    try:
        import yaml
    except ImportError as error:
        raise SystemExit("tools/lab/accuracy --rows reads YAML: install python3-yaml") from error
    packed = path.with_suffix(".yaml.xz")
    return yaml.safe_load(lzma.open(packed, "rt").read() if packed.exists() else path.read_text())


def read(root, wanted):
    """The file whose boards are called `wanted` (volta, turing, t4, v100), with these boards alone."""
    known = []
    for key, name in FILES:
        data = load(root / f"validation/measured/{name}.yaml")
        boards = [board for board in data["boards"] if board[key] == wanted]
        known += sorted({board[key] for board in data["boards"]})
        for board in boards:
            board["counters"] = {key for row in data[KINDS[board["measured"]][0]] if board["name"] in row for key in row}
        if boards:
            return {**data, "boards": boards}
    raise SystemExit(f"tools/lab/accuracy: no rows of '{wanted}'; known: {', '.join(known)}")


def rows_of(data):
    """(board, row, time) in the order of the page."""
    return [(board, row, row[board["name"]]) for board in data["boards"]
            for row in data[KINDS[board["measured"]][0]] if board["name"] in row]


def configuration(board):
    return board.get("config", board["name"])


def prepared(options, root, board):
    """The folder of programs that another CUDA compiled than the one that builds the rest, and of their disassembly; None if the board has none."""
    if "prepared" not in board:
        return None
    archive = root / f"validation/programs/prepared/{board['prepared']}.tar.xz"
    folder = options.work / "prepared" / board["prepared"]
    if not folder.exists() or folder.stat().st_mtime < archive.stat().st_mtime:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with tarfile.open(archive) as content:
            content.extractall(folder)
        os.utime(folder)
    return folder


def record(options, root, board, row):
    """The trace of the program's launch, made if it is not there or older than the program."""
    ready = prepared(options, root, board)
    binary = (ready / "programs" if ready else root / f"build/validation/{board['arch']}-shared") / row["program"]
    if not binary.exists():
        raise SystemExit(f"tools/lab/accuracy: {binary} is missing: validation/build --arch {board['arch']} --cudart shared")
    name = "-".join([board["arch"], row["program"], *row["arguments"].split()]).replace("=", "_")
    folder = options.work / "traces" / name
    traces = sorted(folder.glob("*.sast")) if folder.exists() else []
    made = (ready or binary).stat().st_mtime
    if traces and traces[0].stat().st_mtime > made:
        return traces[0]
    shutil.rmtree(folder, ignore_errors=True)
    command = [str(options.sassim), "exec", "--config", configuration(board), "--functional", "--save-traces", str(folder), "--",
               str(binary), *shlex.split(row["arguments"])]
    listings = {"SASSIM_LISTINGS": str(ready / "listings")} if ready else {}
    done = subprocess.run(command, env={**os.environ, **listings}, capture_output=True, text=True, check=False)
    traces = sorted(folder.glob("*.sast"))
    if done.returncode != 0 or len(traces) != 1:
        raise SystemExit(f"tools/lab/accuracy: {shlex.join(command)}: exit status {done.returncode}, {len(traces)} launches "
                         f"recorded, expected 0 and 1\n{done.stdout}{done.stderr}")
    return traces[0]


def newest_configuration(root):
    """Results older than any configuration file are made again."""
    return max(path.stat().st_mtime for path in (root / "configs").rglob("*.yaml"))


def simulate(options, root, board, row):
    trace = str(record(options, root, board, row))
    result = options.work / f"{board['name']}.{row['program']}.{'.'.join(row['arguments'].split())}.json"
    if not (options.reuse and result.exists() and result.stat().st_mtime > newest_configuration(root)):
        warm = board["measured"] == "launches in a row"
        command = [str(options.sassim), "run", trace, *([trace] if warm else []), "--config", configuration(board), "--caches",
                   "keep" if warm else "cold", "--lines", "0", "--json", str(result)]
        command += ["--clocks", board["clocks"]] if "clocks" in board else []
        for override in [*board.get("settings", []), *row.get("settings", []), *options.override]:
            command += ["-o", override]
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit, check=False)
        if done.returncode != 0:
            raise SystemExit(f"tools/lab/accuracy: {shlex.join(command)}: {done.stderr.strip()}")
    return json.loads(result.read_text())


def compare(board, row, measured, simulated):
    metrics = simulated["kernels"][-1]["metrics"]
    clock = simulated["config"]["resolved"]["clock"]["sm"] / 1e6
    cycles = metrics[CYCLES] + (metrics["sassim__launch_overhead_cycles"] if board["measured"] == "host timer" else 0)
    time = cycles / clock if KINDS[board["measured"]][1] else cycles
    arguments = dict(part.split("=") for part in row["arguments"].split())
    name = row["kernel"] + "".join(f", {key} = {arguments[key]}" for key in ("n", "offset") if key in arguments)
    return {"row": row, "name": name, "time": time, "measured": measured, "error": time / measured - 1, "metrics": metrics}


def compared_rows(options, root):
    """Boards and their rows that options.only chooses, simulated."""
    data = read(root, options.rows)
    wanted = [job for job in rows_of(data)
              if (options.only is None or options.only in f"{job[0]['name']} {job[1]['kernel']} {job[1]['arguments']}")]
    if not wanted:
        raise SystemExit(f"tools/lab/accuracy: no row of '{options.rows}' has '{options.only}' in its name")
    for board in data["boards"]:
        prepared(options, root, board)    # once, before several rows ask for it
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda job: compare(job[0], job[1], job[2], simulate(options, root, job[0], job[1])), wanted))
    boards = [(board, [result for job, result in zip(wanted, results) if job[0] is board]) for board in data["boards"]]
    return data, [(board, rows) for board, rows in boards if rows]


def check(options, root):
    """The rows that are not as options.check, a page, has them, on standard output. Exit status 1 if there are any."""
    kept, board = set(), ""
    for line in options.check.read_text().splitlines():
        board = line[3:] if line.startswith("## ") else board
        kept.add((board, line))
    differ = compared = 0
    for board, rows in compared_rows(options, root)[1]:
        for line in rows_page.lines_of(board, rows):
            compared += 1
            if (board["name"], line) not in kept:
                differ += 1
                print(f"{board['name']} now: {line}")
    print(f"{compared} rows compared with {options.check}: {differ} differ")
    if differ:
        print(f"if the change is meant, record it in the same commit: tools/lab/accuracy --rows {options.rows} --out {options.check}")
    return 1 if differ else 0


def page(options, root):
    return rows_page.page(options.rows, *compared_rows(options, root))
