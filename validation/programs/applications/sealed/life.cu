// SPDX-License-Identifier: Apache-2.0
//
// Conway's game of life with 32 cells to a word: neighbours are added by logic alone.
#include "../app.h"

__host__ __device__ inline uint32_t left(uint32_t before, uint32_t here) { return here << 1 | before >> 31; }
__host__ __device__ inline uint32_t right(uint32_t here, uint32_t after) { return here >> 1 | after << 31; }

__host__ __device__ inline void add(uint32_t v, uint32_t& ones, uint32_t& twos, uint32_t& fours) {
    const uint32_t carry = ones & v;
    ones ^= v;
    fours |= twos & carry;
    twos ^= carry;
}

// Words above, here and below, each with its neighbours at the left and at the right.
__host__ __device__ inline uint32_t step(const uint32_t w[3][3]) {
    uint32_t ones = 0, twos = 0, fours = 0;
    for (int r = 0; r < 3; ++r) {
        add(left(w[r][0], w[r][1]), ones, twos, fours);
        add(right(w[r][1], w[r][2]), ones, twos, fours);
        if (r != 1) add(w[r][1], ones, twos, fours);
    }
    return twos & ~fours & (ones | w[1][1]);
}

__global__ void generation(const uint32_t* in, uint32_t* out, int words, int rows) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    uint32_t w[3][3];
#pragma unroll
    for (int r = 0; r < 3; ++r)
#pragma unroll
        for (int c = 0; c < 3; ++c) w[r][c] = in[(y + r - 1 + rows) % rows * words + (x + c - 1 + words) % words];
    out[y * words + x] = step(w);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int rows = app.size(1024, 8192), words = rows / 32, turns = 4;
    const auto count = static_cast<std::size_t>(rows) * words;
    std::vector<uint32_t> now = app::integers(count, 83, 0xffffffffu), next(count);
    app::Buffer<uint32_t> a(now), b(count);
    for (int t = 0; t < turns; ++t) {
        uint32_t* from = t % 2 == 0 ? a.get() : b.get();
        uint32_t* to = t % 2 == 0 ? b.get() : a.get();
        generation<<<dim3(words / 32, rows), 32>>>(from, to, words, rows);
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < words; ++x) {
                uint32_t w[3][3];
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c) w[r][c] = now[static_cast<std::size_t>((y + r - 1 + rows) % rows) * words + (x + c - 1 + words) % words];
                next[static_cast<std::size_t>(y) * words + x] = step(w);
            }
        std::swap(now, next);
    }
    bench::finish();
    // By counting, for a part of the last generation's cells: the logic itself is right.
    for (int y = 1; y < 16; ++y)
        for (int x = 33; x < 600; ++x) {
            const auto cell = [&](const std::vector<uint32_t>& of, int u, int v) { return of[static_cast<std::size_t>(v) * words + u / 32] >> u % 32 & 1; };
            unsigned sum = 0;
            for (int k = 0; k < 9; ++k) sum += k == 4 ? 0 : cell(next, x + k % 3 - 1, y + k / 3 - 1);
            const unsigned want = sum == 3 || (sum == 2 && cell(next, x, y));
            app.check(std::vector<unsigned>{cell(now, x, y)}, std::vector<unsigned>{want}, 0);
        }
    app.check(a.download(), now, 0);
    return app.finish();
}
