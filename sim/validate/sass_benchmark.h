// SPDX-License-Identifier: Apache-2.0
// Microbenchmarks with control bits that no compiler writes: a loop of hand-written SASS, timed on the model. They
// print lines in the format of the CUDA programs in validation/programs/micro.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/config/forward.h"

namespace sassim::validate {

/// Runs text in the notation of isa::assemble, with these additions:
///   //! warps: 4                        of the one thread block; also lanes (per warp), registers (per thread), shared
///   (bytes)
///   //! ID = EXPRESSION                 what to print: over keys, `warps`, and `cycles` of one turn of the loop
///   loop:                               the label that the one backward branch goes to
///   NAME:                               another label: in expressions NAME and NAME_first are the SM cycles, counted
///                                       from the first issue of the last turn, in which the last and the first warp
///                                       issue the instruction behind it
///   .rept N ... .endr                   N times what is between
///   {NAME}                              the value of the argument NAME=VALUE
/// The loop runs 10 and 30 times; a turn takes one twentieth of the difference, in which the start, the end and cold
/// caches cancel out. All lanes of a load or store use one address, of shared or of global memory. Returns pairs of
/// id and value. Throws InputError that names `file`.
std::vector<std::pair<std::string, double>> run_sass_benchmark(std::string_view text, const std::string& file,
                                                               const config::GpuConfig& gpu,
                                                               const std::vector<std::string>& arguments = {});

}  // namespace sassim::validate
