// SPDX-License-Identifier: Apache-2.0
//
// Prefix sums in one launch: blocks take tiles by a ticket, publish their sums, and a warp looks back over earlier tiles.
#include "../app.h"

constexpr int kThreads = 256, kEach = 4, kTile = kThreads * kEach;
constexpr unsigned long long kSum = 1ull << 32, kPrefix = 2ull << 32;

__global__ void scan_tiles(const uint4* in, uint4* out, unsigned long long* state, unsigned* ticket) {
    __shared__ unsigned tile_shared, warp_sums[kThreads / 32], before_shared;
    if (threadIdx.x == 0) tile_shared = atomicAdd(ticket, 1);
    __syncthreads();
    const unsigned tile = tile_shared, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint4 v = in[tile * kThreads + threadIdx.x];
    v.y += v.x, v.z += v.y, v.w += v.z;
    unsigned sum = v.w;
    for (unsigned k = 1; k < 32; k *= 2) {
        const unsigned other = __shfl_up_sync(0xffffffffu, sum, k);
        if (lane >= k) sum += other;
    }
    if (lane == 31) warp_sums[warp] = sum;
    __syncthreads();
    unsigned own = sum - v.w, total = 0;
    for (unsigned w = 0; w < kThreads / 32; ++w) {
        if (w < warp) own += warp_sums[w];
        total += warp_sums[w];
    }
    if (warp == 0) {
        volatile unsigned long long* shown = state;
        unsigned before = 0;
        if (lane == 0) shown[tile] = (tile == 0 ? kPrefix : kSum) | total;
        if (tile != 0) {
            for (int first = static_cast<int>(tile) - 1;; first -= 32) {
                const int from = first - static_cast<int>(lane);
                unsigned long long seen = kPrefix;
                do {
                    if (from >= 0) seen = shown[from];
                } while (__any_sync(0xffffffffu, seen < kSum));
                const unsigned ready = __ballot_sync(0xffffffffu, seen >= kPrefix);
                const unsigned last = ready == 0 ? 31 : static_cast<unsigned>(__ffs(static_cast<int>(ready)) - 1);
                unsigned part = lane <= last ? static_cast<unsigned>(seen) : 0;
                for (int k = 16; k > 0; k /= 2) part += __shfl_xor_sync(0xffffffffu, part, k);
                before += part;
                if (ready != 0) break;
            }
            if (lane == 0) shown[tile] = kPrefix | static_cast<unsigned long long>(before + total);
        }
        if (lane == 0) before_shared = before;
    }
    __syncthreads();
    own += before_shared;
    out[tile * kThreads + threadIdx.x] = make_uint4(own + v.x, own + v.y, own + v.z, own + v.w);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int tiles = app.size(128, 2048);
    auto numbers = app::integers(static_cast<std::size_t>(tiles) * kTile, 1, 1000);
    app::Buffer<uint32_t> in(numbers), out(numbers.size());
    app::Buffer<unsigned long long> state(static_cast<std::size_t>(tiles));
    app::Buffer<unsigned> ticket(1);
    state.clear();
    ticket.clear();
    scan_tiles<<<static_cast<unsigned>(tiles), kThreads>>>(reinterpret_cast<uint4*>(in.get()), reinterpret_cast<uint4*>(out.get()),
                                                          state.get(), ticket.get());
    bench::finish();
    for (std::size_t i = 1; i < numbers.size(); ++i) numbers[i] += numbers[i - 1];
    app.check(out.download(), numbers, 0);
    return app.finish();
}
