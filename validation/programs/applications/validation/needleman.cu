// SPDX-License-Identifier: Apache-2.0
//
// Needleman-Wunsch (as Rodinia's nw): the table in tiles of 16x16, one launch for each diagonal of tiles, blocks of half
// a warp that go over the tile in shared memory.
#include "../app.h"

constexpr int kTile = 16, kGap = 10;

__global__ void diagonal_of_tiles(const int* similarity, int* table, int width, int tiles, int diagonal, int first) {
    __shared__ int score[kTile + 1][kTile + 1];
    __shared__ int like[kTile][kTile];
    const int x = static_cast<int>(blockIdx.x) + first, y = diagonal - x, t = threadIdx.x;
    const int corner = (y * kTile) * width + x * kTile;
    if (x >= tiles || y < 0) return;
    for (int row = 0; row < kTile; ++row) like[row][t] = similarity[corner + (row + 1) * width + t + 1];
    if (t == 0) score[0][0] = table[corner];
    score[t + 1][0] = table[corner + (t + 1) * width];
    score[0][t + 1] = table[corner + t + 1];
    __syncthreads();
    for (int step = 0; step < 2 * kTile - 1; ++step) {
        const int i = step - t;
        if (i >= 0 && i < kTile)
            score[i + 1][t + 1] = max(score[i][t] + like[i][t], max(score[i + 1][t], score[i][t + 1]) - kGap);
        __syncthreads();
    }
    for (int row = 0; row < kTile; ++row) table[corner + (row + 1) * width + t + 1] = score[row + 1][t + 1];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(64, 192), tiles = n / kTile, width = n + 1;
    const auto cells = static_cast<std::size_t>(width) * width;
    auto random = app::integers(cells, 5, 21);
    std::vector<int> similarity(cells), table(cells);
    for (std::size_t i = 0; i < cells; ++i) similarity[i] = static_cast<int>(random[i]) - 10;
    for (int i = 0; i < width; ++i) table[static_cast<std::size_t>(i)] = table[static_cast<std::size_t>(i) * width] = -i * kGap;
    app::Buffer<int> like(similarity), scores(table);
    for (int diagonal = 0; diagonal < 2 * tiles - 1; ++diagonal) {
        const int first = std::max(0, diagonal - tiles + 1), last = std::min(diagonal, tiles - 1);
        diagonal_of_tiles<<<static_cast<unsigned>(last - first + 1), kTile>>>(like.get(), scores.get(), width, tiles, diagonal, first);
        bench::finish();
    }
    for (std::size_t i = 1; i < static_cast<std::size_t>(width); ++i)
        for (std::size_t j = 1; j < static_cast<std::size_t>(width); ++j) {
            const std::size_t at = i * width + j;
            table[at] = std::max(table[at - width - 1] + similarity[at], std::max(table[at - 1], table[at - width]) - kGap);
        }
    app.check(scores.download(), table, 0);
    return app.finish();
}
