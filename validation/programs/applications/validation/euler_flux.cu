// SPDX-License-Identifier: Apache-2.0
//
// Compressible flow on an unstructured mesh (as Rodinia's cfd): fluxes through the four faces of each cell, whose
// neighbours' state is gathered, then a step in time with a step of each cell's own.
#include "../app.h"

constexpr int kFaces = 4, kStates = 5;
constexpr float kGamma = 1.4f;

struct Flow {
    float density, energy, vx, vy, vz, pressure, sound;
};

__host__ __device__ inline Flow flow(const float* state, int i, int n) {
    Flow f;
    f.density = state[i];
    f.vx = state[n + i] / f.density, f.vy = state[2 * n + i] / f.density, f.vz = state[3 * n + i] / f.density;
    f.energy = state[4 * n + i];
    f.pressure = (kGamma - 1.0f) * (f.energy - 0.5f * f.density * (f.vx * f.vx + f.vy * f.vy + f.vz * f.vz));
    f.sound = sqrtf(kGamma * f.pressure / f.density);
    return f;
}

__host__ __device__ inline void face(const Flow& a, const Flow& b, float nx, float ny, float nz, float* sum) {
    const float area = sqrtf(nx * nx + ny * ny + nz * nz);
    const float ua = a.vx * nx + a.vy * ny + a.vz * nz, ub = b.vx * nx + b.vy * ny + b.vz * nz;
    const float speed = 0.1f * area * (fabsf(ua) / area + a.sound + fabsf(ub) / area + b.sound);
    const float p = 0.5f * (a.pressure + b.pressure);
    sum[0] += 0.5f * (a.density * ua + b.density * ub) + speed * (a.density - b.density);
    sum[1] += 0.5f * (a.density * a.vx * ua + b.density * b.vx * ub) + p * nx + speed * (a.density * a.vx - b.density * b.vx);
    sum[2] += 0.5f * (a.density * a.vy * ua + b.density * b.vy * ub) + p * ny + speed * (a.density * a.vy - b.density * b.vy);
    sum[3] += 0.5f * (a.density * a.vz * ua + b.density * b.vz * ub) + p * nz + speed * (a.density * a.vz - b.density * b.vz);
    sum[4] += 0.5f * ((a.energy + a.pressure) * ua + (b.energy + b.pressure) * ub) + speed * (a.energy - b.energy);
}

__host__ __device__ inline void cell_fluxes(const float* state, const int* neighbours, const float* normals, float* fluxes, int i, int n) {
    const Flow own = flow(state, i, n);
    float sum[kStates] = {};
    for (int f = 0; f < kFaces; ++f) {
        const int other = neighbours[f * n + i];
        const float nx = normals[(3 * f) * n + i], ny = normals[(3 * f + 1) * n + i], nz = normals[(3 * f + 2) * n + i];
        if (other >= 0) {
            face(own, flow(state, other, n), nx, ny, nz, sum);
        } else {
            sum[1] += own.pressure * nx, sum[2] += own.pressure * ny, sum[3] += own.pressure * nz;
        }
    }
    for (int s = 0; s < kStates; ++s) fluxes[s * n + i] = sum[s];
}

__global__ void step_factors(const float* state, const float* volumes, float* factors, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const Flow own = flow(state, i, n);
    factors[i] = 0.05f * sqrtf(volumes[i]) / (sqrtf(own.vx * own.vx + own.vy * own.vy + own.vz * own.vz) + own.sound);
}

__global__ void compute_flux(const float* state, const int* neighbours, const float* normals, float* fluxes, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) cell_fluxes(state, neighbours, normals, fluxes, i, n);
}

__global__ void time_step(const float* old, float* state, const float* factors, const float* fluxes, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    for (int s = 0; s < kStates; ++s) state[s * n + i] = old[s * n + i] - factors[i] * fluxes[s * n + i];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(20000, 150000), side = 100;
    const auto cells = static_cast<std::size_t>(n);
    auto noise = app::floats(kStates * cells, 1, -0.2f, 0.2f), normals = app::floats(3 * kFaces * cells, 2), volumes = app::floats(cells, 3, 0.5f, 2.0f);
    std::vector<float> state(noise.size());
    for (std::size_t i = 0; i < cells; ++i)
        for (std::size_t s = 0; s < kStates; ++s) state[s * cells + i] = noise[s * cells + i] + (s == 0 ? 1.4f : s == 4 ? 2.5f : 0.3f);
    // Neighbours of a grid, of which some are swapped with cells elsewhere, and walls.
    bench::Random random(4);
    std::vector<int> neighbours(kFaces * cells);
    for (int i = 0; i < n; ++i) {
        const int grid[kFaces] = {i - 1, i + 1, i - side, i + side};
        for (int f = 0; f < kFaces; ++f) {
            const int far = i + static_cast<int>(random.below(4001)) - 2000;
            const int to = random.below(8) == 0 ? far : grid[f];
            neighbours[static_cast<std::size_t>(f) * cells + static_cast<std::size_t>(i)] = to < 0 || to >= n ? -1 : to;
        }
    }
    app::Buffer<float> a(state), b(state.size()), volume(volumes), normal(normals), flux(state.size()), factor(cells);
    app::Buffer<int> neighbour(neighbours);
    step_factors<<<app::blocks(n, 192), 192>>>(a.get(), volume.get(), factor.get(), n);
    bench::finish();
    compute_flux<<<app::blocks(n, 192), 192>>>(a.get(), neighbour.get(), normal.get(), flux.get(), n);
    bench::finish();
    time_step<<<app::blocks(n, 192), 192>>>(a.get(), b.get(), factor.get(), flux.get(), n);
    bench::finish();
    std::vector<float> want(state.size()), fluxes(state.size());
    for (int i = 0; i < n; ++i) cell_fluxes(state.data(), neighbours.data(), normals.data(), fluxes.data(), i, n);
    for (int i = 0; i < n; ++i) {
        const Flow own = flow(state.data(), i, n);
        const float step = 0.05f * std::sqrt(volumes[static_cast<std::size_t>(i)]) / (std::sqrt(own.vx * own.vx + own.vy * own.vy + own.vz * own.vz) + own.sound);
        for (std::size_t s = 0; s < kStates; ++s) {
            const std::size_t at = s * cells + static_cast<std::size_t>(i);
            want[at] = state[at] - step * fluxes[at];
        }
    }
    app.check(b.download(), want, 1e-4);
    return app.finish();
}
