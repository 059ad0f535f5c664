// SPDX-License-Identifier: Apache-2.0
//
// C = alpha A B + beta C on tensor cores with sums of single precision, n x n matrices of half precision, 16 columns of A a step:
// fragments from global memory (direct); tiles in shared memory of 32x32, 64x64 and 128x128 elements of C by four warps (tile_32,
// tile_64, tile_128); fragments of a step loaded once (hoisted); the next step's tile on its way meanwhile (ahead), by 16 bytes a
// thread (wide).
#include <cuda_fp16.h>
#include <mma.h>

#include "../volta-turing/row.h"

namespace {

using namespace nvcuda;
constexpr int kEdge = 16, kWarps = 4, kThreads = 32 * kWarps, kPad = 8;
using A = wmma::fragment<wmma::matrix_a, kEdge, kEdge, kEdge, half, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, kEdge, kEdge, kEdge, half, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, kEdge, kEdge, kEdge, float>;
using C = wmma::fragment<wmma::accumulator, kEdge, kEdge, kEdge, half>;
using Kernel = void (*)(const half*, const half*, half*, int, int, int, float, float);

__device__ void finish_fragment(half* c, int columns, const Sum& sum, float alpha, float beta) {
    C old;
    wmma::load_matrix_sync(old, c, static_cast<unsigned>(columns), wmma::mem_row_major);
    for (int i = 0; i < old.num_elements; ++i) old.x[i] = __float2half(alpha * sum.x[i] + beta * __half2float(old.x[i]));
    wmma::store_matrix_sync(c, old, static_cast<unsigned>(columns), wmma::mem_row_major);
}

__global__ void direct(const half* a, const half* b, half* c, int m, int n, int k, float alpha, float beta) {
    const int row = static_cast<int>(blockIdx.y) * kEdge, column = static_cast<int>(blockIdx.x) * kEdge;
    if (row >= m || column >= n) return;
    A left;
    B right;
    Sum sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int step = 0; step < k; step += kEdge) {
        wmma::load_matrix_sync(left, a + row * k + step, static_cast<unsigned>(k));
        wmma::load_matrix_sync(right, b + step * n + column, static_cast<unsigned>(n));
        wmma::mma_sync(sum, left, right, sum);
    }
    finish_fragment(c + row * n + column, n, sum, alpha, beta);
}

/// Where the threads of a block, four warps in two rows of two, work on a tile of `kTiles` x `kTiles` fragments for each warp.
template <int kTiles, int kBytes>
struct Place {
    static constexpr int kRows = 2 * kEdge * kTiles, kPart = kBytes / 2;       // halves of a thread's copy
    static constexpr int kAWide = kEdge / kPart, kAHigh = kThreads / kAWide;    // threads along a row of A's tile, and rows of a copy
    static constexpr int kBWide = kRows / kPart, kBHigh = kThreads / kBWide;
    int row, column, a_row, a_column, b_row, b_column, warp_row, warp_column;
    __device__ Place() {
        const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
        row = static_cast<int>(blockIdx.y) * kRows;
        column = static_cast<int>(blockIdx.x) * kRows;
        a_row = thread / kAWide, a_column = thread % kAWide * kPart;
        b_row = thread / kBWide, b_column = thread % kBWide * kPart;
        warp_row = warp / 2 * kEdge, warp_column = warp % 2 * kEdge;
    }
};

/// One fragment a warp, and sums that go through shared memory to C.
__global__ void tile_32(const half* a, const half* b, half* c, int m, int n, int k, float alpha, float beta) {
    using Here = Place<1, 2>;
    __shared__ half tile_a[Here::kRows][kEdge + kPad];
    __shared__ half tile_b[kEdge][Here::kRows + kPad];
    __shared__ float scratch[Here::kRows][Here::kRows + kPad];
    const Here at;
    A left;
    B right;
    Sum sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int step = 0; step < k; step += kEdge) {
#pragma unroll
        for (int i = 0; i < Here::kRows; i += Here::kAHigh) {
            const int row = at.row + i + at.a_row, column = step + at.a_column;
            tile_a[i + at.a_row][at.a_column] = row < m && column < k ? a[row * k + column] : half{0.0};
        }
#pragma unroll
        for (int i = 0; i < kEdge; i += Here::kBHigh) {
            const int row = i + step + at.b_row, column = at.column + at.b_column;
            tile_b[i + at.b_row][at.b_column] = row < k && column < n ? b[row * n + column] : half{0.0};
        }
        __syncthreads();
        wmma::load_matrix_sync(left, &tile_a[at.warp_row][0], kEdge + kPad);
        wmma::load_matrix_sync(right, &tile_b[0][at.warp_column], Here::kRows + kPad);
        wmma::mma_sync(sum, left, right, sum);
        __syncthreads();
    }
    wmma::store_matrix_sync(&scratch[at.warp_row][at.warp_column], sum, Here::kRows + kPad, wmma::mem_row_major);
    const int lane = static_cast<int>(threadIdx.x) % 32, lane_row = lane / kEdge, lane_column = lane % kEdge;
