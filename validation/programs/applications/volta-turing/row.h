// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of Volta's and Turing's rows share: arguments n= and kernel=, and the check of results.
#pragma once

#include <cooperative_groups.h>

#include "../app.h"

namespace row {

using app::App;
using app::Buffer;

/// A barrier as the measured programs have it, by cooperative groups: its code differs from that of __syncthreads().
__device__ inline void sync() { cooperative_groups::sync(cooperative_groups::this_thread_block()); }

struct Options {
    Options(int argc, char** argv, const char* first, long elements)
        : args(argc, argv), kernel(args.text("kernel", first)), n(static_cast<int>(args.number("n", elements))) {}
    bool is(const char* name) const { return kernel == name; }
    [[noreturn]] void unknown(const char* names) const {
        std::fprintf(stderr, "kernel=%s is not known; expected one of %s\n", kernel.c_str(), names);
        std::exit(2);
    }
    bench::Args args;
    std::string kernel;
    int n;
};

inline unsigned blocks(long count, long threads) { return static_cast<unsigned>((count + threads - 1) / threads); }

}  // namespace row
