// SPDX-License-Identifier: Apache-2.0
//
// Motion search: for each 8x8 block of a picture the displacement within +-8 whose sum of absolute differences is least.
#include "../app.h"

constexpr int kReach = 8;

__global__ void search(const uint8_t* now, const uint8_t* before, uint32_t* best, int width, int height) {
    __shared__ uint8_t window[24][28];
    __shared__ uint8_t own[8][8];
    const int left = blockIdx.x * 8, top = blockIdx.y * 8, t = threadIdx.x;
    for (int k = t; k < 24 * 24; k += blockDim.x) {
        const int x = min(max(left + k % 24 - kReach, 0), width - 1), y = min(max(top + k / 24 - kReach, 0), height - 1);
        window[k / 24][k % 24] = before[y * width + x];
    }
    if (t < 64) own[t / 8][t % 8] = now[(top + t / 8) * width + left + t % 8];
    __syncthreads();
    uint32_t least = 0xffffffffu;
    for (int k = t; k < 17 * 17; k += blockDim.x) {
        uint32_t sum = 0;
        for (int y = 0; y < 8; ++y)
            for (int x = 0; x < 8; ++x) sum = __usad(own[y][x], window[k / 17 + y][k % 17 + x], sum);
        least = min(least, sum << 16 | static_cast<uint32_t>(k));
    }
    least = __reduce_min_sync(0xffffffffu, least);
    __shared__ uint32_t result;
    if (t == 0) result = 0xffffffffu;
    __syncthreads();
    if (t % 32 == 0) atomicMin(&result, least);
    __syncthreads();
    if (t == 0) best[blockIdx.y * gridDim.x + blockIdx.x] = result;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int width = app.size(256, 1024), height = width / 2;
    auto random = app::integers(static_cast<std::size_t>(width) * height, 5, 256);
    std::vector<uint8_t> before(random.size()), now(random.size());
    for (std::size_t i = 0; i < random.size(); ++i) before[i] = static_cast<uint8_t>(random[i]);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            now[static_cast<std::size_t>(y * width + x)] =
                static_cast<uint8_t>(before[static_cast<std::size_t>(((y + 3) % height) * width + (x + 5) % width)] ^ (random[static_cast<std::size_t>(x)] & 3));
    app::Buffer<uint8_t> a(now), b(before);
    app::Buffer<uint32_t> out(static_cast<std::size_t>(width / 8 * (height / 8)));
    search<<<dim3(static_cast<unsigned>(width / 8), static_cast<unsigned>(height / 8)), 96>>>(a.get(), b.get(), out.get(), width, height);
    bench::finish();
    std::vector<uint32_t> want;
    for (int top = 0; top < height; top += 8)
        for (int left = 0; left < width; left += 8) {
            uint32_t least = 0xffffffffu;
            for (int k = 0; k < 17 * 17; ++k) {
                uint32_t sum = 0;
                for (int j = 0; j < 64; ++j) {
                    const int x = std::min(std::max(left + k % 17 + j % 8 - kReach, 0), width - 1);
                    const int y = std::min(std::max(top + k / 17 + j / 8 - kReach, 0), height - 1);
                    sum += static_cast<uint32_t>(std::abs(now[static_cast<std::size_t>((top + j / 8) * width + left + j % 8)] - before[static_cast<std::size_t>(y * width + x)]));
                }
                least = std::min(least, sum << 16 | static_cast<uint32_t>(k));
            }
            want.push_back(least);
        }
    app.check(out.download(), want, 0);
    return app.finish();
}
