// SPDX-License-Identifier: Apache-2.0
//
// Sum and sum of squares of each column of a matrix: one warp copies tiles into a ring of four, four warps add them up; all
// wait in loops around mbarrier.try_wait.
#include "../app.h"

constexpr int kColumns = 128, kRows = 8, kStages = 4, kConsumers = 128, kThreads = kConsumers + 32;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HAS_TRY_WAIT 1
#endif

__device__ uint32_t address(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }
__device__ void arrive(uint64_t* barrier) {
    asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(address(barrier)) : "memory");
}
__device__ void wait(uint64_t* barrier, uint32_t parity) {
#ifdef HAS_TRY_WAIT
    uint32_t over;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(over) : "r"(address(barrier)), "r"(parity) : "memory");
    } while (over == 0);
#endif
}

__global__ void __launch_bounds__(kThreads) column_moments(const float* matrix, float2* partial, int columns, int tiles) {
    __shared__ __align__(16) float stage[kStages][kRows][kColumns];
    __shared__ uint64_t full[kStages], empty[kStages];
    const int t = threadIdx.x, column = static_cast<int>(blockIdx.x) * kColumns;
    const std::size_t row = static_cast<std::size_t>(blockIdx.y) * tiles * kRows;
    if (t < kStages) {
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(address(&full[t])) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(&empty[t])), "n"(kConsumers) : "memory");
    }
    __syncthreads();
    if (t >= kConsumers) {
        const int lane = t - kConsumers;
        for (int tile = 0; tile < tiles; ++tile) {
            const int s = tile % kStages;
            if (tile >= kStages) wait(&empty[s], (tile / kStages - 1) & 1);
            for (int r = 0; r < kRows; ++r)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(&stage[s][r][4 * lane])),
                             "l"(matrix + (row + tile * kRows + r) * columns + column + 4 * lane) : "memory");
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address(&full[s])) : "memory");
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
        return;
    }
    float sum = 0, squares = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        const int s = tile % kStages;
        wait(&full[s], (tile / kStages) & 1);
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            const float x = stage[s][r][t];
            sum += x;
            squares += x * x;
        }
        arrive(&empty[s]);
    }
    partial[static_cast<std::size_t>(blockIdx.y) * columns + column + t] = {sum, squares};
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int columns = 1024, bands = 32, tiles = app.size(8, 64), rows = bands * tiles * kRows;
    const auto numbers = app::integers(static_cast<std::size_t>(rows) * columns, 1, 16);
    const std::vector<float> matrix(numbers.begin(), numbers.end());    // whole numbers: sums are exact
    app::Buffer<float> from(matrix);
    app::Buffer<float2> partial(static_cast<std::size_t>(bands) * columns);
    column_moments<<<dim3(columns / kColumns, bands), kThreads>>>(from.get(), partial.get(), columns, tiles);
    bench::finish();
    const auto result = partial.download();
    std::vector<float> got(2 * columns), want(2 * columns);
    for (int band = 0; band < bands; ++band)
        for (int c = 0; c < columns; ++c) {
            got[2 * c] += result[static_cast<std::size_t>(band) * columns + c].x;
            got[2 * c + 1] += result[static_cast<std::size_t>(band) * columns + c].y;
        }
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            const float x = matrix[static_cast<std::size_t>(r) * columns + c];
            want[2 * c] += x;
            want[2 * c + 1] += x * x;
        }
    app.check(got, want, 0);
    return app.finish();
}
