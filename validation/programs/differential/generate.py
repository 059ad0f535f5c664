#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes arithmetic.cu: kernels that apply one PTX instruction (or a short random chain of them) to every row of a table
of operands. Each kernel `KIND_GROUP` handles several operations; operation k of row i writes out[k * rows + i] (64-bit
operations write two words). The host programs know the kernels from the list `KERNELS` at the end.

    ./generate.py > arithmetic.cu
    ./generate.py --scaled > scaled.cu    # kernels for patch_fmul.py
    ./generate.py --sparse > sparse.cu    # products of matrices of which half is zero
"""
import random
import sys

ROUND = ["rn", "rz", "rm", "rp"]
kernels = []  # (kind, group, [(name, result type, PTX)])


def group(kind, name, ops):
    kernels.append((kind, name, ops))


def op(name, ptx, result="u32"):
    return (name, result, ptx)


# Operands: 32-bit %a %b %c, 64-bit %A %B %C, 16-bit halves %ha %hb %hc; result %r (32), %R (64), %h (16).
def integers():
    two = lambda n: op(n.replace(".", "_"), f"{n} %r, %a, %b;")
    three = lambda n: op(n.replace(".", "_"), f"{n} %r, %a, %b, %c;")
    one = lambda n: op(n.replace(".", "_"), f"{n} %r, %a;")
    group("i32", "basic", [two(n) for n in ("add.s32", "sub.s32", "mul.lo.s32", "mul.hi.s32", "mul.hi.u32", "min.s32", "min.u32",
                                            "max.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "div.s32", "div.u32", "rem.s32",
                                            "rem.u32", "mul24.lo.s32", "mul24.hi.u32", "add.sat.s32", "sub.sat.s32")])
    group("i32", "fused", [three(n) for n in ("mad.lo.s32", "mad.hi.s32", "mad.hi.u32", "sad.s32", "sad.u32", "dp4a.s32.s32",
                                              "dp4a.u32.u32", "dp4a.s32.u32", "dp4a.u32.s32", "dp2a.lo.s32.s32", "dp2a.hi.u32.s32",
                                              "dp2a.lo.u32.u32", "slct.b32.s32", "bfe.s32", "bfe.u32")])
    group("i32", "bits", [one(n) for n in ("not.b32", "neg.s32", "abs.s32", "popc.b32", "clz.b32", "brev.b32", "bfind.s32", "bfind.u32",
                                           "bfind.shiftamt.s32", "bfind.shiftamt.u32")]
          + [op(f"bfi_{i}", f"bfi.b32 %r, %a, %b, {p}, {w};") for i, (p, w) in enumerate(((0, 8), (5, 20), (31, 4), (3, 32)))]
          + [op("bfi_var", "bfi.b32 %r, %a, %b, %c, 7;"), op("bmsk_clamp", "bmsk.clamp.b32 %r, %a, %b;"),
             op("bmsk_wrap", "bmsk.wrap.b32 %r, %a, %b;"), op("szext_s", "szext.clamp.s32 %r, %a, %b;"),
             op("szext_u", "szext.wrap.u32 %r, %a, %b;")])
    group("i32", "shift", [two(n) for n in ("shl.b32", "shr.u32", "shr.s32")]
          + [three(n) for n in ("shf.l.clamp.b32", "shf.l.wrap.b32", "shf.r.clamp.b32", "shf.r.wrap.b32")]
          + [op(f"shf_{d}_{m}_{k}", f"shf.{d}.{m}.b32 %r, %a, %b, {k};") for d in "lr" for m in ("clamp", "wrap") for k in (1, 13, 31, 32, 40)]
          + [op("prmt" + m.replace(".", "_"), f"prmt.b32{m} %r, %a, %b, %c;") for m in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16")])
    group("i32", "lop3", [op(f"lop3_{t:02x}", f"lop3.b32 %r, %a, %b, %c, {t};") for t in (0x01, 0x17, 0x1b, 0x3a, 0x69, 0x80, 0x96, 0xca, 0xd4, 0xe8, 0xf8, 0xfe)])
    comparisons = []
    for c in ("eq", "ne", "lt", "le", "gt", "ge"):
        for t in ("s32", "u32"):
            comparisons.append(op(f"set_{c}_{t}", f"set.{c}.u32.{t} %r, %a, %b;"))
    for i, j in enumerate(("and", "or", "xor")):
        comparisons.append(op(f"setp_{j}", "{.reg .pred p, q, s; setp.lt.s32 s, %b, %c; setp.ge." + j +
                              ".u32 p|q, %a, %b, s; selp.b32 %r, 3, 5, p; @q add.s32 %r, %r, 64;}"))
    group("i32", "compare", comparisons)
    group("i32", "carry", [
        op("add3", "{.reg .u32 x, y, z; add.cc.u32 x, %a, %b; addc.cc.u32 y, %b, %c; addc.u32 z, %c, %a; xor.b32 x, x, y; xor.b32 %r, x, z;}"),
        op("sub3", "{.reg .u32 x, y, z; sub.cc.u32 x, %a, %b; subc.cc.u32 y, %b, %c; subc.u32 z, %c, %a; xor.b32 x, x, y; xor.b32 %r, x, z;}"),
        op("mad3", "{.reg .u32 x, y, z; mad.lo.cc.u32 x, %a, %b, %c; madc.hi.cc.u32 y, %a, %b, %b; addc.u32 z, 0, 0; xor.b32 x, x, y; xor.b32 %r, x, z;}")])
    w = lambda n, k=2: op(n.replace(".", "_"), f"{n} %R, " + ", ".join(("%A", "%B", "%C")[:k]) + ";", "u64")
    group("i64", "basic", [w(n) for n in ("add.s64", "sub.s64", "mul.lo.s64", "mul.hi.s64", "mul.hi.u64", "min.s64", "min.u64", "max.s64",
                                          "max.u64", "and.b64", "xor.b64", "div.s64", "div.u64", "rem.s64", "rem.u64")]
          + [w("mad.lo.s64", 3), w("abs.s64", 1), w("neg.s64", 1), w("brev.b64", 1)])
    group("i64", "more", [op(f"{s}_64".replace(".", "_"), f"{s} %R, %A, %b;", "u64") for s in ("shl.b64", "shr.u64", "shr.s64")]
          + [op("popc64", "popc.b64 %r, %A;"), op("clz64", "clz.b64 %r, %A;"), op("bfind64", "bfind.s64 %r, %A;")]
          + [op(f"set_{c}_{t}", f"set.{c}.u32.{t} %r, %A, %B;") for c in ("eq", "ne", "lt", "le", "gt", "ge") for t in ("s64", "u64")]
          + [op("mulwide_s", "mul.wide.s32 %R, %a, %b;", "u64"), op("mulwide_u", "mul.wide.u32 %R, %a, %b;", "u64"),
             op("madwide_s", "mad.wide.s32 %R, %a, %b, %C;", "u64"), op("madwide_u", "mad.wide.u32 %R, %a, %b, %C;", "u64")])


def singles():
    for ftz in ("", ".ftz"):
        tag = "ftz" if ftz else "full"
        ops = []
        for r in ROUND:
            for sat in ("", ".sat"):
                s = sat.replace(".", "_")
                ops.append(op(f"add_{r}{s}", f"add.{r}{ftz}{sat}.f32 %r, %a, %b;"))
                ops.append(op(f"mul_{r}{s}", f"mul.{r}{ftz}{sat}.f32 %r, %a, %b;"))
                ops.append(op(f"fma_{r}{s}", f"fma.{r}{ftz}{sat}.f32 %r, %a, %b, %c;"))
        group("f32", f"arith_{tag}", ops)
        ops = [op(f"{m}{v}".replace(".", "_"), f"{m}{ftz}{v}.f32 %r, %a, %b;") for m in ("min", "max") for v in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs")]
        ops += [op(f"set_{c}", f"set.{c}{ftz}.f32.f32 %r, %a, %b;") for c in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")]
        ops += [op("abs", f"abs{ftz}.f32 %r, %a;"), op("neg", f"neg{ftz}.f32 %r, %a;")]
        ops += [op(f"setp_{j}", "{.reg .pred p, s; setp.lt.f32 s, %b, %c; setp.geu." + j + f"{ftz}.f32 p, %a, %b, s; selp.b32 %r, 3, 5, p;}}") for j in ("and", "or", "xor")]
        group("f32", f"compare_{tag}", ops)
        ops = []
        for r in ROUND:
            ops.append(op(f"div_{r}", f"div.{r}{ftz}.f32 %r, %a, %b;"))
            ops.append(op(f"rcp_{r}", f"rcp.{r}{ftz}.f32 %r, %a;"))
            ops.append(op(f"sqrt_{r}", f"sqrt.{r}{ftz}.f32 %r, %a;"))
        group("f32", f"divide_{tag}", ops)


def doubles():
    ops = []
    for r in ROUND:
        ops += [op(f"add_{r}", f"add.{r}.f64 %R, %A, %B;", "u64"), op(f"mul_{r}", f"mul.{r}.f64 %R, %A, %B;", "u64"),
                op(f"fma_{r}", f"fma.{r}.f64 %R, %A, %B, %C;", "u64")]
    group("f64", "arith", ops)
    group("f64", "compare", [op("min", "min.f64 %R, %A, %B;", "u64"), op("max", "max.f64 %R, %A, %B;", "u64")]
          + [op(f"set_{c}", f"set.{c}.f32.f64 %r, %A, %B;") for c in ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")])
    group("f64", "divide", [op(f"{n}_{r}", f"{n}.{r}.f64 %R, %A{', %B' if n == 'div' else ''};", "u64") for n in ("div", "rcp", "sqrt") for r in ("rn", "rz")])


def conversions():
    ops = []
    for t in ("s8", "u8", "s16", "u16", "s32", "u32"):
        for r in ("rni", "rzi", "rmi", "rpi"):
            if t[1:] in ("8", "16") and r != "rzi":
                continue
            wide = "cvt.s32." + t if t[0] == "s" else "cvt.u32." + t
            if t[1:] == "32":
                ops.append(op(f"f32_{t}_{r}", f"cvt.{r}.{t}.f32 %r, %a;"))
                ops.append(op(f"f32_{t}_{r}_ftz", f"cvt.{r}.ftz.{t}.f32 %r, %a;"))
            else:
                reg = "s16" if t[0] == "s" else "u16"
                ops.append(op(f"f32_{t}_{r}", f"{{.reg .{reg} x; cvt.{r}.{t}.f32 x, %a; cvt.{'s' if t[0] == 's' else 'u'}32.{reg} %r, x;}}"))
    for r in ("rni", "rzi", "rmi", "rpi"):
        ops.append(op(f"f32_s64_{r}", f"cvt.{r}.s64.f32 %R, %a;", "u64"))
        ops.append(op(f"f32_u64_{r}", f"cvt.{r}.u64.f32 %R, %a;", "u64"))
        ops.append(op(f"frnd_{r}", f"cvt.{r}.f32.f32 %r, %a;"))
        ops.append(op(f"frnd_ftz_{r}", f"cvt.{r}.ftz.f32.f32 %r, %a;"))
    group("f32", "convert", ops)
    group("f32", "narrow", [op(f"f16_{r}", f"{{.reg .b16 x; cvt.{r}.f16.f32 x, %a; cvt.u32.u16 %r, x;}}") for r in ("rn", "rz")]
          + [op("f16_rn_ftz", "{.reg .b16 x; cvt.rn.ftz.f16.f32 x, %a; cvt.u32.u16 %r, x;}"),
             op("f16x2_rn", "cvt.rn.f16x2.f32 %r, %a, %b;"), op("f16x2_rz", "cvt.rz.f16x2.f32 %r, %a, %b;"),
             op("f16x2_relu", "cvt.rn.relu.f16x2.f32 %r, %a, %b;"), op("bf16x2_rn", "cvt.rn.bf16x2.f32 %r, %a, %b;"),
             op("bf16x2_rz", "cvt.rz.bf16x2.f32 %r, %a, %b;"), op("bf16x2_relu", "cvt.rn.relu.bf16x2.f32 %r, %a, %b;"),
             op("bf16_rn", "{.reg .b16 x; cvt.rn.bf16.f32 x, %a; cvt.u32.u16 %r, x;}"),
             op("f64", "cvt.f64.f32 %R, %a;", "u64"), op("f64_ftz", "cvt.ftz.f64.f32 %R, %a;", "u64")])
    ops = []
    for t in ("s32", "u32"):
        for r in ("rni", "rzi", "rmi", "rpi"):
            ops.append(op(f"f64_{t}_{r}", f"cvt.{r}.{t}.f64 %r, %A;"))
    for t in ("s64", "u64"):
        for r in ("rni", "rzi", "rmi", "rpi"):
            ops.append(op(f"f64_{t}_{r}", f"cvt.{r}.{t}.f64 %R, %A;", "u64"))
    for r in ("rni", "rzi", "rmi", "rpi"):
        ops.append(op(f"frnd_{r}", f"cvt.{r}.f64.f64 %R, %A;", "u64"))
    for r in ROUND:
        ops.append(op(f"f32_{r}", f"cvt.{r}.f32.f64 %r, %A;"))
    ops.append(op("f32_rn_ftz", "cvt.rn.ftz.f32.f64 %r, %A;"))
    ops.append(op("f16_rn", "{.reg .b16 x; cvt.rn.f16.f64 x, %A; cvt.u32.u16 %r, x;}"))
    group("f64", "convert", ops)
    ops = []
    for t in ("s32", "u32"):
        for r in ROUND:
            ops.append(op(f"{t}_f32_{r}", f"cvt.{r}.f32.{t} %r, %a;"))
        ops.append(op(f"{t}_f64", f"cvt.rn.f64.{t} %R, %a;", "u64"))
        ops.append(op(f"{t}_f16", f"{{.reg .b16 x; cvt.rn.f16.{t} x, %a; cvt.u32.u16 %r, x;}}"))
    for t in ("s8", "u8", "s16", "u16"):
        ops.append(op(f"{t}_f32", f"{{.reg .b16 x, y; mov.b32 {{x, y}}, %a; cvt.rn.f32.{t} %r, x;}}"))
        ops.append(op(f"{t}_sat", f"{{.reg .b16 x; cvt.sat.{t}.s32 x, %a; cvt.{t[0]}32.{t} %r, x;}}"))
    group("i32", "convert", ops)
    ops = []
    for t in ("s64", "u64"):
        for r in ROUND:
            ops.append(op(f"{t}_f32_{r}", f"cvt.{r}.f32.{t} %r, %A;"))
            ops.append(op(f"{t}_f64_{r}", f"cvt.{r}.f64.{t} %R, %A;", "u64"))
        ops.append(op(f"{t}_f16", f"{{.reg .b16 x; cvt.rn.f16.{t} x, %A; cvt.u32.u16 %r, x;}}"))
    group("i64", "convert", ops)


def halves():
    for t in ("f16x2", "bf16x2"):
        ops = []
        variants = ("", ".sat") if t == "f16x2" else ("",)
        for v in variants:
            s = v.replace(".", "_")
            ops += [op(f"{n}{s}", f"{n}.rn{v}.{t} %r, %a, %b;" if t == "bf16x2" else f"{n}{v}.{t} %r, %a, %b;") for n in ("add", "sub", "mul")]
            ops.append(op(f"fma{s}", f"fma.rn{v}.{t} %r, %a, %b, %c;"))
        ops.append(op("fma_relu", f"fma.rn.relu.{t} %r, %a, %b, %c;"))
        ops += [op(f"{n}{v}".replace(".", "_"), f"{n}{v}.{t} %r, %a, %b;") for n in ("min", "max") for v in ("", ".NaN", ".xorsign.abs")]
        ops += [op("neg", f"neg.{t} %r, %a;"), op("abs", f"abs.{t} %r, %a;")]
        if t == "f16x2":
            ops += [op(f"set_{c}", f"set.{c}.f16x2.f16x2 %r, %a, %b;") for c in ("eq", "ne", "lt", "le", "gt", "ge", "ltu", "geu", "nan", "num")]
            ops += [op(f"setp_{c}", "{.reg .pred p, q; setp." + c + ".f16x2 p|q, %a, %b; selp.b32 %r, 3, 5, p; @q add.s32 %r, %r, 64;}") for c in ("lt", "neu", "ge")]
            ops += [op("widen", "{.reg .b16 x, y; mov.b32 {x, y}, %a; cvt.f32.f16 %r, y;}"),
                    op("widen64", "{.reg .b16 x, y; mov.b32 {x, y}, %a; cvt.f64.f16 %R, x;}", "u64")]
            ops += [op(f"frnd_{r}", f"{{.reg .b16 x, y; mov.b32 {{x, y}}, %a; cvt.{r}.f16.f16 x, x; cvt.u32.u16 %r, x;}}") for r in ("rni", "rzi", "rmi", "rpi")]
            ops += [op(f"f16_{i}_{r}", f"{{.reg .b16 x, y; mov.b32 {{x, y}}, %a; cvt.{r}.{i}.f16 %r, y;}}") for r in ("rni", "rzi") for i in ("s32", "u32")]
        group("f16" if t == "f16x2" else "bf16", "arith", ops)


def tensors():
    regs = lambda letter, n: ", ".join(f"{letter}{i}" for i in range(n))
    ops = []

    # Fragments come from the row's three words and from the neighbours' by shuffles of bits: any values will do.
    def mma(name, shape, types, na, nb, nc, half):
        declare = "{.reg .b32 a<4>, b<4>, c<4>, d<4>;" + "".join(
            f"shf.l.wrap.b32 a{i}, %a, %a, {0};" if i == 0 else f"shfl.sync.bfly.b32 a{i}, %a, {i}, 31, -1;" for i in range(na)) + "".join(
            f"mov.b32 b{i}, %b;" if i == 0 else f"shfl.sync.bfly.b32 b{i}, %b, {i + 4}, 31, -1;" for i in range(nb)) + "".join(
            f"mov.b32 c{i}, %c;" if i == 0 else f"shfl.sync.bfly.b32 c{i}, %c, {i + 8}, 31, -1;" for i in range(nc))
        body = f"mma.sync.aligned.{shape}.row.col.{types} {{{regs('d', nc)}}}, {{{regs('a', na)}}}, {{{regs('b', nb)}}}, {{{regs('c', nc)}}};"
        for k in range(nc):
            ops.append(op(f"{name}_{k}", declare + body + f"mov.b32 %r, d{k};}}"))

    mma("k8_f32", "m16n8k8", "f32.f16.f16.f32", 2, 1, 4, False)
    mma("k16_f32", "m16n8k16", "f32.f16.f16.f32", 4, 2, 4, False)
    mma("k8_f16", "m16n8k8", "f16.f16.f16.f16", 2, 1, 2, True)
    mma("k16_f16", "m16n8k16", "f16.f16.f16.f16", 4, 2, 2, True)
    group("mma", "half", ops)
    ops = []
    mma("bf16_k8", "m16n8k8", "f32.bf16.bf16.f32", 2, 1, 4, False)
    mma("bf16_k16", "m16n8k16", "f32.bf16.bf16.f32", 4, 2, 4, False)
    group("mmabf", "bf16", ops)
    ops = []
    mma("tf32_k4", "m16n8k4", "f32.tf32.tf32.f32", 2, 1, 4, False)
    mma("tf32_k8", "m16n8k8", "f32.tf32.tf32.f32", 4, 2, 4, False)
    group("mmatf", "tf32", ops)
    ops = []
    for t in ("s8.s8", "u8.u8", "s8.u8", "u8.s8"):
        mma("k16_" + t.replace(".", ""), "m16n8k16", f"s32.{t}.s32", 2, 1, 4, False)
    mma("k32_sat", "m16n8k32", "satfinite.s32.s8.s8.s32", 4, 2, 4, False)
    group("i32", "imma", ops)
    # All exponents, infinities and NaNs.
    ops = []
    mma("k8_f32", "m16n8k8", "f32.f16.f16.f32", 2, 1, 4, False)
    mma("k16_f32", "m16n8k16", "f32.f16.f16.f32", 4, 2, 4, False)
    mma("k16_f16", "m16n8k16", "f16.f16.f16.f16", 4, 2, 2, True)
    group("mmawide", "half", ops)
    ops = []
    mma("bf16_k16", "m16n8k16", "f32.bf16.bf16.f32", 4, 2, 4, False)
    mma("tf32_k8", "m16n8k8", "f32.tf32.tf32.f32", 4, 2, 4, False)
    group("mmawide", "bf16", ops)
    ops = []
    for t in ("s4.s4", "u4.u4", "s4.u4"):
        mma("k32_" + t.replace(".", ""), "m16n8k32", f"s32.{t}.s32", 2, 1, 4, False)
    mma("k64_s4_sat", "m16n8k64", "satfinite.s32.s4.s4.s32", 4, 2, 4, False)
    mma("n8k16_s8", "m8n8k16", "s32.s8.s8.s32", 1, 1, 2, False)
    mma("n8k32_u4", "m8n8k32", "s32.u4.u4.s32", 1, 1, 2, False)
    for logic in ("xor", "and"):
        mma("k128_" + logic, "m16n8k128", "s32.b1.b1.s32." + logic + ".popc", 2, 1, 4, False)
        mma("k256_" + logic, "m16n8k256", "s32.b1.b1.s32." + logic + ".popc", 4, 2, 4, False)
        mma("n8k128_" + logic, "m8n8k128", "s32.b1.b1.s32." + logic + ".popc", 1, 1, 2, False)
    group("i32", "imma_small", ops)
    ops = []
    for k in range(2):
        ops.append(op(f"f64_{k}", "{.reg .f64 d<2>, x; .reg .b32 l, h; mov.b64 {l, h}, %B; shfl.sync.bfly.b32 h, h, 9, 31, -1; mov.b64 x, {l, h};"
                                  f"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{d0, d1}}, {{%A}}, {{%B}}, {{%C, x}}; mov.b64 %R, d{k};}}", "u64"))
    group("f64", "dmma", ops)


def sparse():
    """Products whose A has two of four elements, or of TF32 one of two; words of positions are made of %c's bits."""
    regs = lambda letter, n: ", ".join(f"{letter}{i}" for i in range(n))
    # Four bits are two places of four, the lower one first: one of 0 and 1 with one of 2 and 3, or a pair of neighbours, which
    # for TF32 stands for one place of two.
    across = "and.b32 e, e, 0x55555555; or.b32 e, e, 0x88888888;"
    beside = "and.b32 t, e, 0x22222222; shl.b32 e, t, 2; or.b32 e, e, t; or.b32 e, e, 0x44444444;"
    ops = []

    def mma(name, shape, types, nab, nc, selectors, positions):
        for selector in selectors:
            declare = "{.reg .b32 a<4>, b<4>, c<4>, d<4>, e, t; shfl.sync.bfly.b32 e, %c, 16, 31, -1;" + positions
            for letter, source, count, step in (("a", "%a", nab, 0), ("b", "%b", nab, 4), ("c", "%c", nc, 8)):
                declare += "".join(f"mov.b32 {letter}0, {source};" if i == 0 else f"shfl.sync.bfly.b32 {letter}{i}, {source}, {i + step}, 31, -1;"
                                   for i in range(count))
            body = (f"mma.sp.sync.aligned.{shape}.row.col.{types} {{{regs('d', nc)}}}, {{{regs('a', nab)}}}, {{{regs('b', nab)}}}, "
                    f"{{{regs('c', nc)}}}, e, {selector};")
            for k in range(nc):
                ops.append(op(f"{name}_s{selector}_{k}", declare + body + f"mov.b32 %r, d{k};}}"))

    for wide in ("", "wide"):
        mma("k16_f32", "m16n8k16", "f32.f16.f16.f32", 2, 4, range(4), across)
        mma("k32_f32", "m16n8k32", "f32.f16.f16.f32", 4, 4, range(2), beside)
        mma("k16_f16", "m16n8k16", "f16.f16.f16.f16", 2, 2, (1,), beside)
        mma("k32_f16", "m16n8k32", "f16.f16.f16.f16", 4, 2, (0,), across)
        group("mma" + wide, "half", ops)
        ops = []
        mma("bf16_k16", "m16n8k16", "f32.bf16.bf16.f32", 2, 4, (2,), beside)
        mma("bf16_k32", "m16n8k32", "f32.bf16.bf16.f32", 4, 4, (1,), across)
        group("mmawide" if wide else "mmabf", "bf16", ops)
        ops = []
        mma("tf32_k8", "m16n8k8", "f32.tf32.tf32.f32", 2, 4, range(4), beside)
        mma("tf32_k16", "m16n8k16", "f32.tf32.tf32.f32", 4, 4, range(2), beside)
        group("mmawide" if wide else "mmatf", "tf32", ops)
        ops = []
    for t in ("s8.s8", "u8.u8", "s8.u8", "u8.s8"):
        mma("k32_" + t.replace(".", ""), "m16n8k32", f"s32.{t}.s32", 2, 4, (0, 1) if t == "s8.s8" else (1,), across)
    mma("k64_u8s8", "m16n8k64", "s32.u8.s8.s32", 4, 4, (0,), beside)
    mma("k64_sat", "m16n8k64", "satfinite.s32.s8.s8.s32", 4, 4, (0,), across)
    group("i32", "imma", ops)


