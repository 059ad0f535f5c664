// SPDX-License-Identifier: Apache-2.0
//
// Sums two elements a thread, then by a tree in shared memory with a barrier for each level; a result for each block.
#include "row.h"

__global__ void tree_reduce(const float* in, float* out, int n) {
    extern __shared__ float sums[];
    unsigned thread = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x * 2 + thread;
    float sum = i < static_cast<unsigned>(n) ? in[i] : 0.0f;
    if (i + blockDim.x < static_cast<unsigned>(n)) sum += in[i + blockDim.x];
    sums[thread] = sum;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (thread < half) sums[thread] += sums[thread + half];
        __syncthreads();
    }
    if (thread == 0) out[blockIdx.x] = sums[0];
}

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "tree_reduce", 262144);
    const int n = options.n, threads = 256;
    auto data = app::floats(static_cast<std::size_t>(n), 3);
    const unsigned blocks = row::blocks(n, 2 * threads);
    row::Buffer<float> in(data), out(blocks);
    tree_reduce<<<blocks, threads, threads * sizeof(float)>>>(in.get(), out.get(), n);
    bench::finish();
    std::vector<float> want(blocks);
    for (std::size_t i = 0; i < data.size(); ++i) want[i / (2 * threads)] += data[i];
    app.check(out.download(), want, 1e-4);
    return app.finish();
}
