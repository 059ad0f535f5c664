// SPDX-License-Identifier: Apache-2.0
//
// Very many very small blocks: one warp each, that count the bits of a row of a bitmap or sort a row of 32 numbers by ranks.
#include "../app.h"

__global__ void __launch_bounds__(32) count_bits(const uint32_t* rows, uint32_t* counts) {
    unsigned count = static_cast<unsigned>(__popc(rows[blockIdx.x * 32 + threadIdx.x]));
    count = __reduce_add_sync(0xffffffffu, count);
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

__global__ void __launch_bounds__(32) rank_sort(const uint32_t* rows, uint32_t* sorted) {
    __shared__ uint32_t row[32];
    const uint32_t own = rows[blockIdx.x * 32 + threadIdx.x], lane = threadIdx.x;
    row[lane] = own;
    __syncwarp();
    uint32_t rank = 0;
    for (uint32_t j = 0; j < 32; ++j) rank += row[j] < own || (row[j] == own && j < lane);
    sorted[blockIdx.x * 32 + rank] = own;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int blocks = app.size(4000, 40000);
    const auto rows = static_cast<std::size_t>(blocks);
    auto in = app::integers(rows * 32, 95, 0xffffffffu);
    app::Buffer<uint32_t> from(in), counts(rows), sorted(in.size());
    count_bits<<<static_cast<unsigned>(blocks), 32>>>(from.get(), counts.get());
    bench::finish();
    rank_sort<<<static_cast<unsigned>(blocks), 32>>>(from.get(), sorted.get());
    bench::finish();
    std::vector<uint32_t> want(rows), ordered = in;
    for (std::size_t i = 0; i < in.size(); ++i) want[i / 32] += static_cast<uint32_t>(__builtin_popcount(in[i]));
    for (std::size_t r = 0; r < rows; ++r) std::sort(ordered.begin() + static_cast<long>(32 * r), ordered.begin() + static_cast<long>(32 * r + 32));
    app.check(counts.download(), want, 0);
    app.check(sorted.download(), ordered, 0);
    return app.finish();
}
