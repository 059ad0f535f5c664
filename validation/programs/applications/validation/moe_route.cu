// SPDX-License-Identifier: Apache-2.0
//
// A mixture of experts' way of tokens: the best two of 32 experts by a warp, slots by counting, rows to their experts' slots and back, weighted.
#include <cuda_fp16.h>

#include "../app.h"

constexpr int kExperts = 32, kWide = 512;

__device__ int ordered(float value) {
    const int bits = __float_as_int(value);
    return bits >= 0 ? bits : bits ^ 0x7fffffff;
}

__global__ void choose(const float* logits, int2* experts, float2* weights, int* counts, int tokens) {
    __shared__ int count[kExperts];
    if (threadIdx.x < kExperts) count[threadIdx.x] = 0;
    __syncthreads();
    const int token = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32), lane = threadIdx.x % 32;
    if (token < tokens) {
        const float logit = logits[token * kExperts + lane];
        const int key = ordered(logit), best = __reduce_max_sync(0xffffffffu, key);
        const int first = __ffs(__ballot_sync(0xffffffffu, key == best)) - 1;
        const int rest = lane == first ? INT_MIN : key, next = __reduce_max_sync(0xffffffffu, rest);
        const int second = __ffs(__ballot_sync(0xffffffffu, rest == next)) - 1;
        const float other = __expf(__shfl_sync(0xffffffffu, logit, second) - __shfl_sync(0xffffffffu, logit, first));
        if (lane == 0) {
            experts[token] = make_int2(first, second);
            weights[token] = make_float2(1 / (1 + other), other / (1 + other));
            atomicAdd(&count[first], 1);
            atomicAdd(&count[second], 1);
        }
    }
    __syncthreads();
    if (threadIdx.x < kExperts && count[threadIdx.x] > 0) atomicAdd(&counts[threadIdx.x], count[threadIdx.x]);
}

// One block: where each expert's slots begin, and each pair's slot, in the order of tokens.
__global__ void __launch_bounds__(1024) slots(const int* experts, const int* counts, int* offsets, int* slot, int pairs) {
    __shared__ int begin[kExperts];
    const int lane = threadIdx.x % 32, expert = threadIdx.x / 32;
    if (expert == 0) {
        const int mine = counts[lane];
        int sum = mine;
        for (int step = 1; step < 32; step *= 2) {
            const int before = __shfl_up_sync(0xffffffffu, sum, step);
            if (lane >= step) sum += before;
        }
        begin[lane] = offsets[lane] = sum - mine;
    }
    __syncthreads();
    int next = begin[expert];
    for (int i = lane; i < pairs; i += 32) {
        const bool mine = experts[i] == expert;
        const unsigned votes = __ballot_sync(0xffffffffu, mine);
        if (mine) slot[i] = next + __popc(votes & ((1u << lane) - 1));
        next += __popc(votes);
    }
}

__global__ void dispatch(const uint4* x, const int* slot, uint4* rows, int pairs) {
    const int pair = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
    if (pair >= pairs) return;
    const std::size_t to = static_cast<std::size_t>(slot[pair]) * (kWide / 8), from = static_cast<std::size_t>(pair / 2) * (kWide / 8);
    rows[to + threadIdx.x] = __ldg(&x[from + threadIdx.x]);
}

__global__ void combine(const __half2* rows, const int2* slot, const float2* weights, __half2* out) {
    const int2 at = slot[blockIdx.x];
    const float2 weight = weights[blockIdx.x];
    const float2 a = __half22float2(rows[static_cast<std::size_t>(at.x) * (kWide / 2) + threadIdx.x]);
    const float2 b = __half22float2(rows[static_cast<std::size_t>(at.y) * (kWide / 2) + threadIdx.x]);
    out[static_cast<std::size_t>(blockIdx.x) * (kWide / 2) + threadIdx.x] =
        __floats2half2_rn(weight.x * a.x + weight.y * b.x, weight.x * a.y + weight.y * b.y);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int tokens = app.size(512, 4096);
    const auto logits = app::floats(static_cast<std::size_t>(tokens) * kExperts, 1, -2, 2), values = app::floats(static_cast<std::size_t>(tokens) * kWide, 2);
    std::vector<__half> x;
    for (float value : values) x.push_back(__float2half(value));
    app::Buffer<float> dlogits(logits);
    app::Buffer<__half> dx(x), rows(2 * x.size()), out(x.size());
    app::Buffer<int> experts(2 * static_cast<std::size_t>(tokens)), counts(kExperts), offsets(kExperts), slot(2 * static_cast<std::size_t>(tokens));
    app::Buffer<float2> weights(tokens);
    counts.clear();
    choose<<<app::blocks(tokens, 8), 256>>>(dlogits.get(), reinterpret_cast<int2*>(experts.get()), weights.get(), counts.get(), tokens);
    bench::finish();
    slots<<<1, 1024>>>(experts.get(), counts.get(), offsets.get(), slot.get(), 2 * tokens);
    bench::finish();
    dispatch<<<app::blocks(2 * tokens, 4), dim3(kWide / 8, 4)>>>(reinterpret_cast<uint4*>(dx.get()), slot.get(), reinterpret_cast<uint4*>(rows.get()), 2 * tokens);
    bench::finish();
    combine<<<tokens, kWide / 2>>>(reinterpret_cast<__half2*>(rows.get()), reinterpret_cast<int2*>(slot.get()), weights.get(),
                                   reinterpret_cast<__half2*>(out.get()));
    bench::finish();
    const auto result = out.download();
    const auto chosen = experts.download(), place = slot.download();
    std::vector<float> got, want;
    std::vector<int> have, expected(2 * static_cast<std::size_t>(tokens)), per(kExperts);
    for (int token = 0; token < tokens; ++token) {
        std::vector<int> order(kExperts);
        for (int i = 0; i < kExperts; ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return logits[token * kExperts + a] > logits[token * kExperts + b]; });
        for (int i = 0; i < 2; ++i) have.push_back(chosen[2 * token + i]), expected[2 * token + i] = order[i], ++per[order[i]];
        for (int i = 0; i < kWide; i += 31) {
            got.push_back(__half2float(result[static_cast<std::size_t>(token) * kWide + i]));
            want.push_back(__half2float(x[static_cast<std::size_t>(token) * kWide + i]));
        }
    }
    app.check(have, expected, 0);
    std::vector<int> next(kExperts), slots_wanted;
    for (int i = 1; i < kExperts; ++i) next[i] = next[i - 1] + per[i - 1];
    for (int expert : expected) slots_wanted.push_back(next[expert]++);
    app.check(place, slots_wanted, 0);
    app.check(got, want, 2e-3);
    return app.finish();
}
