// SPDX-License-Identifier: Apache-2.0
//
// Rows of floats to 8-bit integers with a scale for each row, and back.
#include "../app.h"

__global__ void quantise(const float4* in, uint32_t* out, float* scale, int quads) {
    __shared__ float part[8];
    __shared__ float largest;
    const float4* row = in + static_cast<std::size_t>(blockIdx.x) * quads;
    float most = 0;
    for (int i = threadIdx.x; i < quads; i += 256) {
        const float4 v = row[i];
        most = fmaxf(most, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
    for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) most = fmaxf(most, part[w]);
        largest = most;
        scale[blockIdx.x] = most / 127.0f;
    }
    __syncthreads();
    const float by = 127.0f / largest;
    for (int i = threadIdx.x; i < quads; i += 256) {
        const float4 v = row[i];
        const int a = __float2int_rn(v.x * by), b = __float2int_rn(v.y * by), c = __float2int_rn(v.z * by), d = __float2int_rn(v.w * by);
        out[static_cast<std::size_t>(blockIdx.x) * quads + i] = (a & 255) | (b & 255) << 8 | (c & 255) << 16 | d << 24;
    }
}

__global__ void restore(const char4* in, const float* scale, float4* out, int quads) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (i >= quads) return;
    const char4 v = in[static_cast<std::size_t>(row) * quads + i];
    const float s = scale[row];
    out[static_cast<std::size_t>(row) * quads + i] = make_float4(s * v.x, s * v.y, s * v.z, s * v.w);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int rows = app.size(256, 8192), width = 2048;
    const auto count = static_cast<std::size_t>(rows) * width;
    const auto data = app::floats(count, 31, -3, 3);
    app::Buffer<float> in(data), scale(rows), back(count);
    app::Buffer<uint32_t> codes(count / 4);
    quantise<<<rows, 256>>>(reinterpret_cast<float4*>(in.get()), codes.get(), scale.get(), width / 4);
    restore<<<dim3(width / 4 / 128, rows), 128>>>(reinterpret_cast<char4*>(codes.get()), scale.get(), reinterpret_cast<float4*>(back.get()), width / 4);
    bench::finish();
    const auto got = back.download();
    std::vector<float> apart(rows), allowed(rows);
    for (int r = 0; r < rows; ++r) {
        float most = 0;
        for (int i = 0; i < width; ++i) most = std::max(most, std::fabs(data[static_cast<std::size_t>(r) * width + i]));
        float worst = 0;
        for (int i = 0; i < width; ++i) worst = std::max(worst, std::fabs(data[static_cast<std::size_t>(r) * width + i] - got[static_cast<std::size_t>(r) * width + i]));
        apart[r] = worst <= most / 127 * 0.501f ? 1 : 0;
        allowed[r] = 1;
    }
    app.check(apart, allowed, 0);
    return app.finish();
}
