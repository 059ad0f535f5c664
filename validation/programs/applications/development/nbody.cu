// SPDX-License-Identifier: Apache-2.0
//
// All-pairs gravitation with tiles of bodies in shared memory.
#include "../app.h"

__global__ void nbody(const float4* bodies, float4* force, int n) {
    __shared__ float4 tile[128];
    int i = static_cast<int>(blockIdx.x * 128 + threadIdx.x);
    float4 me = bodies[i];
    float3 sum = {0, 0, 0};
    for (int base = 0; base < n; base += 128) {
        tile[threadIdx.x] = bodies[base + static_cast<int>(threadIdx.x)];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; ++j) {
            float dx = tile[j].x - me.x;
            float dy = tile[j].y - me.y;
            float dz = tile[j].z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float scale = tile[j].w * inverse * inverse * inverse;
            sum.x += dx * scale;
            sum.y += dy * scale;
            sum.z += dz * scale;
        }
        __syncthreads();
    }
    force[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(2048, 6144);
    auto bodies = app::floats(static_cast<std::size_t>(n) * 4, 17, 0.1f, 1);
    app::Buffer<float> in(bodies), out(bodies.size());
    nbody<<<static_cast<unsigned>(n / 128), 128>>>(reinterpret_cast<const float4*>(in.get()),
                                                   reinterpret_cast<float4*>(out.get()), n);
    bench::finish();
    std::vector<float> got = out.download();
    std::vector<float> some;
    std::vector<float> want;
    for (int i = 0; i < n; i += 64) {
        double sum[3] = {0, 0, 0};
        for (int j = 0; j < n; ++j) {
            double d[3];
            double square = 0.01;
            for (int k = 0; k < 3; ++k) {
                d[k] = static_cast<double>(bodies[4 * j + k]) - bodies[4 * i + k];
                square += d[k] * d[k];
            }
            double scale = bodies[4 * j + 3] / (square * std::sqrt(square));
            for (int k = 0; k < 3; ++k) sum[k] += d[k] * scale;
        }
        for (int k = 0; k < 3; ++k) {
            some.push_back(got[4 * i + k]);
            want.push_back(static_cast<float>(sum[k]));
        }
    }
    app.check(some, want, 1e-3);
    return app.finish();
}
