// SPDX-License-Identifier: Apache-2.0
//
// Attention of one new token per sequence over keys and values in pages of 16 tokens, a block per part of 256 tokens, parts joined after.
#include <cuda_fp16.h>

#include "../app.h"

constexpr int kHead = 128, kPage = 16, kPart = 256, kThreads = 128;

// Pages: [page][head][token][kHead]; 16 lanes read one token's row.
__global__ void __launch_bounds__(kThreads) decode_part(const __half* q, const __half* keys, const __half* values, const int* table, const int* lengths,
                                                        float* partial, float2* weights, int heads, int pages) {
    __shared__ float scores[kPart];
    __shared__ float reduced[kThreads / 32];
    const int sequence = blockIdx.y, head = blockIdx.x, part = blockIdx.z, t = threadIdx.x, lane = t % 32, warp = t / 32;
    const int length = lengths[sequence], begin = part * kPart, count = min(length - begin, kPart);
    if (count <= 0) return;
    const uint4 raw = *reinterpret_cast<const uint4*>(&q[(sequence * heads + head) * kHead + lane % 16 * 8]);
    float query[8];
    for (int i = 0; i < 4; ++i) {
        const float2 two = __half22float2(reinterpret_cast<const __half2*>(&raw)[i]);
        query[2 * i] = two.x, query[2 * i + 1] = two.y;
    }
    float most = -1e30f;
    for (int token = warp * 2 + lane / 16; token < kPart; token += kThreads / 16) {
        float score = -1e30f;
        if (token < count) {
            const int page = __ldg(&table[sequence * pages + (begin + token) / kPage]);
            const uint4 key = __ldcs(reinterpret_cast<const uint4*>(
                &keys[((static_cast<std::size_t>(page) * heads + head) * kPage + token % kPage) * kHead + lane % 16 * 8]));
            score = 0;
            for (int i = 0; i < 4; ++i) {
                const float2 two = __half22float2(reinterpret_cast<const __half2*>(&key)[i]);
                score += query[2 * i] * two.x + query[2 * i + 1] * two.y;
            }
        }
        for (int step = 8; step > 0; step /= 2) score += __shfl_xor_sync(0xffffffffu, score, step);
        if (token < count) {
            score *= 0.0883883476f;
            if (lane % 16 == 0) scores[token] = score;
            most = fmaxf(most, score);
        }
    }
    for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
    if (lane == 0) reduced[warp] = most;
    __syncthreads();
    most = fmaxf(fmaxf(reduced[0], reduced[1]), fmaxf(reduced[2], reduced[3]));
    __syncthreads();
    float sum = 0;
    for (int i = t; i < count; i += kThreads) sum += scores[i] = __expf(scores[i] - most);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (lane == 0) reduced[warp] = sum;
    __syncthreads();
    const std::size_t slot = (static_cast<std::size_t>(sequence) * heads + head) * gridDim.z + part;
    if (t == 0) weights[slot] = make_float2(most, reduced[0] + reduced[1] + reduced[2] + reduced[3]);
    float out = 0;
    for (int token = 0; token < count; ++token) {
        const int page = __ldg(&table[sequence * pages + (begin + token) / kPage]);
        out += scores[token] * __half2float(values[((static_cast<std::size_t>(page) * heads + head) * kPage + token % kPage) * kHead + t]);
    }
    partial[slot * kHead + t] = out;
}

__global__ void __launch_bounds__(kHead) decode_join(const float* partial, const float2* weights, const int* lengths, __half* out, int parts, int heads) {
    const int at = blockIdx.x, used = (lengths[at / heads] + kPart - 1) / kPart;
    float most = -1e30f, total = 0, sum = 0;
    for (int part = 0; part < used; ++part) most = fmaxf(most, weights[at * parts + part].x);
    for (int part = 0; part < used; ++part) {
        const float2 weight = weights[at * parts + part];
        const float scale = __expf(weight.x - most);
        total += scale * weight.y;
        sum += scale * partial[(static_cast<std::size_t>(at) * parts + part) * kHead + threadIdx.x];
    }
    out[static_cast<std::size_t>(at) * kHead + threadIdx.x] = __float2half(sum / total);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int sequences = app.size(8, 32), heads = 8, longest = 768, pages = longest / kPage, parts = longest / kPart, all = sequences * pages;
    std::vector<int> lengths, table(all);
    for (uint32_t length : app::integers(sequences, 4, longest - 16)) lengths.push_back(static_cast<int>(length) + 16);
    const auto order = bench::sattolo(static_cast<uint32_t>(all), 5);
    for (int i = 0; i < all; ++i) table[i] = static_cast<int>(order[i]);
    auto halves = [](std::size_t count, uint64_t seed) {
        std::vector<__half> to;
        for (float value : app::floats(count, seed)) to.push_back(__float2half(value));
        return to;
    };
    const std::size_t cached = static_cast<std::size_t>(all) * heads * kPage * kHead, rows = static_cast<std::size_t>(sequences) * heads;
    const auto q = halves(rows * kHead, 1), k = halves(cached, 2), v = halves(cached, 3);
    app::Buffer<__half> dq(q), dk(k), dv(v), out(rows * kHead);
    app::Buffer<int> dt(table), dlengths(lengths);
    app::Buffer<float> partial(rows * parts * kHead);
    app::Buffer<float2> weights(rows * parts);
    decode_part<<<dim3(heads, sequences, parts), kThreads>>>(dq.get(), dk.get(), dv.get(), dt.get(), dlengths.get(), partial.get(), weights.get(), heads, pages);
    bench::finish();
    decode_join<<<static_cast<unsigned>(rows), kHead>>>(partial.get(), weights.get(), dlengths.get(), out.get(), parts, heads);
    bench::finish();
    const auto result = out.download();
    std::vector<float> got, want;
    for (std::size_t at = 0; at < rows; at += 3) {
        const int s = static_cast<int>(at) / heads, head = static_cast<int>(at) % heads;
        float total = 0, sum[kHead] = {};
        for (int token = 0; token < lengths[s]; ++token) {
            const std::size_t row = ((static_cast<std::size_t>(table[s * pages + token / kPage]) * heads + head) * kPage + token % kPage) * kHead;
            float score = 0;
            for (int i = 0; i < kHead; ++i) score += __half2float(q[at * kHead + i]) * __half2float(k[row + i]);
            const float p = std::exp(score * 0.0883883476f);
            total += p;
            for (int i = 0; i < kHead; ++i) sum[i] += p * __half2float(v[row + i]);
        }
        for (int i = 0; i < kHead; ++i) got.push_back(__half2float(result[at * kHead + i])), want.push_back(sum[i] / total);
    }
    app.check(got, want, 2e-3);
    return app.finish();
}
