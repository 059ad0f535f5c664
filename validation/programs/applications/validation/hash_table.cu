// SPDX-License-Identifier: Apache-2.0
//
// A hash table with open addressing: keys are put in by compare-and-swap, then looked up, half of them in vain.
#include "../app.h"

constexpr uint32_t kEmpty = 0xffffffffu;

__host__ __device__ inline uint32_t hashed(uint32_t k) {
    k = (k ^ k >> 16) * 0x85ebca6bu;
    k = (k ^ k >> 13) * 0xc2b2ae35u;
    return k ^ k >> 16;
}

__global__ void insert(uint32_t* slots, uint32_t* values, const uint32_t* keys, uint32_t mask, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const uint32_t key = keys[i];
    for (uint32_t slot = hashed(key) & mask;; slot = (slot + 1) & mask) {
        const uint32_t was = atomicCAS(&slots[slot], kEmpty, key);
        if (was == kEmpty || was == key) {
            values[slot] = key * 3 + 1;
            return;
        }
    }
}

__global__ void look_up(const uint32_t* slots, const uint32_t* values, const uint32_t* keys, uint32_t* found, uint32_t mask, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const uint32_t key = keys[i];
    uint32_t result = 0;
    for (uint32_t slot = hashed(key) & mask;; slot = (slot + 1) & mask) {
        const uint32_t at = slots[slot];
        if (at == key) result = values[slot];
        if (at == key || at == kEmpty) break;
    }
    found[i] = result;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(1 << 14, 1 << 18);
    const auto places = static_cast<uint32_t>(2 * count);
    auto keys = app::integers(static_cast<std::size_t>(count), 1, 1u << 30), asked = keys;
    for (std::size_t i = 0; i < asked.size(); i += 2) asked[i] |= 1u << 30;
    for (std::size_t i = 0; i + 4096 < asked.size(); i += 3) std::swap(asked[i], asked[i + 4096]);
    app::Buffer<uint32_t> slots(std::vector<uint32_t>(places, kEmpty)), values(places), d_keys(keys), d_asked(asked), found(keys.size());
    insert<<<app::blocks(count, 256), 256>>>(slots.get(), values.get(), d_keys.get(), places - 1, count);
    bench::finish();
    look_up<<<app::blocks(count, 256), 256>>>(slots.get(), values.get(), d_asked.get(), found.get(), places - 1, count);
    bench::finish();
    std::vector<uint32_t> want;
    for (uint32_t key : asked) want.push_back(key >> 30 ? 0 : key * 3 + 1);
    app.check(found.download(), want, 0);
    return app.finish();
}
