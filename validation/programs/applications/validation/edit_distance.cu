// SPDX-License-Identifier: Apache-2.0
//
// Edit distances of a pattern of 64 characters to many words (Myers): a thread for each word, columns of the table in two
// registers of 64 bits, masks of the pattern's characters in shared memory, words read byte by byte.
#include "../app.h"

constexpr int kPattern = 64, kLetters = 26;

__host__ __device__ inline int distance(const uint64_t* masks, const char* word, int length) {
    uint64_t plus = ~0ull, minus = 0;
    int score = kPattern;
    for (int i = 0; i < length; ++i) {
        const uint64_t equal = masks[word[i] - 'a'];
        const uint64_t vertical = equal | minus;
        const uint64_t horizontal = (((equal & plus) + plus) ^ plus) | equal;
        uint64_t up = minus | ~(horizontal | plus), down = plus & horizontal;
        score += static_cast<int>(up >> 63) - static_cast<int>(down >> 63);
        up = up << 1 | 1, down <<= 1;
        plus = down | ~(vertical | up);
        minus = up & vertical;
    }
    return score;
}

__global__ void __launch_bounds__(128) myers(const uint64_t* masks, const char* text, const int* starts, int* out, int words) {
    __shared__ uint64_t table[kLetters];
    if (threadIdx.x < kLetters) table[threadIdx.x] = masks[threadIdx.x];
    __syncthreads();
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < words) out[i] = distance(table, text + starts[i], starts[i + 1] - starts[i]);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int words = app.size(4000, 32000);
    bench::Random random(71);
    std::vector<uint64_t> masks(kLetters);
    std::string pattern;
    for (int i = 0; i < kPattern; ++i) pattern += static_cast<char>('a' + random.below(kLetters));
    for (std::size_t i = 0; i < kPattern; ++i) masks[static_cast<std::size_t>(pattern[i] - 'a')] |= 1ull << i;
    std::vector<char> text;
    std::vector<int> starts{0};
    for (int w = 0; w < words; ++w) {
        const uint32_t length = 40 + random.below(49);
        for (uint32_t i = 0; i < length; ++i)
            text.push_back(random.below(3) == 0 ? static_cast<char>('a' + random.below(kLetters)) : pattern[i % kPattern]);
        starts.push_back(static_cast<int>(text.size()));
    }
    app::Buffer<uint64_t> m(masks);
    app::Buffer<char> t(text);
    app::Buffer<int> s(starts), out(static_cast<std::size_t>(words));
    myers<<<app::blocks(words, 128), 128>>>(m.get(), t.get(), s.get(), out.get(), words);
    bench::finish();
    std::vector<int> want;
    for (std::size_t w = 0; w < static_cast<std::size_t>(words); ++w) {
        // The whole table for some words, so that the method itself is checked, too.
        const char* word = text.data() + starts[w];
        const int length = starts[w + 1] - starts[w];
        want.push_back(distance(masks.data(), word, length));
        if (w % 64 != 0) continue;
        std::vector<int> column(kPattern + 1);
        for (int i = 0; i <= kPattern; ++i) column[static_cast<std::size_t>(i)] = i;
        for (int j = 0; j < length; ++j) {
            int diagonal = column[0];
            column[0] = j + 1;
            for (std::size_t i = 1; i <= kPattern; ++i) {
                const int next = std::min({column[i] + 1, column[i - 1] + 1, diagonal + (pattern[i - 1] != word[j])});
                diagonal = column[i], column[i] = next;
            }
        }
        want.back() = column[kPattern];
    }
    app.check(out.download(), want, 0);
    return app.finish();
}
