// SPDX-License-Identifier: Apache-2.0
//
// Angles between all pairs of points on a sphere (as Parboil's tpacf): bins found by bisection of a table in constant
// memory, a histogram for each warp in shared memory, added up at the end.
#include "../app.h"

constexpr int kBins = 20, kThreads = 256, kWarps = kThreads / 32;
__constant__ float bounds[kBins + 1];

__host__ __device__ inline int bin_of(float dot, const float* bound) {
    int low = 0, high = kBins;
    while (high > low + 1) {
        const int middle = (low + high) / 2;
        if (dot >= bound[middle]) high = middle;
        else low = middle;
    }
    return low;
}

__global__ void __launch_bounds__(kThreads) pairs(const float* px, const float* py, const float* pz, unsigned* histogram, int points) {
    __shared__ float x[kThreads], y[kThreads], z[kThreads];
    __shared__ unsigned counts[kBins][kWarps];
    for (int i = threadIdx.x; i < kBins * kWarps; i += kThreads) (&counts[0][0])[i] = 0;
    const int own = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), warp = threadIdx.x / 32;
    const float ox = px[own], oy = py[own], oz = pz[own];
    for (int tile = static_cast<int>(blockIdx.x) * kThreads; tile < points; tile += kThreads) {
        __syncthreads();
        x[threadIdx.x] = px[tile + threadIdx.x], y[threadIdx.x] = py[tile + threadIdx.x], z[threadIdx.x] = pz[tile + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < kThreads; ++j) {
            if (tile + j <= own) continue;
            const float dot = ox * x[j] + oy * y[j] + oz * z[j];
            atomicAdd(&counts[bin_of(dot, bounds)][warp], 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x < kBins) {
        unsigned sum = 0;
        for (int w = 0; w < kWarps; ++w) sum += counts[threadIdx.x][w];
        atomicAdd(&histogram[threadIdx.x], sum);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int points = app.size(1024, 2560);
    const auto n = static_cast<std::size_t>(points);
    auto x = app::floats(n, 1), y = app::floats(n, 2), z = app::floats(n, 3);
    for (std::size_t i = 0; i < n; ++i) {
        const float length = std::sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]) + 1e-6f;
        x[i] /= length, y[i] /= length, z[i] /= length;
    }
    float bound[kBins + 1];
    for (int b = 0; b <= kBins; ++b) bound[b] = 1.0f - 2.0f * static_cast<float>(b * b) / (kBins * kBins) - 1e-4f;
    CUDA_OK(cudaMemcpyToSymbol(bounds, bound, sizeof bound));
    app::Buffer<float> px(x), py(y), pz(z);
    app::Buffer<unsigned> histogram(kBins);
    histogram.clear();
    pairs<<<static_cast<unsigned>(points / kThreads), kThreads>>>(px.get(), py.get(), pz.get(), histogram.get(), points);
    bench::finish();
    // The compiler is free to fuse, so that a pair next to a bound may fall beyond it.
    std::vector<double> want(kBins), got(kBins);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) ++want[static_cast<std::size_t>(bin_of(x[i] * x[j] + y[i] * y[j] + z[i] * z[j], bound))];
    auto counted = histogram.download();
    for (std::size_t b = 0; b < kBins; ++b) got[b] = counted[b];
    app.check(got, want, 2e-3);
    return app.finish();
}
