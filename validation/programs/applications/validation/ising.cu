// SPDX-License-Identifier: Apache-2.0
//
// The Ising model on a checkerboard: spins in bytes, the two colours in arrays of their own, random numbers of a counter.
#include "../app.h"

__host__ __device__ inline uint32_t noise(uint32_t counter, uint32_t key) {
    uint32_t left = counter, right = key;
    for (int round = 0; round < 7; ++round) {
        const uint64_t product = static_cast<uint64_t>(left) * 0xd256d193u;
        left = static_cast<uint32_t>(product >> 32) ^ key ^ right;
        right = static_cast<uint32_t>(product);
        key += 0x9e3779b9u;
    }
    return left;
}

/// The new spin at (x, y) of one colour; `limits` are by how much energy a flip would cost.
__host__ __device__ inline int8_t flipped(const int8_t* own, const int8_t* other, int x, int y, int width, int height, int colour, uint32_t step, const uint32_t* limits) {
    const int up = y == 0 ? height - 1 : y - 1, down = y + 1 == height ? 0 : y + 1;
    const int side = (y + colour) % 2 == 1 ? (x + 1 == width ? 0 : x + 1) : (x == 0 ? width - 1 : x - 1);
    const int sum = other[up * width + x] + other[down * width + x] + other[y * width + x] + other[y * width + side];
    const int8_t spin = own[y * width + x];
    const int cost = sum * spin;
    const bool flip = cost <= 0 || noise(static_cast<uint32_t>(y * width + x), step * 2 + static_cast<uint32_t>(colour)) < limits[cost];
    return static_cast<int8_t>(flip ? -spin : spin);
}

struct Limits {
    uint32_t of[5];
};

__global__ void __launch_bounds__(256) sweep(int8_t* own, const int8_t* other, int width, int height, int colour, uint32_t step, Limits limits) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < width && y < height) own[y * width + x] = flipped(own, other, x, y, width, height, colour, step, limits.of);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int height = app.size(256, 1024), width = height / 2, steps = 2;
    const auto n = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    auto random = app::integers(2 * n, 41, 2);
    std::vector<int8_t> black(n), white(n);
    for (std::size_t i = 0; i < n; ++i) black[i] = random[i] ? 1 : -1, white[i] = random[n + i] ? 1 : -1;
    Limits limits{};
    for (int cost = 0; cost < 5; ++cost) limits.of[cost] = static_cast<uint32_t>(std::min(4294967295.0, 4294967296.0 * std::exp(-2.0 * 0.4 * cost)));
    app::Buffer<int8_t> b(black), w(white);
    const dim3 grid(app::blocks(width, 64), app::blocks(height, 4)), block(64, 4);
    for (uint32_t step = 0; step < static_cast<uint32_t>(steps); ++step) {
        sweep<<<grid, block>>>(b.get(), w.get(), width, height, 0, step, limits);
        bench::finish();
        sweep<<<grid, block>>>(w.get(), b.get(), width, height, 1, step, limits);
        bench::finish();
        for (int colour = 0; colour < 2; ++colour) {
            auto& own = colour == 0 ? black : white;
            const auto before = own;
            for (int y = 0; y < height; ++y)
                for (int x = 0; x < width; ++x)
                    own[static_cast<std::size_t>(y * width + x)] = flipped(before.data(), (colour == 0 ? white : black).data(), x, y, width, height, colour, step, limits.of);
        }
    }
    app.check(b.download(), black, 0);
    app.check(w.download(), white, 0);
    return app.finish();
}
