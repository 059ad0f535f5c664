// SPDX-License-Identifier: Apache-2.0
//
// Many small products in double precision on tensor cores, a warp each: D = alpha A B + beta C with matrices of 32, found by pointers.
#include <mma.h>

#include "../app.h"

using namespace nvcuda;
constexpr int kSide = 32;

__global__ void __launch_bounds__(128) batched_dmma(const double* const* a, const double* const* b, double* const* c, double alpha, double beta, int count) {
    const int at = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
    if (at >= count) return;
    const double *pa = a[at], *pb = b[at];
    double* pc = c[at];
    for (int row = 0; row < kSide; row += 16) {
        wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum[2][4];
        for (auto& line : sum)
            for (auto& one : line) wmma::fill_fragment(one, 0.0);
#pragma unroll 2
        for (int k = 0; k < kSide; k += 4) {
            wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> fb[4];
            for (int i = 0; i < 2; ++i) wmma::load_matrix_sync(fa[i], pa + (row + 8 * i) * kSide + k, kSide);
            for (int j = 0; j < 4; ++j) wmma::load_matrix_sync(fb[j], pb + k * kSide + 8 * j, kSide);
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 4; ++j) wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
        }
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 4; ++j) {
                wmma::fragment<wmma::accumulator, 8, 8, 4, double> old;
                double* to = pc + (row + 8 * i) * kSide + 8 * j;
                wmma::load_matrix_sync(old, to, kSide, wmma::mem_row_major);
                for (int e = 0; e < old.num_elements; ++e) old.x[e] = alpha * sum[i][j].x[e] + beta * old.x[e];
                wmma::store_matrix_sync(to, old, kSide, wmma::mem_row_major);
            }
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(256, 2048);
    const std::size_t each = kSide * kSide, all = static_cast<std::size_t>(count) * each;
    auto doubles = [&](uint64_t seed) {
        const auto from = app::floats(all, seed);
        return std::vector<double>(from.begin(), from.end());
    };
    const auto a = doubles(1), b = doubles(2), c = doubles(3);
    app::Buffer<double> da(a), db(b), dc(c);
    std::vector<const double*> pa, pb;
    std::vector<double*> pc;
    const auto order = bench::sattolo(static_cast<uint32_t>(count), 4);
    for (int i = 0; i < count; ++i) pa.push_back(da.get() + i * each), pb.push_back(db.get() + order[i] * each), pc.push_back(dc.get() + i * each);
    app::Buffer<const double*> la(pa), lb(pb);
    app::Buffer<double*> lc(pc);
    batched_dmma<<<app::blocks(count, 4), 128>>>(la.get(), lb.get(), lc.get(), 1.5, -0.5, count);
    bench::finish();
    const auto result = dc.download();
    std::vector<double> got, want;
    for (std::size_t at = 0; at < all; at += 7) {
        const std::size_t m = at / each, row = at % each / kSide, column = at % kSide;
        double sum = 0;
        for (std::size_t k = 0; k < kSide; ++k) sum += a[m * each + row * kSide + k] * b[order[m] * each + k * kSide + column];
        got.push_back(result[at]), want.push_back(1.5 * sum - 0.5 * c[at]);
    }
    app.check(got, want, 1e-12);
    return app.finish();
}
