// SPDX-License-Identifier: Apache-2.0
//
// The four nearest of a set of points in eight dimensions: distances from tiles in shared memory, kept sorted in registers.
#include "../app.h"

constexpr int kDims = 8, kTile = 64, kKept = 4;

__global__ void nearest(const float* queries, const float* points, int* found, int count, int asked) {
    __shared__ float tile[kTile][kDims];
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    float mine[kDims];
#pragma unroll
    for (int d = 0; d < kDims; ++d) mine[d] = queries[d * asked + q];
    float best[kKept] = {1e30f, 1e30f, 1e30f, 1e30f};
    int index[kKept] = {-1, -1, -1, -1};
    for (int base = 0; base < count; base += kTile) {
        __syncthreads();
        for (int i = threadIdx.x; i < kTile * kDims; i += blockDim.x) tile[i / kDims][i % kDims] = points[base * kDims + i];
        __syncthreads();
        for (int p = 0; p < kTile; ++p) {
            float sum = 0;
#pragma unroll
            for (int d = 0; d < kDims; ++d) {
                const float apart = mine[d] - tile[p][d];
                sum += apart * apart;
            }
            if (sum < best[kKept - 1]) {
                best[kKept - 1] = sum, index[kKept - 1] = base + p;
#pragma unroll
                for (int k = kKept - 1; k > 0; --k)
                    if (best[k] < best[k - 1]) {
                        const float b = best[k]; best[k] = best[k - 1], best[k - 1] = b;
                        const int j = index[k]; index[k] = index[k - 1], index[k - 1] = j;
                    }
            }
        }
    }
#pragma unroll
    for (int k = 0; k < kKept; ++k) found[k * asked + q] = index[k];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int asked = app.size(4096, 65536), count = 1024;
    // Whole numbers: distances are exact, so ties are decided by the order alone.
    const auto a = app::integers(static_cast<std::size_t>(asked) * kDims, 19, 64), b = app::integers(static_cast<std::size_t>(count) * kDims, 20, 64);
    const std::vector<float> queries(a.begin(), a.end()), points(b.begin(), b.end());
    app::Buffer<float> q(queries), p(points);
    app::Buffer<int> found(static_cast<std::size_t>(asked) * kKept);
    nearest<<<asked / 128, 128>>>(q.get(), p.get(), found.get(), count, asked);
    bench::finish();
    std::vector<int> want(static_cast<std::size_t>(asked) * kKept);
    for (int i = 0; i < asked; ++i) {
        std::vector<std::pair<int, int>> all(count);
        for (int j = 0; j < count; ++j) {
            int sum = 0;
            for (int d = 0; d < kDims; ++d) {
                const int apart = static_cast<int>(a[static_cast<std::size_t>(d) * asked + i]) - static_cast<int>(b[static_cast<std::size_t>(j) * kDims + d]);
                sum += apart * apart;
            }
            all[j] = {sum, j};
        }
        std::partial_sort(all.begin(), all.begin() + kKept, all.end());
        for (int k = 0; k < kKept; ++k) want[static_cast<std::size_t>(k) * asked + i] = all[k].second;
    }
    app.check(found.download(), want, 0);
    return app.finish();
}