#pragma unroll
    for (int i = 0; i < kEdge; i += 32 / kEdge) {
        const int row = at.row + at.warp_row + lane_row + i, column = at.column + at.warp_column + lane_column;
        if (row < m && column < n) {
            c[row * n + column] = __float2half(alpha * scratch[at.warp_row + lane_row + i][at.warp_column + lane_column] +
                                               beta * __half2float(c[row * n + column]));
        }
    }
}

template <int kTiles, int kBytes>
__device__ void finish_all(half* c, int n, const Place<kTiles, kBytes>& at, const Sum* sums, float alpha, float beta) {
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
#pragma unroll
        for (int j = 0; j < kTiles; ++j) {
            const int row = at.row + at.warp_row + i * 2 * kEdge, column = at.column + at.warp_column + j * 2 * kEdge;
            finish_fragment(&c[row * n + column], n, sums[i * kTiles + j], alpha, beta);
        }
    }
}

template <int kTiles, bool kHoisted>
__global__ void tile_sums(const half* a, const half* b, half* c, int, int n, int k, float alpha, float beta) {
    using Here = Place<kTiles, 2>;
    __shared__ half tile_a[Here::kRows][kEdge + kPad];
    __shared__ half tile_b[kEdge][Here::kRows + kPad];
    const Here at;
    A left[kTiles];
    B right[kTiles];
    Sum sums[kTiles * kTiles];
    for (Sum& sum : sums) wmma::fill_fragment(sum, 0.0f);
    for (int step = 0; step < k; step += kEdge) {
#pragma unroll
        for (int i = 0; i < Here::kRows; i += Here::kAHigh) tile_a[i + at.a_row][at.a_column] = a[(at.row + i + at.a_row) * k + step + at.a_column];
#pragma unroll
        for (int i = 0; i < kEdge; i += Here::kBHigh) tile_b[i + at.b_row][at.b_column] = b[(i + step + at.b_row) * n + at.column + at.b_column];
        __syncthreads();
        if (kHoisted) {
            for (int i = 0; i < kTiles; ++i) wmma::load_matrix_sync(left[i], &tile_a[at.warp_row + i * 2 * kEdge][0], kEdge + kPad);
            for (int j = 0; j < kTiles; ++j) wmma::load_matrix_sync(right[j], &tile_b[0][at.warp_column + j * 2 * kEdge], Here::kRows + kPad);
        }
#pragma unroll
        for (int i = 0; i < kTiles; ++i) {
#pragma unroll
            for (int j = 0; j < kTiles; ++j) {
                const int one = kHoisted ? i : 0, other = kHoisted ? j : 0;
                if (!kHoisted) {
                    wmma::load_matrix_sync(left[0], &tile_a[at.warp_row + i * 2 * kEdge][0], kEdge + kPad);
                    wmma::load_matrix_sync(right[0], &tile_b[0][at.warp_column + j * 2 * kEdge], Here::kRows + kPad);
                }
                wmma::mma_sync(sums[i * kTiles + j], left[one], right[other], sums[i * kTiles + j]);
            }
        }
        __syncthreads();
    }
    finish_all(c, n, at, sums, alpha, beta);
}

/// As many halves as a copy of a thread has.
template <int kBytes>
__device__ void copy(half* to, const half* from) {
    if (kBytes == 16) {
        *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
    } else {
        *to = *from;
    }
}

