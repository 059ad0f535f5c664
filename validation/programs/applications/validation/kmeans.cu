// SPDX-License-Identifier: Apache-2.0
//
// One step of k-means: the nearest centre of every point (centres in constant memory, indexed in a loop), then sums per
// centre with atomics in shared and global memory.
#include "../app.h"

constexpr int kCentres = 24, kDimensions = 6;
__constant__ float centres[kCentres * kDimensions];

__global__ void kmeans_assign(const float* points, int* nearest, int n, int count) {
    const int i = static_cast<int>(threadIdx.x + blockDim.x * blockIdx.x);
    if (i >= n) return;
    float point[kDimensions];
    for (int d = 0; d < kDimensions; ++d) point[d] = points[d * n + i];
    int best = 0;
    float least = 1e30f;
#pragma unroll 1
    for (int c = 0; c < count; ++c) {
        float distance = 0;
        for (int d = 0; d < kDimensions; ++d) {
            const float off = point[d] - centres[c * kDimensions + d];
            distance += off * off;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    nearest[i] = best;
}

__global__ void kmeans_sums(const float* points, const int* nearest, int* members, float* sums, int n) {
    __shared__ int member[kCentres];
    __shared__ float sum[kCentres];
    for (int d = 0; d < kDimensions; ++d) {
        if (threadIdx.x < kCentres) {
            member[threadIdx.x] = 0;
            sum[threadIdx.x] = 0;
        }
        __syncthreads();
        for (int i = static_cast<int>(threadIdx.x + blockDim.x * blockIdx.x); i < n; i += gridDim.x * blockDim.x) {
            const int mine = nearest[i];
            atomicAdd(&sum[mine], points[d * n + i]);
            if (d == 0) atomicAdd(&member[mine], 1);
        }
        __syncthreads();
        if (threadIdx.x < kCentres) {
            atomicAdd(&sums[d * kCentres + threadIdx.x], sum[threadIdx.x]);
            if (d == 0) atomicAdd(&members[threadIdx.x], member[threadIdx.x]);
        }
        __syncthreads();
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 16, 1 << 19);
    auto points = app::floats(static_cast<std::size_t>(n) * kDimensions, 6);
    auto means = app::floats(kCentres * kDimensions, 8);
    CUDA_OK(cudaMemcpyToSymbol(centres, means.data(), means.size() * sizeof(float)));
    app::Buffer<float> dp(points), dsums(kCentres * kDimensions);
    app::Buffer<int> dnearest(static_cast<std::size_t>(n)), dmembers(kCentres);
    dsums.clear();
    dmembers.clear();
    kmeans_assign<<<app::blocks(n, 128), 128>>>(dp.get(), dnearest.get(), n, kCentres);
    kmeans_sums<<<132, 256>>>(dp.get(), dnearest.get(), dmembers.get(), dsums.get(), n);
    bench::finish();
    const std::vector<int> nearest = dnearest.download();
    std::vector<int> members(kCentres);
    std::vector<float> sums(kCentres * kDimensions);
    for (int i = 0; i < n; ++i) {
        ++members[static_cast<std::size_t>(nearest[i])];
        for (int d = 0; d < kDimensions; ++d) sums[static_cast<std::size_t>(d * kCentres + nearest[i])] += points[d * n + i];
    }
    app.check(dmembers.download(), members, 0);
    app.check(dsums.download(), sums, 1e-2);
    return app.finish();
}
