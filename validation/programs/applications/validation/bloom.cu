// SPDX-License-Identifier: Apache-2.0
//
// A Bloom filter of 4 bits per key: inserting with atomic or, then asking for keys of which half were inserted.
#include "../app.h"

__host__ __device__ inline uint32_t mix(uint32_t x, uint32_t seed) {
    x ^= seed * 0x9e3779b9u;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

__global__ void insert(const uint32_t* keys, uint32_t* filter, uint32_t mask, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t bit = mix(keys[i], k) & mask;
        atomicOr(&filter[bit / 32], 1u << bit % 32);
    }
}

__global__ void query(const uint32_t* keys, const uint32_t* filter, uint32_t mask, int count, uint32_t* hits) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool in = i < count;
    for (uint32_t k = 0; in && k < 4; ++k) {
        const uint32_t bit = mix(keys[i], k) & mask;
        in = filter[bit / 32] >> bit % 32 & 1;
    }
    const unsigned all = __ballot_sync(0xffffffffu, in);
    if (threadIdx.x % 32 == 0) {
        hits[i / 32] = all;
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(1 << 16, 1 << 20);
    const auto n = static_cast<std::size_t>(count);
    const uint32_t mask = static_cast<uint32_t>(count) * 16 - 1;
    auto keys = app::integers(n, 3, 0x7fffffff);
    auto asked = app::integers(n, 4, 0x7fffffff);
    for (std::size_t i = 0; i < n; i += 2) asked[i] = keys[i];
    app::Buffer<uint32_t> in(keys), ask(asked), filter((mask + 1u) / 32), hits(n / 32);
    filter.clear();
    insert<<<app::blocks(count, 256), 256>>>(in.get(), filter.get(), mask, count);
    bench::finish();
    query<<<app::blocks(count, 128), 128>>>(ask.get(), filter.get(), mask, count, hits.get());
    bench::finish();
    std::vector<uint32_t> bits((mask + 1u) / 32), want(n / 32);
    for (uint32_t key : keys)
        for (uint32_t k = 0; k < 4; ++k) bits[(mix(key, k) & mask) / 32] |= 1u << (mix(key, k) & mask) % 32;
    for (std::size_t i = 0; i < n; ++i) {
        bool is = true;
        for (uint32_t k = 0; k < 4; ++k) is = is && (bits[(mix(asked[i], k) & mask) / 32] >> (mix(asked[i], k) & mask) % 32 & 1);
        want[i / 32] |= static_cast<uint32_t>(is) << i % 32;
    }
    app.check(filter.download(), bits, 0);
    app.check(hits.download(), want, 0);
    return app.finish();
}
