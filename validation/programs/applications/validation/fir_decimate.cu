// SPDX-License-Identifier: Apache-2.0
//
// A filter of 64 taps that keeps one sample of four: each block goes along its part of the signal, a tile ahead (two stages).
#include <cuda_pipeline.h>

#include "../app.h"

constexpr int kTaps = 64, kKeep = 4, kThreads = 128, kTile = kKeep * kThreads, kRead = kTile + kTaps, kBlocks = 128;

__constant__ float taps[kTaps];

// The signal has kTaps samples more than the blocks have tiles for.
__global__ void __launch_bounds__(kThreads) fir_decimate(const float* signal, float* out, int tiles) {
    __shared__ __align__(16) float stage[2][kRead];
    const int t = threadIdx.x, first = static_cast<int>(blockIdx.x) * tiles;
    auto fetch = [&](int tile) {
        const float* from = signal + static_cast<std::size_t>(first + tile) * kTile;
        for (int i = t; i < kRead / 4; i += kThreads) __pipeline_memcpy_async(&stage[tile % 2][4 * i], from + 4 * i, 16);
    };
    fetch(0);
    __pipeline_commit();
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles) fetch(tile + 1);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        const auto* at = reinterpret_cast<const float4*>(&stage[tile % 2][kKeep * t]);
        float sum = 0;
#pragma unroll
        for (int k = 0; k < kTaps / 4; ++k) {
            const float4 x = at[k];
            sum += x.x * taps[4 * k] + x.y * taps[4 * k + 1] + x.z * taps[4 * k + 2] + x.w * taps[4 * k + 3];
        }
        out[static_cast<std::size_t>(first + tile) * kThreads + t] = sum;
        __syncthreads();
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int tiles = app.size(32, 256);
    const std::size_t outputs = std::size_t{kBlocks} * tiles * kThreads;
    const auto signal = app::floats(outputs * kKeep + kTaps, 1), weights = app::floats(kTaps, 2);
    app::Buffer<float> in(signal), out(outputs);
    CUDA_OK(cudaMemcpyToSymbol(taps, weights.data(), sizeof taps));
    fir_decimate<<<kBlocks, kThreads>>>(in.get(), out.get(), tiles);
    bench::finish();
    const auto result = out.download();
    std::vector<float> got, want;
    for (std::size_t at = 0; at < outputs; at += 251) {
        double sum = 0;
        for (int k = 0; k < kTaps; ++k) sum += double{signal[at * kKeep + k]} * weights[k];
        got.push_back(result[at]), want.push_back(static_cast<float>(sum));
    }
    app.check(got, want, 1e-4);
    return app.finish();
}
