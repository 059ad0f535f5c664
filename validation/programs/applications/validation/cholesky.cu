// SPDX-License-Identifier: Apache-2.0
//
// Cholesky factors of one matrix by one block of 1024 threads, packed into a large piece of dynamic shared memory, and of
// many small matrices by one warp each, in double precision.
#include "../app.h"

__host__ __device__ inline int place(int i, int j) { return i * (i + 1) / 2 + j; }

__global__ void __launch_bounds__(1024) one_block(float* matrix, int n) {
    extern __shared__ float a[];
    const int total = place(n, 0);
    for (int k = threadIdx.x; k < total; k += 1024) a[k] = matrix[k];
    for (int k = 0; k < n; ++k) {
        __syncthreads();
        const float pivot = sqrtf(a[place(k, k)]);
        __syncthreads();
        for (int i = k + static_cast<int>(threadIdx.x); i < n; i += 1024) a[place(i, k)] = i == k ? pivot : a[place(i, k)] / pivot;
        __syncthreads();
        for (int i = k + 1 + static_cast<int>(threadIdx.y), row = threadIdx.x / 32; i + row < n; i += 32)
            for (int j = k + 1 + static_cast<int>(threadIdx.x % 32); j <= i + row; j += 32) a[place(i + row, j)] -= a[place(i + row, k)] * a[place(j, k)];
    }
    __syncthreads();
    for (int k = threadIdx.x; k < total; k += 1024) matrix[k] = a[k];
}

constexpr int kSmall = 24;

__global__ void __launch_bounds__(32) one_warp(double* matrices) {
    __shared__ double a[kSmall][kSmall + 1];
    double* own = matrices + blockIdx.x * kSmall * kSmall;
    const int lane = threadIdx.x;
    for (int k = lane; k < kSmall * kSmall; k += 32) a[k / kSmall][k % kSmall] = own[k];
    __syncwarp();
    for (int k = 0; k < kSmall; ++k) {
        const double pivot = sqrt(a[k][k]);
        __syncwarp();
        if (lane >= k && lane < kSmall) a[lane][k] = lane == k ? pivot : a[lane][k] / pivot;
        __syncwarp();
        if (lane > k && lane < kSmall)
            for (int j = k + 1; j <= lane; ++j) a[lane][j] -= a[lane][k] * a[j][k];
        __syncwarp();
    }
    for (int k = lane; k < kSmall * kSmall; k += 32) own[k] = k % kSmall <= k / kSmall ? a[k / kSmall][k % kSmall] : 0.0;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(96, 320), batch = app.size(100, 1500);
    auto noise = app::floats(static_cast<std::size_t>(place(n, 0)), 51);
    std::vector<float> matrix(noise.size());
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) matrix[static_cast<std::size_t>(place(i, j))] = i == j ? static_cast<float>(n) : noise[static_cast<std::size_t>(place(i, j))];
    auto small_noise = app::floats(static_cast<std::size_t>(batch) * kSmall * kSmall, 52);
    std::vector<double> small(small_noise.size());
    for (std::size_t k = 0; k < small.size(); ++k) {
        const std::size_t at = k % (kSmall * kSmall), i = at / kSmall, j = at % kSmall;
        small[k] = i == j ? kSmall : small_noise[k - at + std::max(i, j) * kSmall + std::min(i, j)];
    }
    app::Buffer<float> a(matrix);
    app::Buffer<double> s(small);
    const auto bytes = static_cast<int>(matrix.size() * sizeof(float));
    CUDA_OK(cudaFuncSetAttribute(one_block, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    one_block<<<1, 1024, static_cast<std::size_t>(bytes)>>>(a.get(), n);
    bench::finish();
    one_warp<<<static_cast<unsigned>(batch), 32>>>(s.get());
    bench::finish();
    std::vector<double> exact(matrix.begin(), matrix.end());
    for (int k = 0; k < n; ++k) {
        auto at = [&](int i, int j) -> double& { return exact[static_cast<std::size_t>(place(i, j))]; };
        at(k, k) = std::sqrt(at(k, k));
        for (int i = k + 1; i < n; ++i) at(i, k) /= at(k, k);
        for (int i = k + 1; i < n; ++i)
            for (int j = k + 1; j <= i; ++j) at(i, j) -= at(i, k) * at(j, k);
    }
    app.check(a.download(), std::vector<float>(exact.begin(), exact.end()), 1e-4);
    for (std::size_t b = 0; b < static_cast<std::size_t>(batch); ++b) {
        double(*m)[kSmall] = reinterpret_cast<double(*)[kSmall]>(&small[b * kSmall * kSmall]);
        for (int k = 0; k < kSmall; ++k) {
            m[k][k] = std::sqrt(m[k][k]);
            for (int i = k + 1; i < kSmall; ++i) m[i][k] /= m[k][k];
            for (int i = k + 1; i < kSmall; ++i)
                for (int j = k + 1; j <= i; ++j) m[i][j] -= m[i][k] * m[j][k];
        }
        for (int i = 0; i < kSmall; ++i)
            for (int j = i + 1; j < kSmall; ++j) m[i][j] = 0;
    }
    app.check(s.download(), small, 1e-10);
    return app.finish();
}
