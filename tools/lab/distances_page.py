# SPDX-License-Identifier: Apache-2.0
"""How tools/lab/distances judges a latency, and the page that it writes."""
import dataclasses

VERDICTS = ("the same", "the same for its own class", "within", "shorter", "longer")
AGREE = VERDICTS[:2]
# Columns of the page: a heading, and the readers that it stands for. The first that a row has is shown.
READERS = (("ALU", ("alu", "coupled")), ("FMA", ("fma",)), ("queue", ("decoupled_agu", "decoupled")), ("guard", ("guard",)))


@dataclasses.dataclass
class Row:
    name: str
    ours: int
    word: str            # how sure we are of it
    found: list          # [(vendor, row of its table, {reader: cycles})]
    verdict: str
    why: str = ""

    @property
    def needs_reason(self):
        return self.verdict not in AGREE


@dataclasses.dataclass
class Comparison:
    config: str
    title: str
    vendors: list
    rows: list


def own(row, readers):
    """The distance to a reader of the writer's class (hmma_1688: hmma); of the uniform datapath, to all that it computes."""
    name = "udp" if row.startswith("uniform") else row.split(".")[1]
    return readers.get(name, readers.get(name.split("_")[0]))


def verdict_of(ours, found):
    distances = {cycles for _, _, readers in found for cycles in readers.values()}
    if distances == {ours}:
        return "the same"
    if {own(row, readers) for _, row, readers in found} - {None} == {ours}:
        return "the same for its own class"
    return "shorter" if ours < min(distances) else "longer" if ours > max(distances) else "within"


def rows_of(latencies, vendors):
    """The latencies that have distances. Fails if one has neither distances nor a reason in some table."""
    rows = []
    for vendor in vendors:
        for name in latencies:
            if (name in vendor.rows) + (name in vendor.waits) + (name in vendor.none) != 1:
                raise SystemExit(f"distances: {vendor.file}: {name} must be in one of ops, ops.counters and ops.none, and in one only")
        unknown = (set(vendor.rows) | vendor.waits | set(vendor.none)) - set(latencies)
        if unknown:
            raise SystemExit(f"distances: {vendor.file}: no latency of a configuration: {', '.join(sorted(unknown))}")
    for name, (ours, word) in latencies.items():
        found = [(vendor, row, readers) for vendor in vendors for row, readers in vendor.distances(name)]
        if found:
            rows.append(Row(name, ours, word, found, verdict_of(ours, found)))
    return rows


def cell(values):
    """'4', or '3/5' where rows or tables differ, in their order."""
    return "/".join(dict.fromkeys(str(value) for value in values if value is not None))


def columns_of(row):
    first = cell(own(writer, readers) for _, writer, readers in row.found)
    rest = (cell(next((readers[name] for name in names if name in readers), None) for _, _, readers in row.found) for _, names in READERS)
    distances = [cycles for _, _, readers in row.found for cycles in readers.values()]
    return [first, *rest, f"{min(distances)} to {max(distances)}"]


def writers_of(row):
    places = {"registers": "", "predicates": " (predicate)", "uniform_registers": " (uniform)", "uniform_predicates": " (uniform predicate)"}
    return ", ".join(dict.fromkeys(writer.split(".")[1] + places[writer.split(".")[0]] for _, writer, _ in row.found))


def table_of(comparison):
    against = " and ".join(f"`{vendor.file}`" for vendor in comparison.vendors)
    headings = ["latency", "ours", "known as", "NVIDIA's class", "own class", *(heading for heading, _ in READERS), "all", "verdict", "why"]
    text = f"\n## {comparison.title}\n\nConfiguration `{comparison.config}` against {against}.\n\n| {' | '.join(headings)} |\n"
    text += "|---|---:|---|---" + "|---:" * (2 + len(READERS)) + "|---|---|\n"
    for row in comparison.rows:
        cells = [f"`{row.name}`", str(row.ours), row.word, writers_of(row), *columns_of(row), row.verdict, row.why]
        text += f"| {' | '.join(cells)} |\n".replace("|  ", "| ").replace("  |", " |")
    waits = ", ".join(f"`{name}`" for name in sorted(set.intersection(*(vendor.waits for vendor in comparison.vendors))))
    return text + f"\nWithout a distance, as a reader waits for a dependence counter: {waits}.\n"


