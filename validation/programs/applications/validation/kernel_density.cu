// SPDX-License-Identifier: Apache-2.0
//
// Weighted Gaussian density at many points: the samples stream through three stages of a cuda::pipeline that the block shares.
#include <cooperative_groups.h>
#include <cuda/pipeline>

#include "../app.h"

#pragma nv_diag_suppress static_var_with_dynamic_init    // the pipeline's state in shared memory, initialised by make_pipeline()
constexpr int kThreads = 128, kTile = 32, kStages = 3, kShare = 4;    // four threads share a point

__global__ void __launch_bounds__(kThreads) kernel_density(const float2* points, const float4* samples, float* density, int tiles, float sharpness) {
    __shared__ __align__(16) float4 stage[kStages][kTile];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
    const auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int t = threadIdx.x, point = (static_cast<int>(blockIdx.x) * kThreads + t) / kShare;
    const float2 p = points[point];
    auto fetch = [&](int tile) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, stage[tile % kStages], samples + tile * kTile, cuda::aligned_size_t<16>(sizeof stage[0]), pipe);
        pipe.producer_commit();
    };
    for (int tile = 0; tile < kStages - 1; ++tile) fetch(tile);
    float sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + kStages - 1 < tiles) fetch(tile + kStages - 1);
        pipe.consumer_wait();
#pragma unroll
        for (int i = 0; i < kTile / kShare; ++i) {
            const float4 s = stage[tile % kStages][i * kShare + t % kShare];    // x, y, weight, unused
            const float dx = p.x - s.x, dy = p.y - s.y;
            sum += s.z * exp2f((dx * dx + dy * dy) * sharpness);
        }
        pipe.consumer_release();
    }
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    sum += __shfl_xor_sync(0xffffffffu, sum, 2);
    if (t % kShare == 0) density[point] = sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(4096, 8192), tiles = count / 2 / kTile;
    const auto where = app::floats(2 * static_cast<std::size_t>(count), 1), data = app::floats(4 * static_cast<std::size_t>(tiles) * kTile, 2);
    std::vector<float2> points;
    std::vector<float4> samples;
    for (std::size_t i = 0; i < where.size(); i += 2) points.push_back({where[i], where[i + 1]});
    for (std::size_t i = 0; i < data.size(); i += 4) samples.push_back({data[i], data[i + 1], data[i + 2] + 1.5f, 0});
    const float sharpness = -20;
    app::Buffer<float2> at(points);
    app::Buffer<float4> from(samples);
    app::Buffer<float> density(points.size());
    kernel_density<<<count * kShare / kThreads, kThreads>>>(at.get(), from.get(), density.get(), tiles, sharpness);
    bench::finish();
    const auto result = density.download();
    std::vector<float> got, want;
    for (std::size_t i = 0; i < points.size(); i += 61) {
        double sum = 0;
        for (const float4& s : samples) {
            const double dx = double{points[i].x} - s.x, dy = double{points[i].y} - s.y;
            sum += s.z * std::exp2((dx * dx + dy * dy) * sharpness);
        }
        got.push_back(result[i]), want.push_back(static_cast<float>(sum));
    }
    app.check(got, want, 1e-3);
    return app.finish();
}
