// SPDX-License-Identifier: Apache-2.0
//
// The loss of connectionist temporal classification: log-softmax by a warp per frame, then paths through a sequence, a barrier per frame.
#include "../app.h"

constexpr int kClasses = 80, kLabels = 60;

__global__ void log_softmax(const float* logits, float* out, int rows) {
    const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32), lane = threadIdx.x % 32;
    if (row >= rows) return;
    float v[3], most = -1e30f, sum = 0;
    for (int i = 0; i < 3; ++i) {
        v[i] = lane + 32 * i < kClasses ? logits[row * kClasses + lane + 32 * i] : -1e30f;
        most = fmaxf(most, v[i]);
    }
    for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
    for (float one : v) sum += expf(one - most);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    const float shift = most + logf(sum);
    for (int i = 0; i < 3; ++i)
        if (lane + 32 * i < kClasses) out[row * kClasses + lane + 32 * i] = v[i] - shift;
}

__device__ float add(float a, float b) {
    const float most = fmaxf(a, b);
    return most < -1e29f ? -1e30f : most + log1pf(expf(fminf(a, b) - most));
}

__global__ void __launch_bounds__(128) paths(const float* logs, const int* labels, const int* frames, float* losses, int longest) {
    __shared__ float alpha[2][2 * kLabels + 3];
    const int s = threadIdx.x, b = blockIdx.x, states = 2 * kLabels + 1;
    const float* rows = logs + static_cast<std::size_t>(b) * longest * kClasses;
    const int label = s % 2 == 1 && s < states ? labels[b * kLabels + s / 2] : 0;
    const bool jump = s % 2 == 1 && s > 1 && s < states && label != labels[b * kLabels + s / 2 - 1];
    if (s < 2) alpha[0][s] = alpha[1][s] = -1e30f;    // two states before the first
    if (s < states) alpha[0][s + 2] = s < 2 ? rows[label] : -1e30f;
    const int count = frames[b];
    for (int t = 1; t < count; ++t) {
        __syncthreads();
        const float* from = alpha[(t - 1) % 2];
        if (s < states) {
            float sum = add(from[s + 2], from[s + 1]);
            if (jump) sum = add(sum, from[s]);
            alpha[t % 2][s + 2] = sum + rows[t * kClasses + label];
        }
    }
    __syncthreads();
    if (s == 0) losses[b] = -add(alpha[(count - 1) % 2][states + 1], alpha[(count - 1) % 2][states]);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int batch = app.size(16, 128), longest = 200;
    const auto logits = app::floats(static_cast<std::size_t>(batch) * longest * kClasses, 1, -2, 2);
    std::vector<int> labels, frames;
    for (uint32_t label : app::integers(static_cast<std::size_t>(batch) * kLabels, 2, kClasses - 1)) labels.push_back(static_cast<int>(label) + 1);
    for (uint32_t count : app::integers(batch, 3, 60)) frames.push_back(longest - static_cast<int>(count));
    app::Buffer<float> dlogits(logits), logs(logits.size()), losses(batch);
    app::Buffer<int> dlabels(labels), dframes(frames);
    log_softmax<<<app::blocks(batch * longest, 8), 256>>>(dlogits.get(), logs.get(), batch * longest);
    bench::finish();
    paths<<<batch, 128>>>(logs.get(), dlabels.get(), dframes.get(), losses.get(), longest);
    bench::finish();
    std::vector<float> want;
    auto plus = [](double a, double b) { return std::max(a, b) + std::log1p(std::exp(-std::fabs(a - b))); };
    for (int b = 0; b < batch; ++b) {
        const int states = 2 * kLabels + 1;
        std::vector<double> now(states, -1e30);
        for (int t = 0; t < frames[b]; ++t) {
            const float* row = &logits[(static_cast<std::size_t>(b) * longest + t) * kClasses];
            double sum = 0;
            for (int i = 0; i < kClasses; ++i) sum += std::exp(row[i]);
            std::vector<double> next(states, -1e30);
            for (int s = 0; s < states; ++s) {
                const int label = s % 2 == 1 ? labels[b * kLabels + s / 2] : 0;
                double value = t == 0 ? (s < 2 ? 0 : -1e30) : now[s];
                if (t > 0 && s > 0) value = plus(value, now[s - 1]);
                if (t > 0 && s > 1 && s % 2 == 1 && label != labels[b * kLabels + s / 2 - 1]) value = plus(value, now[s - 2]);
                next[s] = value + row[label] - std::log(sum);
            }
            now = next;
        }
        want.push_back(static_cast<float>(-plus(now[states - 1], now[states - 2])));
    }
    app.check(losses.download(), want, 1e-4);
    return app.finish();
}
