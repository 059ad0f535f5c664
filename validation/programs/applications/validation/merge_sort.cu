// SPDX-License-Identifier: Apache-2.0
//
// Merge sort: tiles by odd-even merging in shared memory, then passes in which each thread finds by bisection where the
// diagonal of its eight results crosses the two runs, and merges from there.
#include "../app.h"

constexpr int kTile = 512, kEach = 8, kThreads = 128;

__global__ void sort_tiles(uint32_t* keys) {
    __shared__ uint32_t tile[kTile];
    uint32_t* own = keys + static_cast<std::size_t>(blockIdx.x) * kTile;
    tile[threadIdx.x] = own[threadIdx.x];
    tile[threadIdx.x + kTile / 2] = own[threadIdx.x + kTile / 2];
    for (unsigned size = 2; size <= kTile; size *= 2) {
        unsigned stride = size / 2;
        const unsigned offset = threadIdx.x & (stride - 1);
        for (bool first = true; stride > 0; stride /= 2, first = false) {
            __syncthreads();
            const unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            const unsigned low = first ? at : at - stride;
            if (first || offset >= stride) {
                const uint32_t a = tile[low], b = tile[low + stride];
                tile[low] = min(a, b);
                tile[low + stride] = max(a, b);
            }
        }
    }
    __syncthreads();
    own[threadIdx.x] = tile[threadIdx.x];
    own[threadIdx.x + kTile / 2] = tile[threadIdx.x + kTile / 2];
}

__global__ void merge_runs(const uint32_t* in, uint32_t* out, int run, int count) {
    const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), first = thread * kEach;
    if (first >= count) return;
    const int base = first / (2 * run) * 2 * run, diagonal = first - base;
    const uint32_t *a = in + base, *b = in + base + run;
    int low = max(0, diagonal - run), high = min(diagonal, run);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle]) low = middle + 1;
        else high = middle;
    }
    int i = low, j = diagonal - low;
    for (int k = 0; k < kEach; ++k) {
        const bool left = j >= run || (i < run && a[i] <= b[j]);
        out[first + k] = left ? a[i++] : b[j++];
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(1 << 15, 1 << 18);
    auto keys = app::integers(static_cast<std::size_t>(count), 1, 0xffffffffu);
    app::Buffer<uint32_t> a(keys), b(keys.size());
    sort_tiles<<<static_cast<unsigned>(count / kTile), kTile / 2>>>(a.get());
    bench::finish();
    uint32_t *from = a.get(), *to = b.get();
    for (int run = kTile; run < count; run *= 2) {
        merge_runs<<<app::blocks(count / kEach, kThreads), kThreads>>>(from, to, run, count);
        bench::finish();
        std::swap(from, to);
    }
    std::sort(keys.begin(), keys.end());
    app.check(from == a.get() ? a.download() : b.download(), keys, 0);
    return app.finish();
}
