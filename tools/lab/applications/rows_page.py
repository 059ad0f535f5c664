# SPDX-License-Identifier: Apache-2.0
"""Pages of rows that others measured: one for each generation or board (tools/lab/accuracy_rows.py simulates the rows)."""
import dataclasses

COUNTERS = [
    ("L1 loads", "l1", ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum"]),
    ("L2 reads", "l2", ["lts__t_sectors_srcunit_tex_op_read.sum"]),
    ("DRAM", "dram", ["dram__sectors_read.sum", "dram__sectors_write.sum"]),
]
FEW = 2048  # sectors: an error of counters is relative to at least so many
LONG = 10000  # cycles
SAME_CODE = 0.005


@dataclasses.dataclass(frozen=True)
class Quantity:
    """A counter of a profile, beside a kernel's cycles."""
    key: str
    title: str
    metrics: tuple      # summed
    tolerance: float
    points: bool        # the difference counts, not the relative error
    floor: float = 0    # what is measured below it says little: a relative error is of at least so much
    scale: float = 1
    digits: int = 1
    of_elapsed: bool = False  # a sum over all SMs, in percent of their cycles


QUANTITIES = (
    Quantity("active", "active cycles, mean of the SMs", ("sm__cycles_active.avg",), 0.05, False, digits=0),
    Quantity("instructions", "instructions", ("smsp__inst_executed.sum",), SAME_CODE, False, digits=0),
    Quantity("l1_hit", "L1 hit rate, %", ("l1tex__t_sector_hit_rate.pct",), 3, True),
    Quantity("l2_hit", "L2 hit rate, %", ("lts__t_sector_hit_rate.pct",), 3, True),
    Quantity("dram_bytes", "DRAM with check bits, MB", ("dram__bytes.sum", "sassim__dram_bytes_check.sum"), 0.10, False, floor=65536, scale=1e-6, digits=3),
    Quantity("occupancy", "achieved occupancy, %", ("sm__warps_active.avg.pct_of_peak_sustained_active",), 5, True),
    Quantity("memory_pipe", "memory pipes busy, %", ("sassim__memory_stage_busy_cycles.sum",), 5, True, of_elapsed=True),
    Quantity("l1_busy", "L1 busy, % of active", ("l1tex__throughput.avg.pct_of_peak_sustained_active",), 5, True),
    Quantity("issue", "schedulers busy, % of active", ("smsp__issue_active.avg.pct_of_peak_sustained_active",), 5, True),
    Quantity("conflicts", "bank conflicts", ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",), 0.05, False, digits=0),
    Quantity("tensor_pipe", "tensor pipe busy, %", ("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",), 5, True),
)


def value(quantity, metrics):
    found = sum(metrics[name] for name in quantity.metrics)
    return 100 * found / metrics["launch__sm_count"] / metrics["sm__cycles_elapsed.max"] if quantity.of_elapsed else found


def difference(quantity, row):
    """Points, or the relative error; None where the profile does not tell."""
    if quantity.key not in row["row"]:
        return None
    ours, theirs = value(quantity, row["metrics"]), row["row"][quantity.key]
    if quantity.points:
        return ours - theirs
    return (ours - theirs) / max(theirs, quantity.floor) if max(theirs, quantity.floor) else float(ours != theirs)


def cell(quantity, row):
    if quantity.key not in row["row"]:
        return ""
    return " / ".join(f"{number * quantity.scale:.{quantity.digits}f}" for number in (value(quantity, row["metrics"]), row["row"][quantity.key]))


def other_code(row):
    """Whether the measured program executed other instructions than this one: True, False, or None if that is not known."""
    changed = difference(QUANTITIES[1], row)
    return None if changed is None else abs(changed) > SAME_CODE


def summary(rows):
    errors = sorted(abs(row["error"]) for row in rows)
    return (sum(errors) / len(errors), errors[(len(errors) * 9 + 9) // 10 - 1],
            sum(row["error"] for row in rows) / len(rows))


def unit_of(board):
    return "cycles" if board["measured"] == "profiled" else "us"


def sector_cells(row):
    cells = ""
    for _, key, names in COUNTERS:
        if key in row["row"]:
            ours, theirs = [row["metrics"][name] for name in names], row["row"][key]
            error = (sum(ours) - sum(theirs)) / max(sum(theirs), FEW)
            cells += f" {' + '.join(f'{count:.0f}' for count in ours)} ({theirs[0]} + {theirs[1]}) {100 * error:+.1f} % |"
    return cells


def lines_of(board, rows):
    """A line of the table for each row."""
    digits = 0 if unit_of(board) == "cycles" else 2
    lines = []
    for row in rows:
        mark = " *" if other_code(row) else ""
        line = f"| {row['name']}{mark} | {row['time']:.{digits}f} | {row['measured']:.{digits}f} | {100 * row['error']:+.1f} % |"
        lines.append(line + sector_cells(row) + "".join(f" {cell(quantity, row)} |" for quantity in shown_of(board)))
    return lines


def shown_of(board):
    """The counters that any row of the board has, so that a line is the same among few rows and among all."""
    return [quantity for quantity in QUANTITIES if quantity.key in board["counters"]]


def table(board, rows):
    mean, ninety, bias = summary(rows)
    unit = unit_of(board)
    lines = [f"## {board['name']}", "", f"{len(rows)} rows: mean error {100 * mean:.1f} %, 90th percentile {100 * ninety:.1f} %, "
             f"bias {100 * bias:+.1f} %.", "", f"Clock: {board['clock']}. Source: {board['source']}.", ""]
    if "worth" in board:
        lines += [f"What the numbers are worth: {board['worth']}", ""]
    if all("set" in row["row"] for row in rows):
        lines += of_sets(board, rows) + of_quantities(board, rows)
    counted = any(key in row["row"] for row in rows for _, key, _ in COUNTERS)
    shown = shown_of(board)
    lines += [f"| kernel | {unit} simulated | measured | error |" +
              ("".join(f" {name}, sectors (measured) |" for name, _, _ in COUNTERS) if counted else "") +
              "".join(f" {quantity.title} |" for quantity in shown),
              "|---|---|---|---|" + ("---|" * len(COUNTERS) if counted else "") + "---|" * len(shown)]
    return lines + lines_of(board, rows) + [""]


def of_sets(board, rows):
    """Errors by set, beside those at first contact."""
    first = board.get("first_contact", {})
    sets = {}
    for row in rows:
        sets.setdefault(row["row"]["set"], []).append(row)
    groups = list(sets.items())
    if unit_of(board) == "cycles":
        groups += [(f"rows above {LONG} cycles", [row for row in rows if row["measured"] > LONG]),
                   ("rows whose instructions are those that were measured", [row for row in rows if other_code(row) is False])]
    lines = ["| set | rows | mean error | bias | worst | at first contact (2026-11-28) |", "|---|---:|---:|---:|---|---|"]
    for name, members in groups:
        if not members:
            continue
        mean, _, bias = summary(members)
        worst = max(members, key=lambda row: abs(row["error"]))
        then = next((entry for names, entry in first.items() if name == names.split(", ")[0]), None)
        before = f"{then['rows']} rows: {then['mean']} %, bias {then['bias']:+.1f} %, worst {then['worst']}" if then else ""
        lines.append(f"| {name} | {len(members)} | {100 * mean:.1f} % | {100 * bias:+.1f} % | {100 * worst['error']:+.1f} %, {worst['name']} | {before} |")
    return lines + [""]


def of_quantities(board, rows):
    """How many rows of each counter are within its tolerance. Short launches say little: their rates come from passes of other lengths,
    with the profiler's own sectors."""
    lines, rows = [], [row for row in rows if row["measured"] > LONG]
    for quantity in shown_of(board):
        found = [difference(quantity, row) for row in rows if quantity.key in row["row"]]
        if not found:
            continue
        scale, unit = (1, "points") if quantity.points else (100, "%")
        within = sum(abs(entry) <= quantity.tolerance for entry in found)
        bias, mean = sum(found) / len(found), sum(map(abs, found)) / len(found)
        lines.append(f"| {quantity.title} | {len(found)} | {within} | {quantity.tolerance * scale:g} {unit} | {mean * scale:.1f} {unit} | {bias * scale:+.1f} {unit} |")
    return [f"Counters of the rows above {LONG} cycles; in shorter launches rates come from passes of other lengths, with the profiler's own sectors.", "",
            "| counter | rows | within | tolerance | mean difference | bias |", "|---|---:|---:|---|---|---|", *lines, ""] if lines else []


INTRODUCTIONS = {
    "generation": "Written by `tools/lab/accuracy`; rows, sources and methods are in `../measured/volta-turing.yaml.xz`, the programs in "
                  "`../programs/applications/volta-turing.tar.xz`. They are programs of the same shape as those that were measured, built with CUDA 11.8: "
                  "instructions differ a little, so single rows are worth some percent. All of these rows were looked at when values of the "
                  "configurations were chosen. Counters: those that hit + those that miss (L2 reads by the L1s: here both in one number), and reads + "
                  "writes of DRAM.",
    "page": "Written by `tools/lab/accuracy`; rows, sources and clocks are in `../measured/t4-v100.yaml.xz`, the programs in `../programs/applications/boards.tar.xz`. They have the shape "
            "of programs that others measured, their launches and sizes, code of this project compiled by CUDA 12.4 (T4) or 11.8 (V100), and a check of their "
            "results. `*`: the measured program executed other instructions (by more than 0.5 %), so the code of its own compiler and flags would decide; "
            "such a row is worth some percent. Counters: simulated / measured. These rows are for development: mechanisms are looked for with them, no value "
            "is chosen by their error.",
}


def page(wanted, data, boards):
    kind = "page" if "page" in data["boards"][0] else "generation"
    title = f"{wanted.capitalize()} on application kernels" if kind == "generation" else f"a {wanted.upper()} on application kernels"
    lines = [f"# Accuracy of {title}", "", INTRODUCTIONS[kind], ""]
    strong = [row for board, rows in boards if not board.get("weak") for row in rows]
    if kind == "page" and strong:
        mean, ninety, bias = summary(strong)
        worst = max(strong, key=lambda row: abs(row["error"]))
        lines += [f"**{len(strong)} rows, mean error {100 * mean:.1f} %**, 90th percentile {100 * ninety:.1f} %, bias {100 * bias:+.1f} %, "
                  f"worst {100 * worst['error']:+.1f} % ({worst['name']}).", ""]
    for board, rows in boards:
        lines += table(board, rows)
    left = [entry for entry in data.get("not_compared", []) if entry["board"] in [board["name"] for board, _ in boards]]
    if left:
        lines += ["## Measured, not compared", "", "| set | rows | why |", "|---|---:|---|",
                  *(f"| {entry['set']} | {entry['rows']} | {entry['why']} |" for entry in left)]
    return "\n".join(lines).rstrip() + "\n"
