// SPDX-License-Identifier: Apache-2.0
// The names of op classes, by which configurations set their timing.
#include <array>
#include <cstddef>

#include "sim/isa/opcode.h"

namespace sassim::isa {

namespace {

// In the order of OpClass. The names are keys in YAML (`sm.pipes.ops`).
constexpr std::array kNames = std::to_array<std::string_view>({
    "fp32",        "fp32_alu",     "fp32_cmp",    "int_alu",    "int_cmp",       "mov",        "imad",
    "imad_wide",   "idp",          "fp16",        "fp16_widen", "fp16_mma",      "fp64",       "fp64_fma",
    "fp64_cmp",    "mufu",         "convert",     "convert64",  "popc",          "bit_scan",   "pred",
    "vote",        "match",        "redux",       "shuffle",    "s2r",           "s2ur",       "cs2r",
    "uniform",     "uniform_ldc",  "uniform_mem", "hmma",       "imma",          "dmma",       "gmma",
    "branch",      "convergence",  "barrier",     "membar",     "load_const",    "load",       "store",
    "load_shared", "store_shared", "atomic",      "reduction",  "atomic_shared", "async_copy", "async_wait",
    "texture",     "nop",          "depbar",
});
static_assert(kNames.size() == static_cast<std::size_t>(OpClass::count_));
static_assert(kNames[static_cast<std::size_t>(OpClass::mufu)] == "mufu");
static_assert(kNames[static_cast<std::size_t>(OpClass::hmma)] == "hmma");
static_assert(kNames[static_cast<std::size_t>(OpClass::load)] == "load");
static_assert(kNames[static_cast<std::size_t>(OpClass::depbar)] == "depbar");

}  // namespace

std::string_view op_class_name(OpClass op) { return kNames.at(static_cast<std::size_t>(op)); }

}  // namespace sassim::isa
