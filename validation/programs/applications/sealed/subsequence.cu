// SPDX-License-Identifier: Apache-2.0
//
// Longest common subsequence of pairs of texts: a block per pair, anti-diagonals in shared memory with a barrier for each.
#include "../app.h"

constexpr int kLength = 256;

__global__ void longest(const uint8_t* a, const uint8_t* b, int* out) {
    __shared__ int line[3][kLength + 1];
    __shared__ uint8_t other[kLength];
    const int j = threadIdx.x + 1;
    const uint8_t mine = a[blockIdx.x * kLength + threadIdx.x];
    other[threadIdx.x] = b[blockIdx.x * kLength + threadIdx.x];
    for (int k = 0; k < 3; ++k) line[k][threadIdx.x] = line[k][kLength] = 0;
    __syncthreads();
    for (int d = 2; d <= 2 * kLength; ++d) {
        const int i = d - j;
        int* now = line[d % 3];
        const int *before = line[(d + 2) % 3], *two = line[(d + 1) % 3];
        if (i >= 1 && i <= kLength) now[j] = mine == other[i - 1] ? two[j - 1] + 1 : max(before[j], before[j - 1]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = line[2 * kLength % 3][kLength];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int pairs = app.size(64, 1056);
    const auto count = static_cast<std::size_t>(pairs) * kLength;
    const auto x = app::integers(count, 29, 4), y = app::integers(count, 30, 4);
    const std::vector<uint8_t> a(x.begin(), x.end()), b(y.begin(), y.end());
    app::Buffer<uint8_t> da(a), db(b);
    app::Buffer<int> out(pairs);
    longest<<<pairs, kLength>>>(da.get(), db.get(), out.get());
    bench::finish();
    std::vector<int> want(pairs);
    for (int p = 0; p < pairs; ++p) {
        std::vector<int> row(kLength + 1);
        for (int i = 0; i < kLength; ++i) {
            int corner = 0;
            for (int j = 1; j <= kLength; ++j) {
                const int up = row[j];
                row[j] = a[p * kLength + j - 1] == b[p * kLength + i] ? corner + 1 : std::max(row[j], row[j - 1]);
                corner = up;
            }
        }
        want[p] = row[kLength];
    }
    app.check(out.download(), want, 0);
    return app.finish();
}
