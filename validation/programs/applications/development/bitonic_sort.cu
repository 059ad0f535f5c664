// SPDX-License-Identifier: Apache-2.0
//
// Bitonic sort: steps within 1024 elements in shared memory, wider steps from global memory, many small launches.
#include "../app.h"

__device__ inline void order(uint32_t& a, uint32_t& b, bool up) {
    if ((a > b) == up) {
        uint32_t t = a;
        a = b;
        b = t;
    }
}

__global__ void bitonic_shared(uint32_t* data, int first, int last) {
    __shared__ uint32_t room[1024];
    int base = static_cast<int>(blockIdx.x) * 1024;
    room[threadIdx.x] = data[base + threadIdx.x];
    room[threadIdx.x + 512] = data[base + threadIdx.x + 512];
    for (int size = first; size <= last; size *= 2) {
        for (int stride = min(size / 2, 512); stride > 0; stride /= 2) {
            __syncthreads();
            int t = static_cast<int>(threadIdx.x);
            int i = 2 * t - (t & (stride - 1));
            order(room[i], room[i + stride], ((base + i) & size) == 0);
        }
    }
    __syncthreads();
    data[base + threadIdx.x] = room[threadIdx.x];
    data[base + threadIdx.x + 512] = room[threadIdx.x + 512];
}

__global__ void bitonic_global(uint32_t* data, int size, int stride) {
    int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    int i = 2 * t - (t & (stride - 1));
    uint32_t a = data[i];
    uint32_t b = data[i + stride];
    order(a, b, (i & size) == 0);
    data[i] = a;
    data[i + stride] = b;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(1 << 14, 1 << 18);
    auto data = app::integers(static_cast<std::size_t>(n), 18, 1u << 31);
    app::Buffer<uint32_t> device(data);
    auto blocks = static_cast<unsigned>(n / 1024);
    bitonic_shared<<<blocks, 512>>>(device.get(), 2, 1024);
    for (int size = 2048; size <= n; size *= 2) {
        for (int stride = size / 2; stride >= 1024; stride /= 2) {
            bitonic_global<<<blocks, 512>>>(device.get(), size, stride);
        }
        bitonic_shared<<<blocks, 512>>>(device.get(), size, size);
    }
    bench::finish();
    std::sort(data.begin(), data.end());
    app.check(device.download(), data, 0);
    return app.finish();
}
