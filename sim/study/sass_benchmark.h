// SPDX-License-Identifier: Apache-2.0
// Microbenchmarks that need control bits which no compiler writes: a loop of hand-written SASS, timed on the model.
// What they print is what the CUDA programs of validation/microbenchmarks print.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/config/gpu_config.h"

namespace sassim::study {

/// Runs text in the notation of isa::assemble with, besides:
///   //! warps: 4                        of the one thread block; also registers (per thread) and shared (bytes)
///   //! ID = EXPRESSION                 what to print: over keys, `warps`, and `cycles` of one turn of the loop
///   loop:                               the label that the one backward branch goes to
///   .rept N ... .endr                   N times what is between
/// The loop goes 10 and 30 times round, and a turn takes a twentieth of the difference: what start, end and the first
/// way of the code into the caches cost drops out. All lanes of a load or store of shared memory have the same address;
/// other memory there is none. Returns id and value. Throws InputError naming `file`.
std::vector<std::pair<std::string, double>> run_sass_benchmark(std::string_view text, const std::string& file,
                                                               const config::GpuConfig& gpu);

}  // namespace sassim::study
