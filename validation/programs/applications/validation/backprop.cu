// SPDX-License-Identifier: Apache-2.0
//
// A layer of a neural network with 16 hidden units: forward with partial sums in shared memory, then the weights' change.
#include "../app.h"

constexpr int kUnits = 16;

__global__ void layer_forward(const float* input, float* weights, float* partial) {
    __shared__ float node[kUnits], matrix[kUnits][kUnits];
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y), by = static_cast<int>(blockIdx.x);
    const int index = (by * kUnits + ty) * kUnits + tx;
    if (tx == 0) node[ty] = input[by * kUnits + ty];
    __syncthreads();
    matrix[ty][tx] = weights[index];
    __syncthreads();
    matrix[ty][tx] *= node[ty];
    __syncthreads();
    for (int step = 2; step <= kUnits; step *= 2) {
        if (ty % step == 0) matrix[ty][tx] += matrix[ty + step / 2][tx];
        __syncthreads();
    }
    weights[index] = matrix[ty][tx];
    __syncthreads();
    if (tx == 0) partial[by * kUnits + ty] = matrix[0][ty];
}

__global__ void adjust_weights(const float* delta, const float* input, float* weights, float* change) {
    const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y), by = static_cast<int>(blockIdx.x);
    const int index = (by * kUnits + ty) * kUnits + tx;
    const float step = 0.3f * delta[tx] * input[by * kUnits + ty] + 0.3f * change[index];
    weights[index] += step;
    change[index] = step;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int inputs = app.size(16384, 262144), blocks = inputs / kUnits;
    auto input = app::floats(static_cast<std::size_t>(inputs), 1, 0, 1), weights = app::floats(input.size() * kUnits, 2);
    auto delta = app::floats(kUnits, 3), change = app::floats(weights.size(), 4);
    app::Buffer<float> d_input(input), d_first(weights), d_weights(weights), d_delta(delta), d_change(change), d_partial(input.size());
    layer_forward<<<static_cast<unsigned>(blocks), dim3(kUnits, kUnits)>>>(d_input.get(), d_first.get(), d_partial.get());
    bench::finish();
    adjust_weights<<<static_cast<unsigned>(blocks), dim3(kUnits, kUnits)>>>(d_delta.get(), d_input.get(), d_weights.get(), d_change.get());
    bench::finish();
    std::vector<float> partial(input.size());
    for (int b = 0; b < blocks; ++b)
        for (int unit = 0; unit < kUnits; ++unit) {
            float sum = 0;
            for (int k = 0; k < kUnits; ++k) sum += input[b * kUnits + k] * weights[(b * kUnits + k) * kUnits + unit];
            partial[b * kUnits + unit] = sum;
        }
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += 0.3f * delta[i % kUnits] * input[i / kUnits] + 0.3f * change[i];
    app.check(d_partial.download(), partial, 1e-4);
    app.check(d_weights.download(), weights, 1e-5);
    return app.finish();
}
