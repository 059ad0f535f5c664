// SPDX-License-Identifier: Apache-2.0
//
// Every thread descends a random binary search tree of nodes with pointers: dependent loads and divergence.
#include <algorithm>
#include <numeric>

#include "../app.h"

struct Node {
    uint32_t key;
    int child[2];
    uint32_t value;
};

__global__ void tree_lookup(const Node* nodes, const uint32_t* keys, uint32_t* values, int n) {
    const int i = static_cast<int>(threadIdx.x + blockDim.x * blockIdx.x);
    if (i >= n) return;
    const uint32_t key = keys[i];
    int at = 0;
    uint32_t found = 0;
    while (at >= 0) {
        const Node node = nodes[at];
        if (node.key == key) {
            found = node.value;
            break;
        }
        at = node.child[key > node.key];
    }
    values[i] = found;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 15, 1 << 18);
    const int size = n / 2;
    std::vector<Node> nodes;
    bench::Random random(11);
    for (int i = 0; i < size; ++i) {
        const uint32_t key = random.below(1u << 30);
        int at = nodes.empty() ? -1 : 0;
        bool seen = false;
        while (at >= 0) {
            if (nodes[at].key == key) {
                seen = true;
                break;
            }
            int& next = nodes[at].child[key > nodes[at].key];
            if (next < 0) {
                next = static_cast<int>(nodes.size());
                break;
            }
            at = next;
        }
        if (!seen) nodes.push_back({key, {-1, -1}, key * 3 + 1});
    }
    std::vector<uint32_t> keys(n), want(n);
    for (int i = 0; i < n; ++i) {
        const bool there = random.below(4) != 0;
        keys[i] = there ? nodes[random.below(static_cast<uint32_t>(nodes.size()))].key : (1u << 30) + random.below(1000);
        want[i] = there ? keys[i] * 3 + 1 : 0;
    }
    app::Buffer<Node> dn(nodes);
    app::Buffer<uint32_t> dk(keys), dv(static_cast<std::size_t>(n));
    tree_lookup<<<app::blocks(n, 128), 128>>>(dn.get(), dk.get(), dv.get(), n);
    bench::finish();
    app.check(dv.download(), want, 0);
    return app.finish();
}
