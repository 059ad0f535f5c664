// SPDX-License-Identifier: Apache-2.0
//
// Sum of an array: grid-stride loads, shuffles, shared memory, then a second launch over the blocks' sums.
#include "../app.h"

__global__ void reduce(const float* in, float* out, int n) {
    __shared__ float partial[32];
    float sum = 0;
    int step = static_cast<int>(gridDim.x * blockDim.x);
    for (int i = static_cast<int>(threadIdx.x + blockDim.x * blockIdx.x); i < n; i += step) sum += in[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(1 << 20, 1 << 24);
    auto data = app::floats(static_cast<std::size_t>(n), 3, 0, 1);
    constexpr int kBlocks = 256;
    app::Buffer<float> in(data), sums(kBlocks), total(1);
    reduce<<<kBlocks, 256>>>(in.get(), sums.get(), n);
    reduce<<<1, 256>>>(sums.get(), total.get(), kBlocks);
    bench::finish();
    double want = 0;
    for (float value : data) want += value;
    app.check(total.download(), {static_cast<float>(want)}, 1e-5);
    return app.finish();
}
