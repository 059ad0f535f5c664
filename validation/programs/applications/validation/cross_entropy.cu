// SPDX-License-Identifier: Apache-2.0
//
// Cross entropy of rows of logits in bfloat16: maximum and sum in one pass, then the gradient in place, read and written as streams.
#include <cuda_bf16.h>

#include "../app.h"

constexpr int kThreads = 256;

struct Partial {
    float most, sum;
};
__device__ Partial join(Partial a, Partial b) {
    const float most = fmaxf(a.most, b.most);
    return {most, a.sum * __expf(a.most - most) + b.sum * __expf(b.most - most)};
}
__device__ Partial from_lane(Partial a, int step) { return {__shfl_xor_sync(0xffffffffu, a.most, step), __shfl_xor_sync(0xffffffffu, a.sum, step)}; }

__global__ void __launch_bounds__(kThreads) loss_forward(const __nv_bfloat16* logits, const int* labels, float2* rows, float* losses, int classes) {
    __shared__ Partial warps[kThreads / 32];
    const auto* row = reinterpret_cast<const uint4*>(logits + static_cast<std::size_t>(blockIdx.x) * classes);
    Partial mine = {-1e30f, 0};
    for (int i = threadIdx.x; i < classes / 8; i += kThreads) {
        const uint4 raw = row[i];
        const auto* pairs = reinterpret_cast<const __nv_bfloat162*>(&raw);
        for (int j = 0; j < 4; ++j) {
            const float2 v = __bfloat1622float2(pairs[j]);
            const float most = fmaxf(mine.most, fmaxf(v.x, v.y));
            mine = {most, mine.sum * __expf(mine.most - most) + __expf(v.x - most) + __expf(v.y - most)};
        }
    }
    for (int step = 16; step > 0; step /= 2) mine = join(mine, from_lane(mine, step));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < kThreads / 32) {
        mine = warps[threadIdx.x];
        for (int step = kThreads / 64; step > 0; step /= 2) {
            const Partial other = {__shfl_xor_sync(0xffu, mine.most, step), __shfl_xor_sync(0xffu, mine.sum, step)};
            mine = join(mine, other);
        }
        if (threadIdx.x == 0) {
            rows[blockIdx.x] = make_float2(mine.most, 1 / mine.sum);
            const float label = __bfloat162float(logits[static_cast<std::size_t>(blockIdx.x) * classes + labels[blockIdx.x]]);
            losses[blockIdx.x] = logf(mine.sum) + mine.most - label;
        }
    }
}

__global__ void __launch_bounds__(kThreads) loss_backward(__nv_bfloat16* logits, const int* labels, const float2* rows, float scale, int classes) {
    const float2 row = rows[blockIdx.y];
    auto* at = reinterpret_cast<uint4*>(logits + static_cast<std::size_t>(blockIdx.y) * classes);
    const int label = labels[blockIdx.y], i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
    if (i >= classes / 8) return;
    uint4 raw = __ldcs(&at[i]);
    auto* pairs = reinterpret_cast<__nv_bfloat162*>(&raw);
    for (int j = 0; j < 4; ++j) {
        float2 v = __bfloat1622float2(pairs[j]);
        v.x = (__expf(v.x - row.x) * row.y - (8 * i + 2 * j == label)) * scale;
        v.y = (__expf(v.y - row.x) * row.y - (8 * i + 2 * j + 1 == label)) * scale;
        pairs[j] = __float22bfloat162_rn(v);
    }
    __stcs(&at[i], raw);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int rows = app.size(64, 512), classes = 8000;
    std::vector<__nv_bfloat16> logits;
    for (float value : app::floats(static_cast<std::size_t>(rows) * classes, 1, -4, 4)) logits.push_back(__float2bfloat16(value));
    std::vector<int> labels;
    for (uint32_t label : app::integers(rows, 2, classes)) labels.push_back(static_cast<int>(label));
    app::Buffer<__nv_bfloat16> dl(logits);
    app::Buffer<int> dlabels(labels);
    app::Buffer<float2> sums(rows);
    app::Buffer<float> losses(rows);
    loss_forward<<<rows, kThreads>>>(dl.get(), dlabels.get(), sums.get(), losses.get(), classes);
    bench::finish();
    loss_backward<<<dim3(app::blocks(classes / 8, kThreads), rows), kThreads>>>(dl.get(), dlabels.get(), sums.get(), 1024.0f, classes);
    bench::finish();
    std::vector<float> got = losses.download(), want;
    const auto gradient = dl.download();
    for (int row = 0; row < rows; ++row) {
        double sum = 0;
        for (int i = 0; i < classes; ++i) sum += std::exp(__bfloat162float(logits[static_cast<std::size_t>(row) * classes + i]));
        want.push_back(static_cast<float>(std::log(sum)) - __bfloat162float(logits[static_cast<std::size_t>(row) * classes + labels[row]]));
    }
    app.check(got, want, 1e-4);
    got.clear(), want.clear();
    for (int row = 0; row < rows; row += 7) {
        double sum = 0;
        const __nv_bfloat16* at = &logits[static_cast<std::size_t>(row) * classes];
        for (int i = 0; i < classes; ++i) sum += std::exp(__bfloat162float(at[i]));
        for (int i = 0; i < classes; ++i) {
            got.push_back(__bfloat162float(gradient[static_cast<std::size_t>(row) * classes + i]));
            want.push_back(static_cast<float>((std::exp(__bfloat162float(at[i])) / sum - (i == labels[row])) * 1024));
        }
    }
    app.check(got, want, 5e-3);
    return app.finish();
}
