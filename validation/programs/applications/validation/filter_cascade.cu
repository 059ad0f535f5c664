// SPDX-License-Identifier: Apache-2.0
//
// A cascade of eight second-order filters on many channels: a warp for each filter hands tiles of samples to the next
// through rings of two; all wait in loops around mbarrier.test_wait. The first warp copies the samples, two tiles ahead.
#include "../app.h"

constexpr int kFilters = 8, kSamples = 16, kLanes = 32, kRing = 2, kThreads = kFilters * kLanes;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HAS_TEST_PARITY 1
#endif

using Tile = float[kSamples][kLanes];
struct Filter {
    float b0, b1, b2, a1, a2;
};
__constant__ Filter filters[kFilters];

__device__ uint32_t address(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }
__device__ void init(uint64_t* barrier) { asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(address(barrier)) : "memory"); }
__device__ void arrive(uint64_t* barrier) {
    asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(address(barrier)) : "memory");
}
__device__ void wait(uint64_t* barrier, uint32_t parity) {
#ifdef HAS_TEST_PARITY
    uint32_t over;
    do {
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(over) : "r"(address(barrier)), "r"(parity) : "memory");
    } while (over == 0);
#endif
}

// Sample s of channel c is at s * channels + c.
__global__ void __launch_bounds__(kThreads) filter_cascade(const float* in, float* out, int channels, int tiles) {
    __shared__ __align__(16) Tile ring[kFilters][kRing];    // ring[0] holds the input
    __shared__ uint64_t full[kFilters][kRing], empty[kFilters][kRing];
    const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const std::size_t channel = blockIdx.x * kLanes;
    if (threadIdx.x < kFilters * kRing) init(&full[0][threadIdx.x]), init(&empty[0][threadIdx.x]);
    __syncthreads();
    auto fetch = [&](int tile) {
        if (tile < tiles)
            for (int i = lane; i < kSamples * kLanes / 4; i += kLanes)
                asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(address(&ring[0][tile % kRing][i / 8][i % 8 * 4])),
                             "l"(in + (static_cast<std::size_t>(tile) * kSamples + i / 8) * channels + channel + i % 8 * 4) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    if (warp == 0) fetch(0), fetch(1);
    const Filter f = filters[warp];
    float s1 = 0, s2 = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        const int slot = tile % kRing;
        const uint32_t phase = (tile / kRing) & 1;
        if (warp == 0) {
            asm volatile("cp.async.wait_group 1;" ::: "memory");
            __syncwarp();
        } else {
            wait(&full[warp][slot], phase);
        }
        const bool last = warp == kFilters - 1;
        if (!last && tile >= kRing) wait(&empty[warp + 1][slot], phase ^ 1);
#pragma unroll
        for (int s = 0; s < kSamples; ++s) {
            const float x = ring[warp][slot][s][lane], y = f.b0 * x + s1;
            s1 = f.b1 * x - f.a1 * y + s2;
            s2 = f.b2 * x - f.a2 * y;
            if (last) out[(static_cast<std::size_t>(tile) * kSamples + s) * channels + channel + lane] = y;
            else ring[warp + 1][slot][s][lane] = y;
        }
        if (!last) arrive(&full[warp + 1][slot]);
        if (warp == 0) {
            __syncwarp();
            fetch(tile + kRing);
        } else {
            arrive(&empty[warp][slot]);
        }
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int tiles = app.size(32, 192), channels = 132 * kLanes, samples = tiles * kSamples;
    const auto input = app::floats(static_cast<std::size_t>(samples) * channels, 1), random = app::floats(2 * kFilters, 2);
    std::vector<Filter> host;
    for (int i = 0; i < kFilters; ++i) host.push_back({0.3f + 0.1f * random[2 * i], 0.2f, 0.1f, 0.4f * random[2 * i + 1], 0.2f});
    app::Buffer<float> in(input), out(input.size());
    CUDA_OK(cudaMemcpyToSymbol(filters, host.data(), sizeof filters));
    filter_cascade<<<channels / kLanes, kThreads>>>(in.get(), out.get(), channels, tiles);
    bench::finish();
    const auto result = out.download();
    std::vector<float> got, want;
    for (int channel = 0; channel < channels; channel += 37) {
        std::vector<double> state(2 * kFilters);
        for (int s = 0; s < samples; ++s) {
            double x = input[static_cast<std::size_t>(s) * channels + channel];
            for (int i = 0; i < kFilters; ++i) {
                const double y = host[i].b0 * x + state[2 * i];
                state[2 * i] = host[i].b1 * x - host[i].a1 * y + state[2 * i + 1];
                state[2 * i + 1] = host[i].b2 * x - host[i].a2 * y;
                x = y;
            }
            got.push_back(result[static_cast<std::size_t>(s) * channels + channel]), want.push_back(static_cast<float>(x));
        }
    }
    app.check(got, want, 1e-4);
    return app.finish();
}
