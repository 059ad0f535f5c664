// SPDX-License-Identifier: Apache-2.0
//
// Inserts into an open hash table, a quarter full at most: linear probing with compare-and-swap.
#include <algorithm>

#include "../app.h"

__global__ void hash_insert(const uint32_t* keys, uint32_t* table, uint32_t mask, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const uint32_t key = keys[i] | 1u;
    for (uint32_t place = key * 2654435761u & mask;; place = (place + 1) & mask) {
        const uint32_t old = atomicCAS(&table[place], 0u, key);
        if (old == 0u || old == key) break;
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 18, 1 << 20);  // a power of two
    const uint32_t mask = static_cast<uint32_t>(n) * 4 - 1;
    const auto keys = app::integers(static_cast<std::size_t>(n), 125, ~0u);
    app::Buffer<uint32_t> in(keys), table(std::size_t{mask} + 1);
    table.upload(std::vector<uint32_t>(std::size_t{mask} + 1));
    hash_insert<<<app::blocks(n, 256), 256>>>(in.get(), table.get(), mask, n);
    bench::finish();
    // Where a key lies depends on the order of the inserts, which keys there are does not.
    std::vector<uint32_t> got, want;
    for (uint32_t key : table.download())
        if (key != 0) got.push_back(key);
    for (uint32_t key : keys) want.push_back(key | 1u);
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    want.erase(std::unique(want.begin(), want.end()), want.end());
    app.check(got, want, 0);
    return app.finish();
}
