// SPDX-License-Identifier: Apache-2.0
//
// Atomics that meet: a histogram of 256 bins in shared memory that every block adds to the global one (data=zero: one bin
// takes all), and additions of all threads to one word in global memory.
#include "row.h"

constexpr unsigned kBins = 256;

__global__ void block_histogram(const unsigned* data, unsigned* bins, int n) {
    __shared__ unsigned local[kBins];
    local[threadIdx.x] = 0;
    __syncthreads();
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void hot_counter(unsigned* counter, int times) {
    for (int i = 0; i < times; ++i) atomicAdd(counter, 1u);
}

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "block_histogram", 262144);
    const int n = options.n;
    const bool zero = options.args.text("data", "random") == "zero";
    if (options.is("block_histogram")) {
        auto data = app::integers(static_cast<std::size_t>(n), 6, zero ? 1 : kBins);
        std::vector<unsigned> want(kBins);
        for (unsigned value : data) ++want[value];
        row::Buffer<unsigned> in(data), bins(kBins);
        bins.clear();
        block_histogram<<<row::blocks(n, kBins), kBins>>>(in.get(), bins.get(), n);
        bench::finish();
        app.check(bins.download(), want, 0);
    } else if (options.is("hot_counter")) {
        const int times = static_cast<int>(options.args.number("times", 50));
        row::Buffer<unsigned> counter(1);
        counter.clear();
        hot_counter<<<row::blocks(n, 256), 256>>>(counter.get(), times);
        bench::finish();
        app.check(counter.download(), {static_cast<unsigned>(n) * static_cast<unsigned>(times)}, 0);
    } else {
        options.unknown("block_histogram, hot_counter");
    }
    return app.finish();
}
