// SPDX-License-Identifier: Apache-2.0
//
// A list of edges to adjacency lists: counting by atomics, a scan by one block, placing by atomic cursors; then the triangles' corners.
#include "../app.h"

__global__ void count(const int2* edges, int* degree, int m) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += gridDim.x * blockDim.x) {
        const int2 e = edges[i];
        atomicAdd(&degree[e.x], 1);
        atomicAdd(&degree[e.y], 1);
    }
}

__global__ void starts(const int* degree, int* start, int* cursor, int n) {
    __shared__ int part[32];
    __shared__ int total;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int base = 0; base < n; base += 1024) {
        const int i = base + threadIdx.x, mine = i < n ? degree[i] : 0;
        int value = mine;
        for (int d = 1; d < 32; d *= 2) {
            const int other = __shfl_up_sync(0xffffffffu, value, d);
            if (lane >= d) value += other;
        }
        if (lane == 31) part[warp] = value;
        __syncthreads();
        int before = total;
        for (int w = 0; w < warp; ++w) before += part[w];
        if (i < n) start[i] = cursor[i] = before + value - mine;
        __syncthreads();
        if (threadIdx.x == 1023) total = before + value;
        __syncthreads();
    }
    if (threadIdx.x == 0) start[n] = total;
}

__global__ void place(const int2* edges, int* cursor, int* list, int m) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    const int2 e = edges[i];
    list[atomicAdd(&cursor[e.x], 1)] = e.y;
    list[atomicAdd(&cursor[e.y], 1)] = e.x;
}

__global__ void sums(const int* start, const int* list, int* out, int n) {
    const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    int sum = 0;
    if (v < n)
        for (int k = start[v] + lane; k < start[v + 1]; k += 8) sum += list[k] & 1023;
    for (int d = 4; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (v < n && lane == 0) out[v] = sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(8192, 131072), m = n * 8;
    const auto ends = app::integers(static_cast<std::size_t>(m) * 2, 101, static_cast<uint32_t>(n));
    const std::vector<int> edges(ends.begin(), ends.end());
    app::Buffer<int> e(edges), degree(n), start(n + 1), cursor(n), list(edges.size()), out(n);
    degree.clear();
    auto* pairs = reinterpret_cast<int2*>(e.get());
    count<<<528, 256>>>(pairs, degree.get(), m);
    starts<<<1, 1024>>>(degree.get(), start.get(), cursor.get(), n);
    place<<<app::blocks(m, 256), 256>>>(pairs, cursor.get(), list.get(), m);
    sums<<<app::blocks(n, 32), 256>>>(start.get(), list.get(), out.get(), n);
    bench::finish();
    std::vector<int> degrees(n), first(n + 1), want(n);
    for (int i = 0; i < m; ++i) {
        const int a = edges[2 * static_cast<std::size_t>(i)], b = edges[2 * static_cast<std::size_t>(i) + 1];
        ++degrees[a], ++degrees[b];
        want[a] += b & 1023, want[b] += a & 1023;
    }
    for (int i = 0; i < n; ++i) first[i + 1] = first[i] + degrees[i];
    app.check(start.download(), first, 0);
    app.check(out.download(), want, 0);
    return app.finish();
}