template <int kBytes>
__global__ void double_buffer(const half* a, const half* b, half* c, int, int n, int k, float alpha, float beta) {
    constexpr int kTiles = 4;
    using Here = Place<kTiles, kBytes>;
    constexpr int kACopies = Here::kRows / Here::kAHigh, kBCopies = kEdge / Here::kBHigh, kPart = Here::kPart;
    __shared__ half tile_a[2][Here::kRows][kEdge + kPad];
    __shared__ half tile_b[2][kEdge][Here::kRows + kPad];
    const Here at;
    const auto a_from = [&](int copy, int step) { return &a[(at.row + copy * Here::kAHigh + at.a_row) * k + step + at.a_column]; };
    const auto b_from = [&](int copy, int step) { return &b[(copy * Here::kBHigh + step + at.b_row) * n + at.column + at.b_column]; };
    int now = 0;
#pragma unroll
    for (int i = 0; i < kACopies; ++i) copy<kBytes>(&tile_a[0][i * Here::kAHigh + at.a_row][at.a_column], a_from(i, 0));
#pragma unroll
    for (int i = 0; i < kBCopies; ++i) copy<kBytes>(&tile_b[0][i * Here::kBHigh + at.b_row][at.b_column], b_from(i, 0));
    A left[kTiles];
    B right[kTiles];
    Sum sums[kTiles * kTiles];
#pragma unroll
    for (Sum& sum : sums) wmma::fill_fragment(sum, 0.0f);
    alignas(16) half next_a[kACopies * kPart];
    alignas(16) half next_b[kBCopies * kPart];
    __syncthreads();
    for (int step = 0; step < k; step += kEdge) {
        if (step + kEdge < k) {
#pragma unroll
            for (int i = 0; i < kACopies; ++i) copy<kBytes>(&next_a[i * kPart], a_from(i, step + kEdge));
#pragma unroll
            for (int i = 0; i < kBCopies; ++i) copy<kBytes>(&next_b[i * kPart], b_from(i, step + kEdge));
        }
        for (int i = 0; i < kTiles; ++i) wmma::load_matrix_sync(left[i], &tile_a[now][at.warp_row + i * 2 * kEdge][0], kEdge + kPad);
        for (int j = 0; j < kTiles; ++j) wmma::load_matrix_sync(right[j], &tile_b[now][0][at.warp_column + j * 2 * kEdge], Here::kRows + kPad);
#pragma unroll
        for (int i = 0; i < kTiles; ++i) {
#pragma unroll
            for (int j = 0; j < kTiles; ++j) wmma::mma_sync(sums[i * kTiles + j], left[i], right[j], sums[i * kTiles + j]);
        }
        if (step + kEdge < k) {
            now ^= 1;
#pragma unroll
            for (int i = 0; i < kACopies; ++i) copy<kBytes>(&tile_a[now][i * Here::kAHigh + at.a_row][at.a_column], &next_a[i * kPart]);
#pragma unroll
            for (int i = 0; i < kBCopies; ++i) copy<kBytes>(&tile_b[now][i * Here::kBHigh + at.b_row][at.b_column], &next_b[i * kPart]);
            __syncthreads();
        }
    }
    finish_all(c, n, at, sums, alpha, beta);
}

struct Choice {
    const char* name;
    Kernel kernel;
    int edge;  // of a block's part of C
    unsigned threads;
};

const Choice kChoices[] = {{"direct", direct, 16, 32},
                           {"tile_32", tile_32, 32, kThreads},
                           {"tile_64", tile_sums<2, false>, 64, kThreads},
                           {"tile_128", tile_sums<4, false>, 128, kThreads},
                           {"hoisted", tile_sums<4, true>, 128, kThreads},
                           {"ahead", double_buffer<2>, 128, kThreads},
                           {"wide", double_buffer<16>, 128, kThreads}};

/// Rows of the product that are compared: all of a large one would take a CPU longer than the simulation.
constexpr int kCompared = 8;

}  // namespace

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "wide", 128);
    const int n = options.n;
    const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    const float alpha = 0.5f, beta = 0.25f;
    for (const Choice& choice : kChoices) {
        if (!options.is(choice.name)) continue;
        const auto halves = [&](uint64_t seed) {
            const std::vector<float> values = app::floats(size, seed);
            std::vector<half> out(size);
            std::transform(values.begin(), values.end(), out.begin(), [](float value) { return __float2half(value); });
            return out;
        };
        const std::vector<half> a = halves(1), b = halves(2), c = halves(3);
        row::Buffer<half> left(a), right(b), result(c);
        const unsigned blocks = row::blocks(n, choice.edge);
        choice.kernel<<<dim3(blocks, blocks), choice.threads>>>(left.get(), right.get(), result.get(), n, n, n, alpha, beta);
        bench::finish();
        const std::vector<half> got = result.download();
        std::vector<float> ours, want;
        for (int row = 0; row < n; row += std::max(1, n / kCompared)) {
            const auto first = static_cast<std::size_t>(row) * static_cast<std::size_t>(n);
            std::vector<double> sums(static_cast<std::size_t>(n));
            for (std::size_t k = 0; k < sums.size(); ++k) {
                const double factor = __half2float(a[first + k]);
                for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += factor * __half2float(b[k * sums.size() + j]);
            }
            for (std::size_t j = 0; j < sums.size(); ++j) {
                want.push_back(static_cast<float>(alpha * sums[j] + beta * __half2float(c[first + j])));
                ours.push_back(__half2float(got[first + j]));
            }
        }
        app.check(ours, want, 2e-3);
        return app.finish();
    }
    options.unknown("direct, tile_32, tile_64, tile_128, hoisted, ahead, wide");
}
