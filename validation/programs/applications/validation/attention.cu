// SPDX-License-Identifier: Apache-2.0
//
// Attention with an online softmax: a thread per query, keys and values pass through shared memory in tiles.
#include "../app.h"

constexpr int kHead = 32, kTile = 32;

__global__ void __launch_bounds__(64) attention(const float4* q, const float4* k, const float4* v, float4* out, int tokens) {
    __shared__ float4 keys[kTile][kHead / 4], values[kTile][kHead / 4];
    const std::size_t head = static_cast<std::size_t>(blockIdx.y) * tokens * (kHead / 4);
    const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    float4 query[kHead / 4], sum[kHead / 4] = {};
    for (int i = 0; i < kHead / 4; ++i) query[i] = q[head + row * (kHead / 4) + i];
    float most = -1e30f, weight = 0;
    for (int tile = 0; tile < tokens; tile += kTile) {
        __syncthreads();
        for (int i = threadIdx.x; i < kTile * kHead / 4; i += blockDim.x) {
            (&keys[0][0])[i] = k[head + tile * (kHead / 4) + i];
            (&values[0][0])[i] = v[head + tile * (kHead / 4) + i];
        }
        __syncthreads();
        for (int j = 0; j < kTile; ++j) {
            float score = 0;
#pragma unroll
            for (int i = 0; i < kHead / 4; ++i) {
                const float4 key = keys[j][i];
                score += query[i].x * key.x + query[i].y * key.y + query[i].z * key.z + query[i].w * key.w;
            }
            const float next = fmaxf(most, score), keep = __expf(most - next), p = __expf(score - next);
            weight = weight * keep + p;
            most = next;
#pragma unroll
            for (int i = 0; i < kHead / 4; ++i) {
                const float4 value = values[j][i];
                sum[i].x = sum[i].x * keep + p * value.x;
                sum[i].y = sum[i].y * keep + p * value.y;
                sum[i].z = sum[i].z * keep + p * value.z;
                sum[i].w = sum[i].w * keep + p * value.w;
            }
        }
    }
    for (int i = 0; i < kHead / 4; ++i)
        out[head + row * (kHead / 4) + i] = make_float4(sum[i].x / weight, sum[i].y / weight, sum[i].z / weight, sum[i].w / weight);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int tokens = app.size(128, 512), heads = 8;
    const std::size_t count = static_cast<std::size_t>(heads) * tokens * kHead;
    auto q = app::floats(count, 1), k = app::floats(count, 2), v = app::floats(count, 3);
    app::Buffer<float> dq(q), dk(k), dv(v), out(count);
    attention<<<dim3(app::blocks(tokens, 64), heads), 64>>>(reinterpret_cast<float4*>(dq.get()), reinterpret_cast<float4*>(dk.get()),
                                                             reinterpret_cast<float4*>(dv.get()), reinterpret_cast<float4*>(out.get()), tokens);
    bench::finish();
    std::vector<float> want(count);
    for (int h = 0; h < heads; ++h)
        for (int row = 0; row < tokens; ++row) {
            const float* query = &q[(static_cast<std::size_t>(h) * tokens + row) * kHead];
            float total = 0;
            float* sum = &want[(static_cast<std::size_t>(h) * tokens + row) * kHead];
            for (int j = 0; j < tokens; ++j) {
                const float* key = &k[(static_cast<std::size_t>(h) * tokens + j) * kHead];
                float score = 0;
                for (int i = 0; i < kHead; ++i) score += query[i] * key[i];
                const float p = std::exp(score);
                total += p;
                for (int i = 0; i < kHead; ++i) sum[i] += p * v[(static_cast<std::size_t>(h) * tokens + j) * kHead + i];
            }
            for (int i = 0; i < kHead; ++i) sum[i] /= total;
        }
    app.check(out.download(), want, 1e-3);
    return app.finish();
}
