// SPDX-License-Identifier: Apache-2.0
//
// Softmax and layer normalisation over rows of 1024, one block per row.
#include "../app.h"

constexpr int kWidth = 1024;

template <class Combine>
__device__ float block_all(float value, float* room, Combine combine) {
    for (int offset = 16; offset > 0; offset /= 2) value = combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
    __syncthreads();
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = value;
    __syncthreads();
    value = room[threadIdx.x % 8];
    for (int offset = 4; offset > 0; offset /= 2) value = combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
    return value;
}

struct Max {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Add {
    __device__ float operator()(float a, float b) const { return a + b; }
};

__global__ void softmax(const float4* in, float4* out) {
    __shared__ float room[8];
    float4 v = in[blockIdx.x * (kWidth / 4) + threadIdx.x];
    float top = block_all(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), room, Max{});
    v = make_float4(__expf(v.x - top), __expf(v.y - top), __expf(v.z - top), __expf(v.w - top));
    float scale = 1.0f / block_all(v.x + v.y + v.z + v.w, room, Add{});
    out[blockIdx.x * (kWidth / 4) + threadIdx.x] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
}

__global__ void layernorm(const float4* in, float4* out) {
    __shared__ float room[8];
    float4 v = in[blockIdx.x * (kWidth / 4) + threadIdx.x];
    float mean = block_all(v.x + v.y + v.z + v.w, room, Add{}) / kWidth;
    v = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
    float variance = block_all(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w, room, Add{}) / kWidth;
    float scale = rsqrtf(variance + 1e-5f);
    out[blockIdx.x * (kWidth / 4) + threadIdx.x] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int rows = app.size(1024, 8192);
    auto data = app::floats(static_cast<std::size_t>(rows) * kWidth, 23, -4, 4);
    app::Buffer<float> in(data), out(data.size());
    std::vector<float> soft(data.size());
    std::vector<float> norm(data.size());
    for (int row = 0; row < rows; ++row) {
        const float* from = &data[static_cast<std::size_t>(row) * kWidth];
        double sum = 0;
        double mean = 0;
        double square = 0;
        for (int i = 0; i < kWidth; ++i) {
            sum += std::exp(static_cast<double>(from[i]));
            mean += from[i];
        }
        mean /= kWidth;
        for (int i = 0; i < kWidth; ++i) square += (from[i] - mean) * (from[i] - mean);
        for (int i = 0; i < kWidth; ++i) {
            auto at = static_cast<std::size_t>(row) * kWidth + static_cast<std::size_t>(i);
            soft[at] = static_cast<float>(std::exp(static_cast<double>(from[i])) / sum);
            norm[at] = static_cast<float>((from[i] - mean) / std::sqrt(square / kWidth + 1e-5));
        }
    }
    auto from = reinterpret_cast<const float4*>(in.get());
    auto to = reinterpret_cast<float4*>(out.get());
    softmax<<<static_cast<unsigned>(rows), kWidth / 4>>>(from, to);
    bench::finish();
    app.check(out.download(), soft, 1e-5);
    layernorm<<<static_cast<unsigned>(rows), kWidth / 4>>>(from, to);
    bench::finish();
    app.check(out.download(), norm, 1e-4);
    return app.finish();
}
