// SPDX-License-Identifier: Apache-2.0
//
// Data put in another order: bit reversal of indices, a tensor's axes turned directly and through tiles.
#include "../app.h"

__global__ void bit_reversal(const float2* in, float2* out, int bits) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[__brev(i) >> (32 - bits)] = in[i];
}

// (z, y, x) to (x, z, y).
__global__ void turn_directly(const float* in, float* out, int n) {
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    out[(x * n + z) * n + y] = in[(z * n + y) * n + x];
}

__global__ void turn_by_tiles(const float* in, float* out, int n) {
    __shared__ float tile[32][33];
    const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, z = blockIdx.z;
    for (int j = threadIdx.y; j < 32; j += 8) tile[j][threadIdx.x] = in[(z * n + y0 + j) * n + x0 + threadIdx.x];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8) out[((x0 + j) * n + z) * n + y0 + threadIdx.x] = tile[threadIdx.x][j];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(64, 256), bits = n == 64 ? 16 : 22;
    const auto cube = static_cast<std::size_t>(n) * n * n;
    const auto data = app::floats(cube, 7), pairs = app::floats(std::size_t{2} << bits, 8);
    app::Buffer<float> in(data), direct(cube), tiled(cube), from(pairs), to(pairs.size());
    bit_reversal<<<1u << (bits - 8), 256>>>(reinterpret_cast<float2*>(from.get()), reinterpret_cast<float2*>(to.get()), bits);
    turn_directly<<<dim3(n / 32, n / 8, n), dim3(32, 8)>>>(in.get(), direct.get(), n);
    turn_by_tiles<<<dim3(n / 32, n / 32, n), dim3(32, 8)>>>(in.get(), tiled.get(), n);
    bench::finish();
    std::vector<float> want(cube), swapped(pairs.size());
    for (int z = 0; z < n; ++z)
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) want[(static_cast<std::size_t>(x) * n + z) * n + y] = data[(static_cast<std::size_t>(z) * n + y) * n + x];
    for (uint32_t i = 0; i < 1u << bits; ++i) {
        uint32_t r = 0;
        for (int b = 0; b < bits; ++b) r |= (i >> b & 1) << (bits - 1 - b);
        swapped[2 * r] = pairs[2 * i];
        swapped[2 * r + 1] = pairs[2 * i + 1];
    }
    app.check(to.download(), swapped, 0);
    app.check(direct.download(), want, 0);
    app.check(tiled.download(), want, 0);
    return app.finish();
}
