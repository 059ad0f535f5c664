// SPDX-License-Identifier: Apache-2.0
//
// Smith-Waterman scores of many pairs of sequences, a block per pair, one antidiagonal after the other: a barrier per
// step, shared memory, integer maxima.
#include "../app.h"

constexpr int kLength = 128;

__global__ void __launch_bounds__(kLength) alignment(const char* a, const char* b, int* best) {
    __shared__ int diagonal[3][kLength + 1];
    __shared__ char second[kLength];
    __shared__ int top[kLength / 32];
    const int i = threadIdx.x;
    const char mine = a[blockIdx.x * kLength + i];
    second[i] = b[blockIdx.x * kLength + i];
    for (int d = 0; d < 3; ++d) diagonal[d][i + 1] = 0;
    if (i < 3) diagonal[i][0] = 0;
    int highest = 0;
    __syncthreads();
    for (int step = 0; step < 2 * kLength - 1; ++step) {
        const int j = step - i;
        int score = 0;
        if (j >= 0 && j < kLength) {
            const int match = diagonal[(step + 1) % 3][i] + (mine == second[j] ? 3 : -2);
            const int gap = max(diagonal[(step + 2) % 3][i], diagonal[(step + 2) % 3][i + 1]) - 1;
            score = max(0, max(match, gap));
        }
        diagonal[step % 3][i + 1] = score;
        highest = max(highest, score);
        __syncthreads();
    }
    for (int lane = 16; lane > 0; lane /= 2) highest = max(highest, __shfl_xor_sync(0xffffffffu, highest, lane));
    if (i % 32 == 0) top[i / 32] = highest;
    __syncthreads();
    if (i == 0) best[blockIdx.x] = max(max(top[0], top[1]), max(top[2], top[3]));
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int pairs = app.size(132, 2000);
    std::vector<char> a(static_cast<std::size_t>(pairs) * kLength), b(a.size());
    bench::Random random(4);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<char>(random.below(4));
        b[i] = static_cast<char>(random.below(4));
    }
    app::Buffer<char> da(a), db(b);
    app::Buffer<int> dbest(static_cast<std::size_t>(pairs));
    alignment<<<pairs, kLength>>>(da.get(), db.get(), dbest.get());
    bench::finish();
    std::vector<int> want(static_cast<std::size_t>(pairs));
    for (int p = 0; p < pairs; ++p) {
        std::vector<int> above(kLength + 1), row(kLength + 1);
        for (int i = 0; i < kLength; ++i) {
            for (int j = 0; j < kLength; ++j) {
                const int match = above[j] + (a[p * kLength + i] == b[p * kLength + j] ? 3 : -2);
                row[j + 1] = std::max(0, std::max(match, std::max(above[j + 1], row[j]) - 1));
                want[p] = std::max(want[p], row[j + 1]);
            }
            above = row;
        }
    }
    app.check(dbest.download(), want, 0);
    return app.finish();
}
