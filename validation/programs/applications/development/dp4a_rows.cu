// SPDX-License-Identifier: Apache-2.0
//
// Products of rows of two matrices of bytes, four at a time: the lanes of a warp read different rows of the second matrix, 16 lines
// for a load.
#include "../app.h"

constexpr int kSide = 16;

__global__ void dp4a_rows(const int* a, const int* b, int* c, int n) {
    const int row = static_cast<int>(blockIdx.y) * kSide + static_cast<int>(threadIdx.y);
    const int column = static_cast<int>(blockIdx.x) * kSide + static_cast<int>(threadIdx.x);
    int sum = 0;
    for (int k = 0; k < n; ++k) sum = __dp4a(a[row * n + k], b[column * n + k], sum);
    c[row * n + column] = sum;
}

namespace {

int product(uint32_t a, uint32_t b) {
    int sum = 0;
    for (int shift = 0; shift < 32; shift += 8)
        sum += static_cast<int>(static_cast<int8_t>(a >> shift)) * static_cast<int>(static_cast<int8_t>(b >> shift));
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(384, 640);  // a multiple of 16
    const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    const auto a = app::integers(count, 122, ~0u);
    const auto b = app::integers(count, 123, ~0u);
    app::Buffer<uint32_t> da(a), db(b);
    app::Buffer<int> dc(count);
    const auto blocks = static_cast<unsigned>(n / kSide);
    dp4a_rows<<<dim3(blocks, blocks), dim3(kSide, kSide)>>>(reinterpret_cast<const int*>(da.get()),
                                                            reinterpret_cast<const int*>(db.get()), dc.get(), n);
    bench::finish();
    const std::vector<int> all = dc.download();
    std::vector<int> got, want;
    for (int i = 0; i < n; i += 7) {
        for (int j = 0; j < n; j += 11) {
            int sum = 0;
            for (int k = 0; k < n; ++k) sum += product(a[static_cast<std::size_t>(i * n + k)], b[static_cast<std::size_t>(j * n + k)]);
            got.push_back(all[static_cast<std::size_t>(i * n + j)]);
            want.push_back(sum);
        }
    }
    app.check(got, want, 0);
    return app.finish();
}
