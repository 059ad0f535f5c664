// SPDX-License-Identifier: Apache-2.0
//
// Edges of a picture: gradient by Sobel's masks with its direction, then thinning along the direction.
#include "../app.h"

__host__ __device__ inline int direction(int gx, int gy) {
    const int ax = gx < 0 ? -gx : gx, ay = gy < 0 ? -gy : gy;
    if (5 * ay < 2 * ax) return 0;
    if (5 * ax < 2 * ay) return 2;
    return (gx < 0) == (gy < 0) ? 1 : 3;
}

__global__ void gradient(const uint8_t* in, uint16_t* out, int n) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) {
        out[y * n + x] = 0;
        return;
    }
    const uint8_t* p = in + y * n + x;
    const int gx = p[1 - n] + 2 * p[1] + p[1 + n] - p[-1 - n] - 2 * p[-1] - p[-1 + n];
    const int gy = p[n - 1] + 2 * p[n] + p[n + 1] - p[-n - 1] - 2 * p[-n] - p[-n + 1];
    out[y * n + x] = static_cast<uint16_t>((abs(gx) + abs(gy)) << 2 | direction(gx, gy));
}

__global__ void thin(const uint16_t* in, uint8_t* out, int n, int threshold) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    uint8_t edge = 0;
    if (x >= 1 && y >= 1 && x < n - 1 && y < n - 1) {
        const int here = in[y * n + x], size = here >> 2;
        if (size > threshold) {
            int step = 1;
            switch (here & 3) {
                case 1: step = n + 1; break;
                case 2: step = n; break;
                case 3: step = n - 1; break;
            }
            edge = size >= in[y * n + x + step] >> 2 && size >= in[y * n + x - step] >> 2;
        }
    }
    out[y * n + x] = edge;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(512, 4096);
    const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::vector<uint8_t> data(count);
    const auto noise = app::integers(count, 5, 24);
    for (std::size_t i = 0; i < count; ++i) {
        const int x = static_cast<int>(i) % n, y = static_cast<int>(i) / n;
        data[i] = static_cast<uint8_t>(noise[i] + ((x / 37 + y / 53) % 2 != 0 ? 180 : 40));
    }
    app::Buffer<uint8_t> in(data), out(count);
    app::Buffer<uint16_t> middle(count);
    const dim3 grid(n / 32, n / 8), block(32, 8);
    gradient<<<grid, block>>>(in.get(), middle.get(), n);
    thin<<<grid, block>>>(middle.get(), out.get(), n, 120);
    bench::finish();
    std::vector<uint16_t> between(count);
    std::vector<uint8_t> want(count);
    for (int y = 1; y < n - 1; ++y)
        for (int x = 1; x < n - 1; ++x) {
            const uint8_t* p = data.data() + y * n + x;
            const int gx = p[1 - n] + 2 * p[1] + p[1 + n] - p[-1 - n] - 2 * p[-1] - p[-1 + n];
            const int gy = p[n - 1] + 2 * p[n] + p[n + 1] - p[-n - 1] - 2 * p[-n] - p[-n + 1];
            between[y * n + x] = static_cast<uint16_t>((std::abs(gx) + std::abs(gy)) << 2 | direction(gx, gy));
        }
    for (int y = 1; y < n - 1; ++y)
        for (int x = 1; x < n - 1; ++x) {
            const int here = between[y * n + x], size = here >> 2;
            const int steps[4] = {1, n + 1, n, n - 1};
            const int step = steps[here & 3];
            want[y * n + x] = size > 120 && size >= between[y * n + x + step] >> 2 && size >= between[y * n + x - step] >> 2;
        }
    app.check(middle.download(), between, 0);
    app.check(out.download(), want, 0);
    return app.finish();
}
