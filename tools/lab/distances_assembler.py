# SPDX-License-Identifier: Apache-2.0
"""What NVIDIA's assembler keeps behind matrix products: compiles chains of them, and adds up the stall counts of the control bits."""
import pathlib
import re
import subprocess
import tempfile

ARCHITECTURES = (75, 80, 86, 89, 90)
# PTX shape and types; 32-bit registers of A and B, registers of the accumulator, their constraint; the first architecture.
SHAPES = (("m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, "f", 75), ("m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, "f", 80),
          ("m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, "f", 80), ("m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, "f", 80),
          ("m8n8k16.row.col.s32.s8.s8.s32", 1, 1, 2, "r", 75), ("m16n8k16.row.col.s32.s8.s8.s32", 2, 1, 4, "r", 80),
          ("m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, "r", 80))
LINE = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(.*?);\s+/\* 0x[0-9a-f]{16} \*/")
HIGH = re.compile(r"/\* 0x([0-9a-f]{16}) \*/")
HEAD = """# SPDX-License-Identifier: Apache-2.0
#
# What the assembler of {version} keeps behind matrix products, in cycles from issue to issue: chain, to a product that
# takes the result as its accumulator; reader, to FADD or LOP3. guarded: the product holds a dependence counter, too. Written by
# tools/lab/distances --assembler: kernels of three products that depend on each other and one instruction that reads the result, whose stall
# counts are added up.
"""


def kernel(number, shape):
    name, a, b, c, constraint, _ = shape
    result = "float" if constraint == "f" else "unsigned"
    places = lambda first, count: ",".join(f"%{i}" for i in range(first, first + count))
    outputs = ",".join(f'"+{constraint}"(c[{i}])' for i in range(c))
    inputs = ",".join([*(f'"r"(in[{i}])' for i in range(a)), *(f'"r"(in[{8 + i}])' for i in range(b))])
    product = (f'asm volatile("mma.sync.aligned.{name} {{{places(0, c)}}}, {{{places(c, a)}}}, {{{places(c + a, b)}}}, {{{places(0, c)}}};"'
               f" : {outputs} : {inputs});\n")
    read = (" + " if constraint == "f" else " ^ ").join(f"c[{i}]" for i in range(c))
    return (f'extern "C" __global__ void chain{number}({result}* out, const unsigned* in) {{\n'
            f"{result} c[{c}] = {{}};\n{product * 3}out[threadIdx.x] = {read};\n}}\n")


def instructions(listing):
    """[(issue cycle, text, holds a counter)] of one kernel."""
    at, result, lines = 0, [], iter(listing.splitlines())
    for line in lines:
        found = LINE.search(line)
        if found:
            control = int(HIGH.search(next(lines)).group(1), 16) >> 41
            result.append((at, found.group(1), control >> 5 & 7 != 7))
            at += control & 15
    return result


def distances(code):
    """(opcode, chain, reader, guarded) of a kernel; reader None if something between products and reader hides it."""
    products = [entry for entry in code if "MMA." in entry[1]]
    first, second, last = products[0], products[1], products[2]
    written = int(re.search(r"MMA\S* R(\d+)", last[1]).group(1))
    for at, text, _ in code:
        registers = [int(number) for number in re.findall(r"\bR(\d+)", text)]
        if at > last[0] and any(written <= number < written + 2 for number in registers[1:]):
            return first[1].split()[0], second[0] - first[0], at - last[0], first[2]
    raise SystemExit(f"distances: nothing reads the result of {last[1]}")


def text(nvcc):
    version = re.search(r"release ([\d.]+)", subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout).group(1)
    out = HEAD.format(version=f"CUDA {version}")
    with tempfile.TemporaryDirectory(prefix="sassim-distances-") as folder:
        source, cubin = pathlib.Path(folder) / "chains.cu", pathlib.Path(folder) / "chains.cubin"
        for arch in ARCHITECTURES:
            source.write_text("".join(kernel(number, shape) for number, shape in enumerate(SHAPES) if shape[5] <= arch))
            subprocess.run([nvcc, f"-arch=sm_{arch}", "-cubin", "-o", str(cubin), str(source)], check=True)
            listing = subprocess.run([str(pathlib.Path(nvcc).parent / "cuobjdump"), "-sass", str(cubin)], capture_output=True, text=True,
                                     check=True).stdout
            out += f"sm_{arch}:\n"
            for opcode, chain, reader, guarded in sorted(distances(instructions(part)) for part in listing.split("Function : ")[1:]):
                out += f"  {opcode}: {{chain: {chain}, reader: {reader}, guarded: {str(guarded).lower()}}}\n"
    return out
