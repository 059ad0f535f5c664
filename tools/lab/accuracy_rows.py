# SPDX-License-Identifier: Apache-2.0
"""The part of tools/lab/accuracy that compares rows of others' measurements (validation/measured/volta-turing.yaml).

Each program runs once on the functional emulator, which checks its results and keeps a trace of its launch. The trace is
then replayed on the board: twice in a row, the second time counted, where launches in a row were measured; once with
empty caches where a profiler flushed them.
"""
import json
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

CYCLES = "gpc__cycles_elapsed.max"
COUNTERS = [
    ("L1 loads", "l1", ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum"]),
    ("L2 reads", "l2", ["lts__t_sectors_srcunit_tex_op_read.sum"]),
    ("DRAM", "dram", ["dram__sectors_read.sum", "dram__sectors_write.sum"]),
]
FEW = 2048  # sectors: an error of counters is relative to at least so many


def load(path):
    try:
        import yaml
    except ImportError as error:
        raise SystemExit("tools/lab/accuracy --rows reads YAML: install python3-yaml") from error
    return yaml.safe_load(path.read_text())


def rows_of(data, generation):
    """(board, row, time) in the order of the page."""
    boards = [board for board in data["boards"] if board["generation"] == generation]
    known = sorted({board["generation"] for board in data["boards"]})
    if not boards:
        raise SystemExit(f"tools/lab/accuracy: no board of generation '{generation}'; known: {', '.join(known)}")
    return [(board, row, row[board["name"]]) for board in boards
            for row in data["events" if board["measured"] == "launches in a row" else "profiles"] if board["name"] in row]


def record(options, root, board, row):
    """The trace of the program's launch, made if it is not there or older than the program."""
    binary = root / f"build/validation/{board['arch']}-shared/{row['program']}"
    if not binary.exists():
        raise SystemExit(f"tools/lab/accuracy: {binary} is missing: validation/build --arch {board['arch']} --cudart shared")
    name = "-".join([board["arch"], row["program"], *row["arguments"].split()]).replace("=", "_")
    folder = options.work / "traces" / name
    traces = sorted(folder.glob("*.sast")) if folder.exists() else []
    if traces and traces[0].stat().st_mtime > binary.stat().st_mtime:
        return traces[0]
    shutil.rmtree(folder, ignore_errors=True)
    command = [str(options.sassim), "exec", "--config", board["name"], "--functional", "--save-traces", str(folder), "--",
               str(binary), *shlex.split(row["arguments"])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
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
        command = [str(options.sassim), "run", trace, *([trace] if warm else []), "--config", board["name"], "--caches",
                   "keep" if warm else "cold", "--lines", "0", "--json", str(result)]
        for override in [*board.get("settings", []), *row.get("settings", []), *options.override]:
            command += ["-o", override]
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit, check=False)
        if done.returncode != 0:
            raise SystemExit(f"tools/lab/accuracy: {shlex.join(command)}: {done.stderr.strip()}")
    return json.loads(result.read_text())


def compare(board, row, measured, simulated):
    metrics = simulated["kernels"][-1]["metrics"]
    clock = simulated["config"]["resolved"]["clock"]["sm"] / 1e6
    cycles = metrics[CYCLES]
    events = board["measured"] == "launches in a row"
    time = cycles / clock if events else cycles
    n = dict(part.split("=") for part in row["arguments"].split()).get("n", "")
    out = {"name": row["kernel"] + (f", n = {n}" if n else ""), "time": time, "measured": measured,
           "error": time / measured - 1, "cycles": cycles, "counters": []}
    for _, key, names in COUNTERS:
        if key in row:
            ours = [metrics[name] for name in names]
            out["counters"].append((ours, row[key], (sum(ours) - sum(row[key])) / max(sum(row[key]), FEW)))
    return out


def summary(rows):
    errors = sorted(abs(row["error"]) for row in rows)
    return (sum(errors) / len(errors), errors[(len(errors) * 9 + 9) // 10 - 1],
            sum(row["error"] for row in rows) / len(rows))


def table(board, rows):
    mean, ninety, bias = summary(rows)
    events = board["measured"] == "launches in a row"
    unit = "us" if events else "cycles"
    lines = [f"## {board['name']}", "", f"{len(rows)} rows: mean error {100 * mean:.1f} %, 90th percentile {100 * ninety:.1f} %, "
             f"bias {100 * bias:+.1f} %.", "", f"Clock: {board['clock']}. Source: {board['source']}.", ""]
    counted = not events
    lines += [f"| kernel | {unit} simulated | measured | error |" +
              ("".join(f" {name}, sectors (measured) |" for name, _, _ in COUNTERS) if counted else ""),
              "|---|---|---|---|" + ("---|" * len(COUNTERS) if counted else "")]
    for row in rows:
        digits = 2 if events else 0
        line = f"| {row['name']} | {row['time']:.{digits}f} | {row['measured']:.{digits}f} | {100 * row['error']:+.1f} % |"
        for ours, theirs, error in row["counters"]:
            line += f" {' + '.join(f'{count:.0f}' for count in ours)} ({theirs[0]} + {theirs[1]}) {100 * error:+.1f} % |"
        lines.append(line)
    return lines + [""]


def compared_rows(options, root):
    """Boards and their rows that options.only chooses, simulated."""
    data = load(root / "validation/measured/volta-turing.yaml")
    wanted = [job for job in rows_of(data, options.rows)
              if (options.only is None or options.only in f"{job[0]['name']} {job[1]['kernel']} {job[1]['arguments']}")]
    if not wanted:
        raise SystemExit(f"tools/lab/accuracy: no row of '{options.rows}' has '{options.only}' in its name")
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda job: compare(job[0], job[1], job[2], simulate(options, root, job[0], job[1])), wanted))
    boards = [(board, [result for job, result in zip(wanted, results) if job[0] is board]) for board in data["boards"]]
    return [(board, rows) for board, rows in boards if rows]


def check(options, root):
    """The rows that are not as options.check, a page, has them, on standard output. Exit status 1 if there are any."""
    kept, board = set(), ""
    for line in options.check.read_text().splitlines():
        board = line[3:] if line.startswith("## ") else board
        kept.add((board, line))
    differ = compared = 0
    for board, rows in compared_rows(options, root):
        for line in table(board, rows)[-1 - len(rows):-1]:
            compared += 1
            if (board["name"], line) not in kept:
                differ += 1
                print(f"{board['name']} now: {line}")
    print(f"{compared} rows compared with {options.check}: {differ} differ")
    if differ:
        print(f"if the change is meant, record it in the same commit: tools/lab/accuracy --rows {options.rows} --out {options.check}")
    return 1 if differ else 0


def page(options, root):
    lines = [f"# Accuracy of {options.rows.capitalize()} on application kernels", "",
             "Written by `tools/lab/accuracy`; rows, sources and methods are in `../measured/volta-turing.yaml`, the programs in "
             "`../programs/applications/volta-turing/`. They are programs of the same shape as those that were measured, built with CUDA 11.8: "
             "instructions differ a little, so single rows are worth some percent. All of these rows were looked at when values of the "
             "configurations were chosen. Counters: those that hit + those that miss (L2 reads by the L1s: here both in one number), and reads + "
             "writes of DRAM.", ""]
    for board, rows in compared_rows(options, root):
        lines += table(board, rows)
    return "\n".join(lines).rstrip() + "\n"
