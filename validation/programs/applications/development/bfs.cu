// SPDX-License-Identifier: Apache-2.0
//
// Breadth-first search by levels on a random graph, one launch per level, one thread per vertex.
#include "../app.h"

__global__ void bfs_level(const int* start, const int* edges, int* level, int current, int* changed, int n) {
    int v = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (v >= n || level[v] != current) return;
    for (int i = start[v]; i < start[v + 1]; ++i) {
        int w = edges[i];
        if (level[w] < 0) {
            level[w] = current + 1;
            *changed = 1;
        }
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(32768, 262144);
    bench::Random random(19);
    std::vector<int> start{0};
    std::vector<int> edges;
    for (int v = 0; v < n; ++v) {
        int degree = 1 + static_cast<int>(random.below(8));
        for (int i = 0; i < degree; ++i) edges.push_back(static_cast<int>(random.below(static_cast<uint32_t>(n))));
        start.push_back(static_cast<int>(edges.size()));
    }
    std::vector<int> want(static_cast<std::size_t>(n), -1);
    want[0] = 0;
    app::Buffer<int> ds(start), de(edges), level(want), changed(1);
    for (int current = 0;; ++current) {
        changed.clear();
        bfs_level<<<app::blocks(n, 256), 256>>>(ds.get(), de.get(), level.get(), current, changed.get(), n);
        bench::finish();
        if (changed.download()[0] == 0) break;
    }
    std::vector<int> queue{0};
    for (std::size_t head = 0; head < queue.size(); ++head) {
        int v = queue[head];
        for (int i = start[v]; i < start[v + 1]; ++i) {
            if (want[edges[i]] >= 0) continue;
            want[edges[i]] = want[v] + 1;
            queue.push_back(edges[i]);
        }
    }
    app.check(level.download(), want, 0);
    return app.finish();
}
