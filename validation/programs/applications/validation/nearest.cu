// SPDX-License-Identifier: Apache-2.0
//
// The eight nearest points of each query: a sorted list in registers, points in tiles of shared memory.
#include "../app.h"

constexpr int kNearest = 8, kTile = 128;

__global__ void nearest(const float* px, const float* py, const float* pz, const float3* queries, int* found, int points) {
    __shared__ float x[kTile], y[kTile], z[kTile];
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const float3 q = queries[i];
    float distance[kNearest];
    int index[kNearest];
    for (int k = 0; k < kNearest; ++k) distance[k] = 1e30f, index[k] = -1;
    for (int tile = 0; tile < points; tile += kTile) {
        __syncthreads();
        x[threadIdx.x] = px[tile + threadIdx.x];
        y[threadIdx.x] = py[tile + threadIdx.x];
        z[threadIdx.x] = pz[tile + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < kTile; ++j) {
            const float dx = x[j] - q.x, dy = y[j] - q.y, dz = z[j] - q.z;
            float d = dx * dx + dy * dy + dz * dz;
            if (d >= distance[kNearest - 1]) continue;
            int at = tile + j;
#pragma unroll
            for (int k = 0; k < kNearest; ++k)
                if (d < distance[k]) {
                    const float t = distance[k];
                    const int s = index[k];
                    distance[k] = d, index[k] = at;
                    d = t, at = s;
                }
        }
    }
    for (int k = 0; k < kNearest; ++k) found[i * kNearest + k] = index[k];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int queries = app.size(4096, 16384), points = 1024;
    auto x = app::floats(points, 1), y = app::floats(points, 2), z = app::floats(points, 3), q = app::floats(3 * static_cast<std::size_t>(queries), 4);
    app::Buffer<float> dx(x), dy(y), dz(z), dq(q);
    app::Buffer<int> found(static_cast<std::size_t>(queries) * kNearest);
    nearest<<<queries / kTile, kTile>>>(dx.get(), dy.get(), dz.get(), reinterpret_cast<float3*>(dq.get()), found.get(), points);
    bench::finish();
    auto got = found.download();
    auto away = [&](int i, int j) {
        const double a = x[j] - q[3 * i], b = y[j] - q[3 * i + 1], c = z[j] - q[3 * i + 2];
        return a * a + b * b + c * c;
    };
    std::vector<double> have, want;
    for (int i = 0; i < queries; i += 61) {
        std::vector<double> all;
        for (int j = 0; j < points; ++j) all.push_back(away(i, j));
        std::sort(all.begin(), all.end());
        for (int k = 0; k < kNearest; ++k) have.push_back(away(i, got[i * kNearest + k])), want.push_back(all[k]);
    }
    app.check(have, want, 1e-4);
    return app.finish();
}
