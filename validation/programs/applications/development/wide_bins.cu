// SPDX-License-Identifier: Apache-2.0
//
// Sums of 64 bits in 128 of 512 bins in shared memory, where the GPU has no such addition: a loop of compare-and-swap, in which
// lanes meet.
#include "../app.h"

constexpr int kBins = 512;
using Sum = unsigned long long;

__global__ void wide_bins(const uint32_t* in, Sum* out, int n) {
    __shared__ Sum bins[kBins];
    const int stride = static_cast<int>(gridDim.x * blockDim.x);
    for (int i = static_cast<int>(threadIdx.x); i < kBins; i += static_cast<int>(blockDim.x)) bins[i] = 0;
    __syncthreads();
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += stride)
        atomicAdd(&bins[in[i] * 4 & (kBins - 1)], Sum{1} + in[i]);
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kBins; i += static_cast<int>(blockDim.x)) atomicAdd(&out[i], bins[i]);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 20, 1 << 22);
    const auto data = app::integers(static_cast<std::size_t>(n), 128, 1u << 24);
    app::Buffer<uint32_t> in(data);
    app::Buffer<Sum> out(kBins);
    out.upload(std::vector<Sum>(kBins));
    wide_bins<<<264, 256>>>(in.get(), out.get(), n);
    bench::finish();
    std::vector<Sum> want(kBins);
    for (uint32_t value : data) want[value * 4 & (kBins - 1)] += Sum{1} + value;
    app.check(out.download(), want, 0);
    return app.finish();
}
