// SPDX-License-Identifier: Apache-2.0
//
// Gradients of an image with blocks of 32x32 threads, whose rows do not begin at sectors: each pixel from global memory, or from a
// tile in shared memory to which every thread writes nine pixels.
//
// The measured program adds the vertical gradient twice instead of its square. Some roots are then of negative numbers, which take
// another path through the code, so that is kept.
#include "../volta-turing/row.h"

namespace {

constexpr int kTile = 32;

/// Of the pixel at `centre`, which lies between the other two.
__host__ __device__ __forceinline__ float gradient(const float* above, const float* centre, const float* below) {
    const float x = (-1) * above[-1] + above[1] + (-2) * centre[-1] + 2 * centre[1] + (-1) * below[-1] + below[1];
    const float y = (-1) * above[-1] + (-2) * above[0] + (-1) * above[1] + below[-1] + 2 * below[0] + below[1];
    return sqrtf(x * x + y + y);
}

__global__ void sobel_naive(const float* in, float* out, int, int width) {
    const int row = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y) + 1;
    const int column = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x) + 1;
    out[(row - 1) * width + column - 1] = gradient(&in[(row - 1) * width + column], &in[row * width + column], &in[(row + 1) * width + column]);
}

__global__ void sobel_shared(const float* in, float* out, int, int width) {
    __shared__ float tile[kTile + 2][kTile + 2];
    const int row = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
    const int column = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
#pragma unroll
    for (int y = 0; y < 3; ++y) {
#pragma unroll
        for (int x = 0; x < 3; ++x) tile[threadIdx.y + y][threadIdx.x + x] = in[(row + y) * width + column + x];
    }
    __syncthreads();
    const float* centre = &tile[threadIdx.y + 1][threadIdx.x + 1];
    out[row * width + column] = gradient(centre - (kTile + 2), centre, centre + kTile + 2);
}

}  // namespace

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "sobel_naive", 4056);
    const int height = options.n, columns = 1024, width = columns - 2;  // the kernels step by the width of the result in both images
    const dim3 grid(row::blocks(width, kTile), row::blocks(height - 2, kTile)), block(kTile, kTile);
    const std::size_t written = static_cast<std::size_t>(grid.y * kTile - 1) * static_cast<std::size_t>(width) + grid.x * kTile;
    const std::vector<float> image = app::floats(written + 2 * static_cast<std::size_t>(width) + 2, 5, 0.0f, 1.0f);
    row::Buffer<float> in(image), out(written);
    if (options.is("sobel_naive")) {
        sobel_naive<<<grid, block>>>(in.get(), out.get(), height - 2, width);
    } else if (options.is("sobel_shared")) {
        sobel_shared<<<grid, block>>>(in.get(), out.get(), height - 2, width);
    } else {
        options.unknown("sobel_naive, sobel_shared");
    }
    bench::finish();
    std::vector<float> want(written), got = out.download();
    for (std::size_t i = 0; i < written; ++i) {
        const float* above = &image[i + 1];
        want[i] = gradient(above, above + width, above + 2 * width);
        if (std::isnan(want[i]) && std::isnan(got[i])) want[i] = got[i] = 0;
        // Around zero the sign of the sum is a matter of rounding: the GPU fuses products and sums, a CPU need not.
        if (std::fabs(want[i]) < 1e-3f || std::fabs(got[i]) < 1e-3f) want[i] = got[i] = 0;
    }
    app.check(got, want, 1e-3);
    return app.finish();
}
