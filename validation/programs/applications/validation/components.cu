// SPDX-License-Identifier: Apache-2.0
//
// Components of a graph: labels go along the edges as minima by atomics, then every label jumps to its label's label.
#include "../app.h"

__global__ void hook(const uint2* edges, int* label, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const uint2 edge = edges[i];
    const int a = label[edge.x], b = label[edge.y];
    if (a < b) atomicMin(&label[b], a);
    if (b < a) atomicMin(&label[a], b);
}

__global__ void jump(int* label, int nodes) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= nodes) return;
    int at = label[i];
    while (at != label[at]) at = label[at];
    label[i] = at;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int nodes = app.size(16384, 262144), count = 2 * nodes;
    auto ends = app::integers(2 * static_cast<std::size_t>(count), 1, static_cast<uint32_t>(nodes));
    for (std::size_t i = 0; i < ends.size(); i += 2) ends[i + 1] = (ends[i] + ends[i + 1] % 512 * 8) % static_cast<uint32_t>(nodes);
    std::vector<int> label(nodes);
    for (int i = 0; i < nodes; ++i) label[i] = i;
    app::Buffer<uint32_t> edges(ends);
    app::Buffer<int> labels(label);
    for (int round = 0; round < 4; ++round) {
        hook<<<app::blocks(count, 256), 256>>>(reinterpret_cast<uint2*>(edges.get()), labels.get(), count);
        bench::finish();
        jump<<<app::blocks(nodes, 256), 256>>>(labels.get(), nodes);
        bench::finish();
    }
    auto find = [&](int v) {
        while (v != label[v]) v = label[v] = label[label[v]];
        return v;
    };
    for (int i = 0; i < count; ++i) {
        const int a = find(static_cast<int>(ends[2 * i])), b = find(static_cast<int>(ends[2 * i + 1]));
        label[std::max(a, b)] = std::min(a, b);
    }
    for (int i = 0; i < nodes; ++i) label[i] = find(i);
    auto got = labels.download();
    std::vector<int> joined, wanted;      // labels only fall, and stay within their component
    for (int i = 0; i < nodes; ++i) joined.push_back(label[got[i]]), wanted.push_back(label[i]);
    app.check(joined, wanted, 0);
    return app.finish();
}
