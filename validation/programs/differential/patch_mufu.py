#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the EX2 of the kernels for function 5 into SIN, and for 6 into COS, in a program made from mufu_on_gpu.cu.

    ./patch_mufu.py PROGRAM
"""
import re
import struct
import subprocess
import sys

COS, SIN, EX2 = 0, 1, 2  # bits 74 to 77 of the instruction
KERNELS = {"ILi5E": SIN, "ILi6E": COS}


def functions(program):
    """Each kernel's instructions: text and encoding."""
    listing = subprocess.run(["cuobjdump", "-sass", program], capture_output=True, text=True, check=True).stdout.split("\n")
    code = {}
    for i, line in enumerate(listing):
        if name := re.search(r"Function : (\S+)", line):
            current = code.setdefault(name.group(1), [])
        if low := re.match(r"\s+/\*[0-9a-f]{4,5}\*/\s+(.*?);\s+/\* 0x([0-9a-f]{16}) \*/", line):
            high = re.search(r"/\* 0x([0-9a-f]{16}) \*/", listing[i + 1])
            current.append((low.group(1), struct.pack("<QQ", int(low.group(2), 16), int(high.group(1), 16))))
    return code


def main(program):
    image = bytearray(open(program, "rb").read())
    for name, code in functions(program).items():
        for tag, function in KERNELS.items():
            if tag not in name:
                continue
            start = image.find(b"".join(encoding for _, encoding in code))
            if start < 0:
                sys.exit(f"{program}: the code of {name} is compressed: build with -Xfatbin --compress=false")
            for index, (text, encoding) in enumerate(code):
                if "MUFU.EX2" in text:
                    high = struct.unpack("<Q", encoding[8:])[0]
                    assert high >> 10 & 15 == EX2
                    at = start + 16 * index + 8
                    image[at:at + 8] = struct.pack("<Q", high & ~(15 << 10) | function << 10)
    open(program, "wb").write(image)


if __name__ == "__main__":
    main(sys.argv[1])
