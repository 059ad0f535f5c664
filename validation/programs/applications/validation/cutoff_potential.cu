// SPDX-License-Identifier: Apache-2.0
//
// Electrostatic potential of charges within a cutoff (as Parboil's cutcp): charges in bins of a lattice, each block of
// lattice points walks over the 27 bins around it, whose atoms it first copies to shared memory.
#include "../app.h"

constexpr int kCell = 8, kPerBin = 8;  // Lattice points of a bin's side, charges of a bin.

__host__ __device__ inline float term(float4 q, float x, float y, float z) {
    const float dx = q.x - x, dy = q.y - y, dz = q.z - z;
    const float r2 = dx * dx + dy * dy + dz * dz, limit = 64.0f;
    if (r2 >= limit) return 0.0f;
    const float s = 1.0f - r2 / limit;
    return q.w / sqrtf(r2 + 0.01f) * s * s;
}

__global__ void __launch_bounds__(128) potential(const float4* bins, float* out, int cells) {
    __shared__ float4 atoms[kPerBin];
    const int bx = blockIdx.x % cells, by = blockIdx.x / cells, bz = blockIdx.y;
    float sum[4] = {};
    const int x = threadIdx.x % kCell, y = threadIdx.x / kCell % kCell, z = threadIdx.x / (kCell * kCell);
    for (int k = 0; k < 27; ++k) {
        const int cx = bx + k % 3 - 1, cy = by + k / 3 % 3 - 1, cz = bz + k / 9 - 1;
        if (cx < 0 || cy < 0 || cz < 0 || cx >= cells || cy >= cells || cz >= cells) continue;
        __syncthreads();
        if (threadIdx.x < kPerBin * 4)
            reinterpret_cast<float*>(atoms)[threadIdx.x] = reinterpret_cast<const float*>(bins)[((cz * cells + cy) * cells + cx) * kPerBin * 4 + threadIdx.x];
        __syncthreads();
        for (int a = 0; a < kPerBin; ++a)
            for (int p = 0; p < 4; ++p)
                sum[p] += term(atoms[a], static_cast<float>(bx * kCell + x), static_cast<float>(by * kCell + y), static_cast<float>(bz * kCell + z + 2 * p));
    }
    const int side = cells * kCell;
    for (int p = 0; p < 4; ++p) out[((bz * kCell + z + 2 * p) * side + by * kCell + y) * side + bx * kCell + x] = sum[p];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int cells = app.size(3, 8), side = cells * kCell;
    const auto count = static_cast<std::size_t>(cells) * cells * cells * kPerBin;
    auto random = app::floats(4 * count, 8, 0.0f, 1.0f);
    std::vector<float4> bins(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto bin = static_cast<int>(i / kPerBin);
        const float cx = static_cast<float>(bin % cells), cy = static_cast<float>(bin / cells % cells), cz = static_cast<float>(bin / cells / cells);
        bins[i] = make_float4((cx + random[4 * i]) * kCell, (cy + random[4 * i + 1]) * kCell, (cz + random[4 * i + 2]) * kCell, random[4 * i + 3] - 0.5f);
    }
    const auto points = static_cast<std::size_t>(side) * side * side;
    app::Buffer<float4> in(bins);
    app::Buffer<float> out(points);
    potential<<<dim3(static_cast<unsigned>(cells * cells), static_cast<unsigned>(cells)), 128>>>(in.get(), out.get(), cells);
    bench::finish();
    std::vector<float> want(points);
    for (int z = 0; z < side; ++z)
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x) {
                float sum = 0;
                for (int k = 0; k < 27; ++k) {
                    const int cx = x / kCell + k % 3 - 1, cy = y / kCell + k / 3 % 3 - 1, cz = z / kCell + k / 9 - 1;
                    if (cx < 0 || cy < 0 || cz < 0 || cx >= cells || cy >= cells || cz >= cells) continue;
                    for (int a = 0; a < kPerBin; ++a)
                        sum += term(bins[static_cast<std::size_t>(((cz * cells + cy) * cells + cx) * kPerBin + a)], static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
                }
                want[static_cast<std::size_t>((z * side + y) * side + x)] = sum;
            }
    app.check(out.download(), want, 1e-4);
    return app.finish();
}
