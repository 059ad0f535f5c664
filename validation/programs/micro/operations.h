// SPDX-License-Identifier: Apache-2.0
//
// Instructions under test, one struct each: step() is meant to become one SASS instruction whose result `a` feeds the
// next step. The operands b and c come from memory so that the assembler cannot fold a chain. Where two PTX
// instructions are needed to make one step (or a step is two SASS instructions), `instructions` says so.
#pragma once

#include <cstdint>

namespace ops {

// Each operand kind has its own asm constraint letter.
#define SASSIM_OP(NAME, TYPE, LETTER, COUNT, TEXT)                                                                    \
    struct NAME {                                                                                                     \
        using T = TYPE;                                                                                               \
        static constexpr const char* name = #NAME;                                                                    \
        static constexpr int instructions = COUNT;                                                                    \
        static __device__ __forceinline__ void step(T& a, T b, T c) {                                                 \
            asm volatile(TEXT : "+" LETTER(a) : LETTER(b), LETTER(c));                                                \
        }                                                                                                             \
    };
#define INT_OP(NAME, TEXT) SASSIM_OP(NAME, uint32_t, "r", 1, TEXT)
#define FLOAT_OP(NAME, TEXT) SASSIM_OP(NAME, float, "f", 1, TEXT)
#define DOUBLE_OP(NAME, TEXT) SASSIM_OP(NAME, double, "d", 1, TEXT)

FLOAT_OP(ffma, "fma.rn.f32 %0, %0, %1, %2;")
FLOAT_OP(fadd, "add.rn.f32 %0, %0, %1;")
FLOAT_OP(fmul, "mul.rn.f32 %0, %0, %1;")
FLOAT_OP(fset, "set.lt.f32.f32 %0, %0, %1;")
SASSIM_OP(fmnmx, float, "f", 2, "max.f32 %0, %0, %1; min.f32 %0, %0, %2;")
INT_OP(iadd3, "{.reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2;}")
INT_OP(imad, "mad.lo.u32 %0, %0, %1, %2;")
INT_OP(lop3, "lop3.b32 %0, %0, %1, %2, 0x9a;")
INT_OP(shf, "shf.l.wrap.b32 %0, %0, %1, %2;")
INT_OP(prmt, "prmt.b32 %0, %0, %1, %2;")
SASSIM_OP(imnmx_lop3, uint32_t, "r", 2, "max.u32 %0, %0, %1; xor.b32 %0, %0, %2;")
SASSIM_OP(isetp_sel, uint32_t, "r", 2, "{.reg .pred p; setp.lt.u32 p, %0, %1; selp.b32 %0, %2, %1, p;}")
SASSIM_OP(fsetp_sel, float, "f", 2, "{.reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %2, %1, p;}")
SASSIM_OP(dsetp_sel, double, "d", 2, "{.reg .pred p; setp.lt.f64 p, %0, %1; selp.f64 %0, %2, %1, p;}")
INT_OP(hfma2, "fma.rn.f16x2 %0, %0, %1, %2;")
INT_OP(hadd2, "add.rn.f16x2 %0, %0, %1;")
INT_OP(hmul2, "mul.rn.f16x2 %0, %0, %1;")
DOUBLE_OP(dfma, "fma.rn.f64 %0, %0, %1, %2;")
DOUBLE_OP(dadd, "add.rn.f64 %0, %0, %1;")
DOUBLE_OP(dmul, "mul.rn.f64 %0, %0, %1;")
INT_OP(popc, "popc.b32 %0, %0;")
INT_OP(flo, "bfind.u32 %0, %0;")
SASSIM_OP(brev, uint32_t, "r", 1, "brev.b32 %0, %0;")
FLOAT_OP(mufu_ex2, "ex2.approx.ftz.f32 %0, %0;")
FLOAT_OP(mufu_rsq, "rsqrt.approx.ftz.f32 %0, %0;")
FLOAT_OP(mufu_lg2, "lg2.approx.ftz.f32 %0, %0;")
FLOAT_OP(mufu_sqrt, "sqrt.approx.ftz.f32 %0, %0;")
SASSIM_OP(f2i_i2f_fadd, float, "f", 3, "{.reg .u32 t; cvt.rzi.u32.f32 t, %0; cvt.rn.f32.u32 %0, t; add.f32 %0, %0, %1;}")
SASSIM_OP(f2f_f64_f32, float, "f", 2, "{.reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t;}")
SASSIM_OP(i2f_f64_f2i, uint32_t, "r", 2, "{.reg .f64 t; cvt.rn.f64.u32 t, %0; cvt.rzi.u32.f64 %0, t;}")
SASSIM_OP(f2f_f16, float, "f", 2, "{.reg .b16 t; cvt.rn.f16.f32 t, %0; cvt.f32.f16 %0, t;}")
INT_OP(dp4a, "dp4a.u32.u32 %0, %0, %1, %2;")
INT_OP(shfl_bfly, "shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;")
SASSIM_OP(vote_sel, uint32_t, "r", 2, "{.reg .pred p; setp.lt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff;}")
INT_OP(match_any, "match.any.sync.b32 %0, %0, 0xffffffff;")

// Not on every target: where it does not exist the step is empty, and the host does not ask for it.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define IF_SM80(TEXT) ""
#else
#define IF_SM80(TEXT) TEXT
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 750
#define IF_SM75(TEXT) ""
#else
#define IF_SM75(TEXT) TEXT
#endif
INT_OP(redux_add, IF_SM80("redux.sync.add.u32 %0, %0, 0xffffffff;"))
FLOAT_OP(mufu_tanh, IF_SM75("tanh.approx.f32 %0, %0;"))

template <class Visit>
void for_each_common(Visit visit) {
    visit(ffma{}), visit(fadd{}), visit(fmul{}), visit(fset{}), visit(fmnmx{});
    visit(iadd3{}), visit(imad{}), visit(lop3{}), visit(shf{}), visit(prmt{});
    visit(imnmx_lop3{}), visit(isetp_sel{}), visit(fsetp_sel{}), visit(dp4a{});
    visit(hfma2{}), visit(hadd2{}), visit(hmul2{});
    visit(dfma{}), visit(dadd{}), visit(dmul{}), visit(dsetp_sel{});
    visit(popc{}), visit(flo{}), visit(brev{});
    visit(mufu_ex2{}), visit(mufu_rsq{}), visit(mufu_lg2{}), visit(mufu_sqrt{});
    visit(f2i_i2f_fadd{}), visit(f2f_f64_f32{}), visit(i2f_f64_f2i{}), visit(f2f_f16{});
    visit(shfl_bfly{}), visit(vote_sel{}), visit(match_any{});
}

}  // namespace ops
