// SPDX-License-Identifier: Apache-2.0
//
// The likeliest path through a hidden Markov model of 64 states: a block per sequence, two barriers for each symbol.
#include "../app.h"

constexpr int kStates = 64, kSymbols = 16;

__global__ void forward(const float* move, const float* emit, const uint8_t* text, uint8_t* from, int* last, int length) {
    __shared__ float score[2][kStates];
    __shared__ float steps[kStates][kStates + 1];
    const int s = threadIdx.x;
    for (int k = 0; k < kStates; ++k) steps[k][s] = move[k * kStates + s];
    const uint8_t* mine = text + static_cast<std::size_t>(blockIdx.x) * length;
    score[0][s] = emit[mine[0] * kStates + s];
    __syncthreads();
    for (int t = 1; t < length; ++t) {
        const float* before = score[(t + 1) % 2];
        float best = before[0] + steps[0][s];
        int which = 0;
        for (int k = 1; k < kStates; ++k) {
            const float value = before[k] + steps[k][s];
            if (value > best) best = value, which = k;
        }
        score[t % 2][s] = best + emit[mine[t] * kStates + s];
        from[(static_cast<std::size_t>(blockIdx.x) * length + t) * kStates + s] = static_cast<uint8_t>(which);
        __syncthreads();
    }
    if (s == 0) {
        const float* end = score[(length - 1) % 2];
        int which = 0;
        for (int k = 1; k < kStates; ++k)
            if (end[k] > end[which]) which = k;
        last[blockIdx.x] = which;
    }
}

__global__ void trace(const uint8_t* from, const int* last, uint8_t* path, int length, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int s = last[i];
    for (int t = length - 1; t >= 0; --t) {
        path[static_cast<std::size_t>(i) * length + t] = static_cast<uint8_t>(s);
        if (t > 0) s = from[(static_cast<std::size_t>(i) * length + t) * kStates + s];
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(64, 1056), length = 64;
    // Whole numbers: scores are exact.
    const auto m = app::integers(kStates * kStates, 51, 1000), e = app::integers(kSymbols * kStates, 52, 1000);
    const auto symbols = app::integers(static_cast<std::size_t>(count) * length, 53, kSymbols);
    const std::vector<float> move(m.begin(), m.end()), emit(e.begin(), e.end());
    const std::vector<uint8_t> text(symbols.begin(), symbols.end());
    app::Buffer<float> dm(move), de(emit);
    app::Buffer<uint8_t> dt(text), from(text.size() * kStates), path(text.size());
    app::Buffer<int> last(count);
    forward<<<count, kStates>>>(dm.get(), de.get(), dt.get(), from.get(), last.get(), length);
    trace<<<app::blocks(count, 64), 64>>>(from.get(), last.get(), path.get(), length, count);
    bench::finish();
    std::vector<uint8_t> want(text.size());
    for (int i = 0; i < count; ++i) {
        const uint8_t* mine = text.data() + static_cast<std::size_t>(i) * length;
        std::vector<float> score(emit.begin() + mine[0] * kStates, emit.begin() + (mine[0] + 1) * kStates), next(kStates);
        std::vector<std::vector<int>> back(length, std::vector<int>(kStates));
        for (int t = 1; t < length; ++t) {
            for (int s = 0; s < kStates; ++s) {
                int which = 0;
                for (int k = 1; k < kStates; ++k)
                    if (score[k] + move[k * kStates + s] > score[which] + move[which * kStates + s]) which = k;
                next[s] = score[which] + move[which * kStates + s] + emit[mine[t] * kStates + s];
                back[t][s] = which;
            }
            score = next;
        }
        int s = static_cast<int>(std::max_element(score.begin(), score.end()) - score.begin());
        for (int t = length - 1; t >= 0; --t) {
            want[static_cast<std::size_t>(i) * length + t] = static_cast<uint8_t>(s);
            s = back[t][s];
        }
    }
    app.check(path.download(), want, 0);
    return app.finish();
}
