// SPDX-License-Identifier: Apache-2.0
//
// Walks over a graph: each thread follows 32 random edges of its own and counts where it ends.
#include "../app.h"

__host__ __device__ inline uint32_t next(uint32_t& state) {
    const uint32_t old = state;
    state = state * 747796405u + 2891336453u;
    const uint32_t word = ((old >> ((old >> 28) + 4)) ^ old) * 277803737u;
    return word >> 22 ^ word;
}

__global__ void walk(const uint32_t* begin, const uint32_t* edges, uint32_t* ends, uint32_t* visits, int nodes, int walkers) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= walkers) return;
    uint32_t state = static_cast<uint32_t>(i) * 2654435761u, at = static_cast<uint32_t>(i % nodes);
    for (int step = 0; step < 32; ++step) {
        const uint32_t from = begin[at], degree = begin[at + 1] - from;
        if (degree == 0) break;
        at = edges[from + next(state) % degree];
    }
    ends[i] = at;
    atomicAdd(&visits[at], 1u);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int nodes = app.size(1 << 14, 1 << 19), walkers = app.size(1 << 14, 1 << 17);
    const auto n = static_cast<std::size_t>(nodes);
    auto degrees = app::integers(n, 15, 16), random = app::integers(n * 16, 16, static_cast<uint32_t>(nodes));
    std::vector<uint32_t> begin(n + 1), edges;
    for (std::size_t i = 0; i < n; ++i) {
        begin[i] = static_cast<uint32_t>(edges.size());
        for (uint32_t k = 0; k < degrees[i]; ++k) edges.push_back(random[i * 16 + k]);
    }
    begin[n] = static_cast<uint32_t>(edges.size());
    const auto w = static_cast<std::size_t>(walkers);
    app::Buffer<uint32_t> b(begin), e(edges), ends(w), visits(n);
    visits.clear();
    walk<<<app::blocks(walkers, 128), 128>>>(b.get(), e.get(), ends.get(), visits.get(), nodes, walkers);
    bench::finish();
    std::vector<uint32_t> want(w), counts(n);
    for (std::size_t i = 0; i < w; ++i) {
        uint32_t state = static_cast<uint32_t>(i) * 2654435761u, at = static_cast<uint32_t>(i % n);
        for (int step = 0; step < 32 && begin[at + 1] != begin[at]; ++step) at = edges[begin[at] + next(state) % (begin[at + 1] - begin[at])];
        want[i] = at;
        ++counts[at];
    }
    app.check(ends.download(), want, 0);
    app.check(visits.download(), counts, 0);
    return app.finish();
}
