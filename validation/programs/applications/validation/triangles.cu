// SPDX-License-Identifier: Apache-2.0
//
// Triangles of a graph with a few large vertices (as Graph500's): a thread for each edge intersects two sorted lists of
// neighbours, the block adds up by shuffles, one atomic for each block.
#include "../app.h"

#include <numeric>
#include <set>

__host__ __device__ inline unsigned common(const int* rows, const int* columns, int u, int v) {
    int i = rows[u], j = rows[v];
    const int end_i = rows[u + 1], end_j = rows[v + 1];
    unsigned count = 0;
    while (i < end_i && j < end_j) {
        const int a = columns[i], b = columns[j];
        count += a == b;
        i += a <= b;
        j += b <= a;
    }
    return count;
}

__global__ void __launch_bounds__(128) triangles(const int* rows, const int* columns, const int* from, unsigned long long* total, int edges) {
    __shared__ unsigned sums[4];
    const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    unsigned count = e < edges ? common(rows, columns, from[e], columns[e]) : 0;
    for (int offset = 16; offset > 0; offset /= 2) count += __shfl_down_sync(0xffffffffu, count, static_cast<unsigned>(offset));
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = count;
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, static_cast<unsigned long long>(sums[0]) + sums[1] + sums[2] + sums[3]);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int vertices = app.size(1024, 8192), wanted = vertices * 12;
    bench::Random random(6);
    // R-MAT: each edge goes down a quadtree; kept from the lower number to the higher.
    std::set<std::pair<int, int>> unique;
    for (int e = 0; e < wanted; ++e) {
        int u = 0, v = 0;
        for (int bit = 1; bit < vertices; bit *= 2) {
            const uint32_t part = random.below(100);
            u += part >= 57 && part < 76 ? bit : part >= 95 ? bit : 0;
            v += part >= 76 ? bit : 0;
        }
        if (u != v) unique.insert({std::min(u, v), std::max(u, v)});
    }
    std::vector<int> rows(static_cast<std::size_t>(vertices) + 1), columns, from;
    for (auto [u, v] : unique) ++rows[static_cast<std::size_t>(u) + 1], columns.push_back(v), from.push_back(u);
    std::partial_sum(rows.begin(), rows.end(), rows.begin());
    const int edges = static_cast<int>(columns.size());
    app::Buffer<int> r(rows), c(columns), f(from);
    app::Buffer<unsigned long long> total(1);
    total.clear();
    triangles<<<app::blocks(edges, 128), 128>>>(r.get(), c.get(), f.get(), total.get(), edges);
    bench::finish();
    unsigned long long want = 0;
    for (std::size_t e = 0; e < columns.size(); ++e) want += common(rows.data(), columns.data(), from[e], columns[e]);
    app.check(total.download(), std::vector<unsigned long long>{want}, 0);
    return app.finish();
}
