#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives the FMULs of the kernels f32_scaled_FACTOR the factor in their names, in a program or cubin made from what
`generate.py --scaled` writes.

    ./patch_fmul.py PROGRAM
"""
import struct
import sys

from patch_mufu import functions

FACTORS = {"d8": 1, "d4": 2, "d2": 3, "m2": 5, "m4": 6, "m8": 7}  # bits 84 to 86 of the instruction; 4: none
NONE = 4

program = sys.argv[1]
image = bytearray(open(program, "rb").read())
for name, code in functions(program).items():
    start = image.find(b"".join(encoding for _, encoding in code))
    if start < 0:
        sys.exit(f"{program}: the code of {name} is compressed: build with -Xfatbin --compress=false")
    for index, (text, encoding) in enumerate(code):
        if text.startswith("FMUL"):
            high = struct.unpack("<Q", encoding[8:])[0]
            assert high >> 20 & 7 == NONE
            at = start + 16 * index + 8
            image[at:at + 8] = struct.pack("<Q", high & ~(7 << 20) | FACTORS[name.rsplit("_", 1)[1]] << 20)
open(program, "wb").write(image)
