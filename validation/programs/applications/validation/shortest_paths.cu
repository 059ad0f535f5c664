// SPDX-License-Identifier: Apache-2.0
//
// Shortest paths by rounds of relaxation (Bellman and Ford): a thread for each vertex that the last round reached lowers
// its neighbours' distances with atomicMin; what a round reads it does not write.
#include "../app.h"

constexpr uint32_t kFar = 0xffffffffu;

__global__ void relax(const int* rows, const int* columns, const uint32_t* weights, const uint32_t* now, uint32_t* next, const uint8_t* active, int n) {
    const int v = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (v >= n || !active[v]) return;
    const uint32_t own = now[v];
    for (int e = rows[v]; e < rows[v + 1]; ++e) {
        const uint32_t through = own + weights[e];
        if (through < now[columns[e]]) atomicMin(&next[columns[e]], through);
    }
}

__global__ void settle(uint32_t* now, const uint32_t* next, uint8_t* active, int n) {
    const int v = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (v >= n) return;
    active[v] = next[v] < now[v];
    now[v] = next[v];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(8192, 65536), degree = 6, rounds = 6;
    const auto vertices = static_cast<std::size_t>(n);
    bench::Random random(17);
    std::vector<int> rows(vertices + 1), columns;
    std::vector<uint32_t> weights;
    for (std::size_t v = 0; v < vertices; ++v) {
        const uint32_t edges = random.below(2 * degree + 1);
        for (uint32_t e = 0; e < edges; ++e) columns.push_back(static_cast<int>(random.below(static_cast<uint32_t>(n)))), weights.push_back(1 + random.below(100));
        rows[v + 1] = static_cast<int>(columns.size());
    }
    std::vector<uint32_t> distance(vertices, kFar);
    std::vector<uint8_t> active(vertices);
    for (std::size_t s = 0; s < vertices; s += 512) distance[s] = 0, active[s] = 1;
    app::Buffer<int> r(rows), c(columns);
    app::Buffer<uint32_t> w(weights), now(distance), next(distance);
    app::Buffer<uint8_t> act(active);
    for (int round = 0; round < rounds; ++round) {
        relax<<<app::blocks(n, 256), 256>>>(r.get(), c.get(), w.get(), now.get(), next.get(), act.get(), n);
        bench::finish();
        settle<<<app::blocks(n, 256), 256>>>(now.get(), next.get(), act.get(), n);
        bench::finish();
    }
    for (int round = 0; round < rounds; ++round) {
        auto lower = distance;
        for (std::size_t v = 0; v < vertices; ++v) {
            if (!active[v]) continue;
            for (auto e = static_cast<std::size_t>(rows[v]); e < static_cast<std::size_t>(rows[v + 1]); ++e) {
                auto& to = lower[static_cast<std::size_t>(columns[e])];
                to = std::min(to, distance[v] + weights[e]);
            }
        }
        for (std::size_t v = 0; v < vertices; ++v) active[v] = lower[v] < distance[v];
        distance = lower;
    }
    app.check(now.download(), distance, 0);
    return app.finish();
}
