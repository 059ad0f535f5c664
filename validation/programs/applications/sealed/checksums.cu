// SPDX-License-Identifier: Apache-2.0
//
// CRC-32 of messages, one per thread: bytes through a table in constant memory, and four bytes at a time through tables in shared memory.
#include "../app.h"

__constant__ uint32_t table[256];

__global__ void by_bytes(const uint8_t* text, uint32_t* out, int length, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    uint32_t crc = 0xffffffffu;
    for (int k = 0; k < length; ++k) crc = table[(crc ^ text[k * count + i]) & 255] ^ crc >> 8;
    out[i] = ~crc;
}

__global__ void by_words(const uint32_t* text, const uint32_t* tables, uint32_t* out, int words, int count) {
    __shared__ uint32_t t[4][256];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) t[k / 256][k % 256] = tables[k];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    uint32_t crc = 0xffffffffu;
    for (int k = 0; k < words; ++k) {
        crc ^= text[i * words + k];
        crc = t[3][crc & 255] ^ t[2][crc >> 8 & 255] ^ t[1][crc >> 16 & 255] ^ t[0][crc >> 24];
    }
    out[i] = ~crc;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(8192, 131072), length = 64;
    std::vector<uint32_t> tables(1024);
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t c = i;
        for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xedb88320u ^ c >> 1 : c >> 1;
        tables[i] = c;
    }
    for (int k = 1; k < 4; ++k)
        for (int i = 0; i < 256; ++i) tables[k * 256 + i] = tables[tables[(k - 1) * 256 + i] & 255] ^ tables[(k - 1) * 256 + i] >> 8;
    const auto values = app::integers(static_cast<std::size_t>(count) * length, 11, 256);
    const std::vector<uint8_t> text(values.begin(), values.end());      // message i at i * length
    std::vector<uint8_t> apart(text.size());                            // byte k of all messages together
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < length; ++k) apart[static_cast<std::size_t>(k) * count + i] = text[static_cast<std::size_t>(i) * length + k];
    CUDA_OK(cudaMemcpyToSymbol(table, tables.data(), 1024));
    app::Buffer<uint8_t> rows(text), columns(apart);
    app::Buffer<uint32_t> all(tables), first(count), second(count);
    by_bytes<<<app::blocks(count, 256), 256>>>(columns.get(), first.get(), length, count);
    by_words<<<app::blocks(count, 128), 128>>>(reinterpret_cast<uint32_t*>(rows.get()), all.get(), second.get(), length / 4, count);
    bench::finish();
    std::vector<uint32_t> want(count);
    for (int i = 0; i < count; ++i) {
        uint32_t crc = 0xffffffffu;
        for (int k = 0; k < length; ++k) crc = tables[(crc ^ text[static_cast<std::size_t>(i) * length + k]) & 255] ^ crc >> 8;
        want[i] = ~crc;
    }
    app.check(first.download(), want, 0);
    app.check(second.download(), want, 0);
    return app.finish();
}
