// SPDX-License-Identifier: Apache-2.0
//
// A block cipher of table look-ups in shared memory: four words, ten rounds of sixteen look-ups, by key.
#include "../app.h"

__host__ __device__ inline uint32_t turn(uint32_t v, int by) { return v << by | v >> (32 - by); }

template <class Table>
__host__ __device__ inline uint4 cipher(const Table& table, const uint32_t* keys, uint4 s) {
    for (int round = 0; round < 10; ++round) {
        uint4 t;
        t.x = table[s.x & 255] ^ turn(table[s.y >> 8 & 255], 8) ^ turn(table[s.z >> 16 & 255], 16) ^ turn(table[s.w >> 24], 24) ^ keys[4 * round];
        t.y = table[s.y & 255] ^ turn(table[s.z >> 8 & 255], 8) ^ turn(table[s.w >> 16 & 255], 16) ^ turn(table[s.x >> 24], 24) ^ keys[4 * round + 1];
        t.z = table[s.z & 255] ^ turn(table[s.w >> 8 & 255], 8) ^ turn(table[s.x >> 16 & 255], 16) ^ turn(table[s.y >> 24], 24) ^ keys[4 * round + 2];
        t.w = table[s.w & 255] ^ turn(table[s.x >> 8 & 255], 8) ^ turn(table[s.y >> 16 & 255], 16) ^ turn(table[s.z >> 24], 24) ^ keys[4 * round + 3];
        s = t;
    }
    return s;
}

__global__ void table_cipher(const uint4* in, uint4* out, const uint32_t* table, const uint32_t* keys, int count) {
    __shared__ uint32_t lookup[256];
    __shared__ uint32_t key[40];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) lookup[i] = table[i];
    if (threadIdx.x < 40) key[threadIdx.x] = keys[threadIdx.x];
    __syncthreads();
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) out[i] = cipher(lookup, key, in[i]);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(16384, 262144);
    auto text = app::integers(4 * static_cast<std::size_t>(n), 1, 0xffffffffu), table = app::integers(256, 2, 0xffffffffu), keys = app::integers(40, 3, 0xffffffffu);
    app::Buffer<uint32_t> di(text), dt(table), dk(keys), out(text.size());
    table_cipher<<<app::blocks(n, 256), 256>>>(reinterpret_cast<uint4*>(di.get()), reinterpret_cast<uint4*>(out.get()), dt.get(), dk.get(), n);
    bench::finish();
    std::vector<uint32_t> want;
    for (int i = 0; i < n; ++i) {
        uint4 r = cipher(table.data(), keys.data(), uint4{text[4 * i], text[4 * i + 1], text[4 * i + 2], text[4 * i + 3]});
        want.insert(want.end(), {r.x, r.y, r.z, r.w});
    }
    app.check(out.download(), want, 0);
    return app.finish();
}
