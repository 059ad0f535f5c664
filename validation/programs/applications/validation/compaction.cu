// SPDX-License-Identifier: Apache-2.0
//
// Keeps the elements that pass a test: a vote per warp and one atomic with result for each warp that keeps any.
#include "../app.h"

__global__ void compact(const uint32_t* in, uint32_t* out, unsigned* count, int n, uint32_t limit) {
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += static_cast<int>(gridDim.x * blockDim.x)) {
        const uint32_t value = in[i];
        const bool keep = value < limit;
        const unsigned mask = __ballot_sync(__activemask(), keep);
        if (!keep) continue;
        const int lane = threadIdx.x & 31, leader = __ffs(mask) - 1;
        unsigned base = 0;
        if (lane == leader) base = atomicAdd(count, __popc(mask));
        base = __shfl_sync(mask, base, leader);
        out[base + __popc(mask & ((1u << lane) - 1))] = value;
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 16, 1 << 20);
    const uint32_t limit = 1u << 29;
    auto in = app::integers(n, 1, 0x7fffffffu);
    app::Buffer<uint32_t> di(in), out(in.size());
    app::Buffer<unsigned> count(1);
    count.clear();
    compact<<<std::min(app::blocks(n, 256), 1056u), 256>>>(di.get(), out.get(), count.get(), n, limit);
    bench::finish();
    std::vector<uint32_t> want;
    for (uint32_t v : in)
        if (v < limit) want.push_back(v);
    auto got = out.download();
    got.resize(count.download()[0]);
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    app.check(got, want, 0);
    return app.finish();
}