def counts_of(comparison):
    count = {verdict: sum(row.verdict == verdict for row in comparison.rows) for verdict in VERDICTS}
    agree = sum(count[verdict] for verdict in AGREE)
    return f"| {comparison.title} | {len(comparison.rows)} | {agree} | {count['within']} | {count['shorter']} | {count['longer']} |\n"


def assembler_table(assembler):
    text = "| | " + " | ".join(assembler) + " |\n" + "|---" * (1 + len(assembler)) + "|\n"
    for opcode in sorted({opcode for rows in assembler.values() for opcode in rows}):
        cells = [rows.get(opcode) for rows in assembler.values()]
        text += f"| {opcode} | " + " | ".join(f"{found['chain']}, {found['reader']}" if found else "-" for found in cells) + " |\n"
    return text


def not_modelled(vendors):
    text = ""
    for vendor in vendors.values():
        text += f"\n{vendor.name.capitalize()}:\n\n"
        text += "".join(f"- {row.replace('.', ', ')}: {reason}\n" for row, reason in vendor.not_modelled.items())
    return text


def page_of(comparisons, vendors, assembler):
    counts = "| generation | latencies with a distance | agree | within | shorter | longer |\n|---|---:|---:|---:|---:|---:|\n"
    counts += "".join(map(counts_of, comparisons))
    return (HEAD + counts + MEANING + "".join(map(table_of, comparisons)) + ASSEMBLER + assembler_table(assembler) + NOT_MODELLED
            + not_modelled(vendors))


HEAD = """# Latencies against NVIDIA's own distances

NVIDIA gave the authors of Mesa's shader compiler the least distances between instructions ([tables](../published/distances/README.md)). Of
the latencies of Turing, Ampere and Hopper, the table counts those that agree; each that is not the distance to its own class has its
reason below. `tools/lab/distances --out validation/results/vendor-distances.md` writes this page.

"""
MEANING = """
*Agree*: our latency is the distance to all readers, or to those of its own class. *Within*: between the distances to different readers.

| corrected by the tables | was | is | what it changes |
|---|---|---|---|
| HMMA.1688 of Turing | 22, the distance of HMMA.16816 | 14 | code waits for it with a counter, too: `hgemm_wmma` on a T4 takes 0.9 % fewer cycles |
| IMMA of Ampere and Hopper | 27 for all shapes | 13, 16 or 24 by shape | as HMMA of equally long rows, which the assembler confirms |
| HMMA.1688 of Ampere | 22 | 16 | no bundled program |
| IDP | pipe of the ALU, latency 5 | FMA pipe, 4 | dot products and FFMA take turns; no bundled trace |
| HADD2.F32 of Turing and Ampere | 6 | 8; 5 | when a result takes the write port; no bundled trace |
| PLOP3, P2R, VOTE; ULDC | 5; 5 | 4; 2 | nothing with control bits |

**Contradictions that stay.** The T4 report measured 5 cycles of IMAD and FMNMX; by NVIDIA it is 4 within the pipe and 5 to the other one. NAK's
distances behind matrix products of Ampere are shorter than those that NVIDIA's assembler keeps; an H200 agrees with the assembler.

**What a latency means.** With control bits a trace has its distances in stall counts, and a latency counts only where code waits with a
dependence counter (FP64 and matrix products up to Ampere), and for the write port of a register bank. Without control bits a scoreboard
waits for the latency. How much later readers of other pipes, addresses and guards can use a result is in `sm.pipes.forwarding`: one cycle
between ALU and FMA pipe, 8 or 9 for a guard. With it, kernels without control bits are within 1.1 to 1.4 % of those with them instead of
2.0 to 2.5 % ([scoreboard.md](scoreboard.md)). IMAD.WIDE, whose halves are ready at different times, has no key of its own.

Columns: *own class*, *ALU* and *FMA* (an instruction of that pipe reads the result), *queue* (one of variable latency, such as a load with
its address), *guard* (a guard or a branch's predicate), *all* (the least and the largest over all readers). Several numbers: of the classes
in their order, of Ampere before Blackwell.
"""
ASSEMBLER = """
## What NVIDIA's assembler keeps

Cycles from a matrix product to one that accumulates on its result, and to an instruction that reads it
([assembler.yaml](../published/distances/assembler.yaml)):

"""
NOT_MODELLED = """
## Rows that no latency stands for

The tables `war` and `waw` are not compared: with control bits their distances are in the stall counts, and a scoreboard lets an instruction
write a register only when earlier results for it are there and earlier instructions have read it.
"""
