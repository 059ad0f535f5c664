// SPDX-License-Identifier: Apache-2.0
//
// Linear interpolation in a table: in shared memory with random places, in global memory with a table larger than the L1.
#include "../app.h"

__device__ float between(const float* table, float x, int last) {
    const int i = min(static_cast<int>(x), last - 1);
    const float part = x - static_cast<float>(i);
    return table[i] + part * (table[i + 1] - table[i]);
}

__global__ void from_shared(const float* table, const float* x, float* y, int size, int n) {
    extern __shared__ float mine[];
    for (int i = threadIdx.x; i < size; i += blockDim.x) mine[i] = table[i];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = between(mine, x[i], size - 1);
}

__global__ void from_global(const float* table, const float* x, float* y, int size, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = between(table, x[i] * 256.0f, size - 1);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 17, 1 << 23), small = 4096, big = small * 256;
    const auto near = app::floats(small, 97), far = app::floats(big, 98);
    const auto x = app::floats(n, 99, 0, small - 1);
    app::Buffer<float> a(near), b(far), in(x), first(n), second(n);
    from_shared<<<264, 512, small * sizeof(float)>>>(a.get(), in.get(), first.get(), small, n);
    from_global<<<app::blocks(n, 256), 256>>>(b.get(), in.get(), second.get(), big, n);
    bench::finish();
    const auto value = [](const std::vector<float>& table, float at) {
        const int i = std::min(static_cast<int>(at), static_cast<int>(table.size()) - 2);
        return table[i] + (at - static_cast<float>(i)) * (table[i + 1] - table[i]);
    };
    std::vector<float> want(n), wide(n);
    for (int i = 0; i < n; ++i) want[i] = value(near, x[i]), wide[i] = value(far, x[i] * 256.0f);
    app.check(first.download(), want, 1e-5);
    app.check(second.download(), wide, 1e-5);
    return app.finish();
}
