// SPDX-License-Identifier: Apache-2.0
//
// Power iteration in one launch: 128 blocks meet at a barrier of their own in global memory after each of eight products.
#include "../app.h"

constexpr int kBlocks = 128, kThreads = 256;

__device__ void meet(unsigned* arrived, unsigned goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (*reinterpret_cast<volatile unsigned*>(arrived) < goal) {
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void iterate(const float* matrix, float* vectors, unsigned* arrived, int n) {
    const int lane = threadIdx.x % 32, warp = (blockIdx.x * kThreads + threadIdx.x) / 32, warps = kBlocks * kThreads / 32;
    for (int turn = 0; turn < 8; ++turn) {
        const float* from = vectors + turn * n;
        float* to = vectors + (turn + 1) * n;
        for (int row = warp; row < n; row += warps) {
            float sum = 0;
            for (int k = lane; k < n; k += 32) sum += matrix[static_cast<size_t>(row) * n + k] * __ldcg(from + k);
            for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
            if (lane == 0) to[row] = sum;
        }
        meet(arrived, static_cast<unsigned>(kBlocks * (turn + 1)));
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1024, 2048);
    const auto wide = static_cast<std::size_t>(n);
    auto m = app::floats(wide * wide, 14, 0, 2.0f / static_cast<float>(n));
    std::vector<float> v(wide * 9, 1.0f);
    app::Buffer<float> matrix(m), vectors(v);
    app::Buffer<unsigned> arrived(1);
    arrived.clear();
    iterate<<<kBlocks, kThreads>>>(matrix.get(), vectors.get(), arrived.get(), n);
    bench::finish();
    for (std::size_t turn = 0; turn < 8; ++turn)
        for (std::size_t row = 0; row < wide; ++row) {
            double sum = 0;
            for (std::size_t k = 0; k < wide; ++k) sum += static_cast<double>(m[row * wide + k]) * v[turn * wide + k];
            v[(turn + 1) * wide + row] = static_cast<float>(sum);
        }
    app.check(vectors.download(), v, 1e-3);
    return app.finish();
}
