// SPDX-License-Identifier: Apache-2.0
//
// Forces between particles of neighbouring cells: a block for each cell, which reads its up to 27 neighbours one by one
// into shared memory.
#include "../app.h"

constexpr int kPer = 64, kThreads = 64;

__host__ __device__ inline void add_force(float4& force, float4 a, float4 b, float charge) {
    const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
    const float weight = expf(-0.5f * (dx * dx + dy * dy + dz * dz));
    const float pull = 2.0f * weight * charge;
    force.x += pull * dx;
    force.y += pull * dy;
    force.z += pull * dz;
    force.w += charge * weight;
}

__global__ void forces(const float4* place, const float* charge, const int* neighbours, float4* force, int cells) {
    __shared__ float4 other[kPer];
    __shared__ float other_charge[kPer];
    const int cell = static_cast<int>(blockIdx.x), lane = static_cast<int>(threadIdx.x);
    if (cell >= cells) return;
    const float4 own = place[cell * kPer + lane];
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < 27; ++k) {
        const int from = neighbours[cell * 27 + k];
        if (from < 0) continue;
        __syncthreads();
        other[lane] = place[from * kPer + lane];
        other_charge[lane] = charge[from * kPer + lane];
        __syncthreads();
        for (int j = 0; j < kPer; ++j) add_force(sum, own, other[j], other_charge[j]);
    }
    force[cell * kPer + lane] = sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int side = app.size(4, 8), cells = side * side * side, count = cells * kPer;
    auto numbers = app::floats(4 * static_cast<std::size_t>(count), 1, 0, 1), charge = app::floats(static_cast<std::size_t>(count), 2, 0.1f, 1);
    std::vector<float4> place(count), want(count);
    std::vector<int> neighbours(27 * cells);
    for (int c = 0; c < cells; ++c) {
        const int x = c % side, y = c / side % side, z = c / side / side;
        for (int i = c * kPer; i < (c + 1) * kPer; ++i)
            place[i] = make_float4(static_cast<float>(x) + numbers[4 * i], static_cast<float>(y) + numbers[4 * i + 1],
                                   static_cast<float>(z) + numbers[4 * i + 2], 0);
        for (int k = 0; k < 27; ++k) {
            const int a = x + k % 3 - 1, b = y + k / 3 % 3 - 1, d = z + k / 9 - 1;
            const bool inside = a >= 0 && b >= 0 && d >= 0 && a < side && b < side && d < side;
            neighbours[c * 27 + k] = inside ? (d * side + b) * side + a : -1;
        }
    }
    app::Buffer<float4> d_place(place), d_force(place.size());
    app::Buffer<float> d_charge(charge);
    app::Buffer<int> d_neighbours(neighbours);
    forces<<<static_cast<unsigned>(cells), kThreads>>>(d_place.get(), d_charge.get(), d_neighbours.get(), d_force.get(), cells);
    bench::finish();
    auto got = d_force.download();
    std::vector<float> found, expected;
    for (int c = 0; c < cells; c += 7)        // a part of the cells: the CPU takes long
        for (int i = c * kPer; i < (c + 1) * kPer; i += 5) {
            float4 sum = make_float4(0, 0, 0, 0);
            for (int k = 0; k < 27; ++k) {
                const int from = neighbours[c * 27 + k];
                for (int j = from * kPer; from >= 0 && j < (from + 1) * kPer; ++j) add_force(sum, place[i], place[j], charge[j]);
            }
            for (float v : {got[i].x, got[i].y, got[i].z, got[i].w}) found.push_back(v);
            for (float v : {sum.x, sum.y, sum.z, sum.w}) expected.push_back(v);
        }
    app.check(found, expected, 2e-3);
    return app.finish();
}