def warps():
    ops = [op(f"shfl_{m}_{c}", f"shfl.sync.{m}.b32 %r, %a, %b, {c}, -1;") for m in ("up", "down", "bfly", "idx") for c in (0x1f, 0x181f, 0x0, 0x1c03)]
    ops += [op(f"redux_{m}_{t}", f"redux.sync.{m}.{t} %r, %a, -1;") for m, t in (("add", "u32"), ("min", "s32"), ("max", "s32"), ("min", "u32"), ("max", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32"))]
    ops += [op("match_any", "{.reg .u32 x; and.b32 x, %a, 3; match.any.sync.b32 %r, x, -1;}"),
            op("match_all", "{.reg .u32 x; .reg .pred p; and.b32 x, %a, 1; match.all.sync.b32 %r|p, x, -1; @p add.u32 %r, %r, 1;}"),
            op("ballot", "{.reg .pred p; setp.lt.s32 p, %a, %b; vote.sync.ballot.b32 %r, p, -1;}"),
            op("vote_uni", "{.reg .pred p, q; setp.lt.u32 p, %a, 16; vote.sync.uni.pred q, p, -1; selp.b32 %r, 1, 2, q;}")]
    group("i32", "warp", ops)


def video():
    """Operations that the toolkit makes of several instructions, and the SIMD ones."""
    two = [f"v{n}{w}.{a}.{b}.{c}{sat}" for w, n in ((2, "add"), (2, "sub"), (4, "add"), (4, "sub"), (2, "min"), (4, "max"), (2, "absdiff"), (4, "absdiff"), (2, "avrg"), (4, "avrg"))
           for a, b, c in (("u32", "u32", "u32"), ("s32", "s32", "s32")) for sat in ("", ".sat") if not (sat and n in ("min", "max", "avrg"))]
    group("i32", "simd", [op(n.replace(".", "_"), f"{n} %r, %a, %b, %c;") for n in two])
    one = [f"v{n}.s32.{a}.{b}{sat}" for n in ("add", "sub", "min", "max", "absdiff") for a, b in (("s32", "s32"), ("u32", "s32")) for sat in ("", ".sat")]
    group("i32", "scalar", [op(n.replace(".", "_") + h.replace(".", "_"), f"{n} %r, %a{h}, %b;") for n in one for h in ("", ".b1", ".h1")]
          + [op("vmad", "vmad.s32.s32.s32 %r, %a.h0, %b.h1, %c;"), op("vmad_shr7", "vmad.u32.u32.u32.shr7 %r, %a.b3, %b.b0, %c;"), op("vshl_clamp", "vshl.u32.u32.u32.clamp %r, %a, %b;"), op("vshr_wrap", "vshr.s32.s32.u32.wrap %r, %a, %b;")])


def approximations():
    for ftz in ("", ".ftz"):
        group("f32", "approx" + ("_ftz" if ftz else ""), [op(n, f"{n}.approx{ftz}.f32 %r, %a;") for n in ("rcp", "rsqrt", "sqrt", "sin", "cos", "lg2", "ex2")]
              + ([op("tanh", "tanh.approx.f32 %r, %a;")] if not ftz else []) + [op("div", f"div.approx{ftz}.f32 %r, %a, %b;"), op("divfull", f"div.full{ftz}.f32 %r, %a, %b;")])
    group("f64", "approx", [op("rcp", "rcp.approx.ftz.f64 %R, %A;", "u64"), op("rsqrt", "rsqrt.approx.ftz.f64 %R, %A;", "u64")])


def scaled():
    """Products, to which patch_fmul.py gives the factor in the kernel's name: no PTX instruction has one."""
    forms = [r + f + s for r in ROUND for f in ("", ".ftz") for s in ("", ".sat")]
    for factor in ("d8", "d4", "d2", "m2", "m4", "m8"):
        group("f32", "scaled_" + factor, [op(f.replace(".", "_"), f"mul.{f}.f32 %r, %a, %b;") for f in forms])


def chains(count, seed):
    """Random straight-line programs over four registers."""
    rng = random.Random(seed)
    int_ops = ["add.s32", "sub.s32", "mul.lo.s32", "mul.hi.u32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.u32", "shl.b32", "shr.s32", "shr.u32"]
    for kind in ("i32", "f32") if seed <= 3 else ("f64", "i64", "f16", "bf16"):
        if seed > 3:
            wide_chains(kind, count, seed)
            continue
        ops = []
        for k in range(count):
            text = "{.reg .b32 x<4>; mov.b32 x0, %a; mov.b32 x1, %b; mov.b32 x2, %c; mov.b32 x3, %a;"
            for _ in range(24):
                d, a, b, c = (rng.randrange(4) for _ in range(4))
                if kind == "i32":
                    choice = rng.random()
                    if choice < 0.55: text += f"{rng.choice(int_ops)} x{d}, x{a}, x{b};"
                    elif choice < 0.7: text += f"lop3.b32 x{d}, x{a}, x{b}, x{c}, {rng.randrange(256)};"
                    elif choice < 0.8: text += f"prmt.b32 x{d}, x{a}, x{b}, {rng.randrange(65536)};"
                    elif choice < 0.9: text += f"mad.lo.s32 x{d}, x{a}, x{b}, x{c};"
                    else: text += f"shf.{rng.choice('lr')}.wrap.b32 x{d}, x{a}, x{b}, x{c};"
                else:
                    r, f = rng.choice(ROUND), rng.choice(("", ".ftz"))
                    choice = rng.random()
                    if choice < 0.3: text += f"add.{r}{f}.f32 x{d}, x{a}, x{b};"
                    elif choice < 0.5: text += f"mul.{r}{f}.f32 x{d}, x{a}, x{b};"
                    elif choice < 0.85: text += f"fma.{r}{f}.f32 x{d}, x{a}, x{b}, x{c};"
                    elif choice < 0.95: text += f"{rng.choice(('min', 'max'))}{f}.f32 x{d}, x{a}, x{b};"
                    else: text += f"xor.b32 x{d}, x{a}, 0x80000000;"
            text += "xor.b32 x0, x0, x1; xor.b32 x2, x2, x3; xor.b32 %r, x0, x2;}"
            ops.append(op(f"chain{k}", text))
        group(kind, f"chain_{seed}", ops)


def wide_chains(kind, count, seed):
    """The same of 64-bit and packed 16-bit operations."""
    rng = random.Random(f"{kind} {seed}")
    wide = kind in ("f64", "i64")
    bits, a, result = ("b64", "ABC", "u64") if wide else ("b32", "abc", "u32")
    int_ops = ["add.s64", "sub.s64", "mul.lo.s64", "mul.hi.u64", "and.b64", "or.b64", "xor.b64", "min.s64", "max.u64"]
    ops = []
    for k in range(count):
        text = f"{{.reg .{bits} x<4>; .reg .pred p; .reg .b32 s; mov.{bits} x0, %{a[0]}; mov.{bits} x1, %{a[1]}; mov.{bits} x2, %{a[2]}; mov.{bits} x3, %{a[0]};"
        for _ in range(16):
            d, i, j, m = (rng.randrange(4) for _ in range(4))
            choice = rng.random()
            if kind == "i64":
                if choice < 0.6: text += f"{rng.choice(int_ops)} x{d}, x{i}, x{j};"
                elif choice < 0.8: text += f"cvt.u32.u64 s, x{j}; {rng.choice(('shl.b64', 'shr.s64', 'shr.u64'))} x{d}, x{i}, s;"
                elif choice < 0.9: text += f"setp.{rng.choice(('lt', 'ge', 'eq'))}.{rng.choice(('s64', 'u64'))} p, x{i}, x{j}; selp.b64 x{d}, x{j}, x{m}, p;"
                else: text += f"mad.lo.s64 x{d}, x{i}, x{j}, x{m};"
            elif kind == "f64":
                r = rng.choice(ROUND)
                if choice < 0.3: text += f"add.{r}.f64 x{d}, x{i}, x{j};"
                elif choice < 0.5: text += f"mul.{r}.f64 x{d}, x{i}, x{j};"
                elif choice < 0.85: text += f"fma.{r}.f64 x{d}, x{i}, x{j}, x{m};"
                elif choice < 0.95: text += f"setp.{rng.choice(('lt', 'geu', 'neu'))}.f64 p, x{i}, x{j}; selp.b64 x{d}, x{j}, x{m}, p;"
                else: text += f"neg.f64 x{d}, x{i};"
            else:
                t = kind + "x2"
                if choice < 0.3: text += f"add.rn.{t} x{d}, x{i}, x{j};" if kind == "bf16" else f"{rng.choice(('add', 'sub'))}.{t} x{d}, x{i}, x{j};"
                elif choice < 0.5: text += f"mul.rn.{t} x{d}, x{i}, x{j};" if kind == "bf16" else f"mul.{t} x{d}, x{i}, x{j};"
                elif choice < 0.8: text += f"fma.rn{rng.choice(('', '.relu'))}.{t} x{d}, x{i}, x{j}, x{m};"
                elif choice < 0.9: text += f"{rng.choice(('min', 'max'))}.{t} x{d}, x{i}, x{j};"
                else: text += f"prmt.b32 x{d}, x{i}, x{j}, 0x{rng.choice(('1032', '5410', '7632'))};"
        if kind in ("f64", "i64"): text += "xor.b64 x0, x0, x1; xor.b64 x2, x2, x3; xor.b64 %R, x0, x2;}"
        else: text += "xor.b32 x0, x0, x1; xor.b32 x2, x2, x3; xor.b32 %r, x0, x2;}"
        ops.append(op(f"chain{k}", text, result))
    group(kind, f"chain_{seed}", ops)


def emit():
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Written by generate.py: do not edit.")
    print("typedef unsigned u32; typedef unsigned long long u64;")
    table = []
    for kind, name, ops in kernels:
        words = 0
        print(f'extern "C" __global__ void {kind}_{name}(const u64* in, u32* out, u32 rows) {{')
        print("  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;")
        print("  const u64 A = in[i], B = in[rows + i], C = in[2 * rows + i];")
        print("  const u32 a = (u32)A, b = (u32)B, c = (u32)C; u32 r, high; (void)r; (void)high;")
        entries = []
        for label, result, ptx in ops:
            for key, number in (("%r", "%0"), ("%R", "%0"), ("%a", "%1"), ("%b", "%2"), ("%c", "%3"), ("%A", "%4"), ("%B", "%5"), ("%C", "%6")):
                ptx = ptx.replace(key, number)
            # The two words of a 64-bit result leave the assembly apart: ptxas would convert a double, not split it.
            if result == "u64":
                ptx = "{.reg .b64 wide; " + ptx.replace("%0", "wide") + " mov.b64 {%0, %7}, wide;}"
            target = '"=r"(r)'
            sources = '"r"(a), "r"(b), "r"(c), "l"(A), "l"(B), "l"(C)'
            if result == "u64":
                for number in range(7, 0, -1):
                    ptx = ptx.replace(f"%{number}", f"%{1 if number == 7 else number + 1}" if number != 7 else "%HIGH")
                ptx = ptx.replace("%HIGH", "%1")
                target += ', "=r"(high)'
            print(f'  asm volatile("{ptx}" : {target} : {sources});')
            if result == "u64":
                print(f"  out[{words} * rows + i] = r; out[{words + 1} * rows + i] = high;")
            else:
                print(f"  out[{words} * rows + i] = r;")
            size = 2 if result == "u64" else 1
            entries.append(f'{{"{label}", {words}, {size}}}')
            words += size
        print("}")
        table.append((kind, name, words, entries))
    print("#ifdef DIFFERENTIAL_HOST")
    print("struct Operation { const char* name; u32 first, words; };")
    print("struct KernelEntry { const char* name; const char* kind; void (*kernel)(const u64*, u32*, u32); u32 words; std::vector<Operation> operations; };")
    print("static const std::vector<KernelEntry> KERNELS = {")
    for kind, name, words, entries in table:
        print(f'  {{"{kind}_{name}", "{kind}", {kind}_{name}, {words}, {{{", ".join(entries)}}}}},')
    print("};")
    print("#endif")


if "--scaled" in sys.argv[1:]:
    scaled()
elif "--sparse" in sys.argv[1:]:
    sparse()
else:
    integers()
    singles()
    doubles()
    conversions()
    halves()
    tensors()
    warps()
    approximations()
    video()
    for seed in (1, 2, 3, 4, 5):
        chains(6, seed)
emit()
