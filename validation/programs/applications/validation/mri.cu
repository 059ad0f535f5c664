// SPDX-License-Identifier: Apache-2.0
//
// A sum of sines and cosines per voxel, with the trajectory in constant memory, a chunk per launch.
#include "../app.h"

constexpr int kChunk = 256;
__constant__ float4 trajectory[kChunk];

__global__ void mri_q(const float* x, const float* y, const float* z, float* re, float* im) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const float vx = x[i], vy = y[i], vz = z[i];
    float real = re[i], imaginary = im[i];
    for (int k = 0; k < kChunk; ++k) {
        const float angle = 6.2831853f * (trajectory[k].x * vx + trajectory[k].y * vy + trajectory[k].z * vz);
        real += trajectory[k].w * __cosf(angle);
        imaginary += trajectory[k].w * __sinf(angle);
    }
    re[i] = real;
    im[i] = imaginary;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(8192, 65536), samples = 2 * kChunk;
    auto x = app::floats(n, 1), y = app::floats(n, 2), z = app::floats(n, 3), t = app::floats(4 * samples, 4);
    app::Buffer<float> dx(x), dy(y), dz(z), re(n), im(n);
    re.clear();
    im.clear();
    for (int s = 0; s < samples; s += kChunk) {
        CUDA_OK(cudaMemcpyToSymbol(trajectory, &t[4 * s], kChunk * sizeof(float4)));
        mri_q<<<n / 256, 256>>>(dx.get(), dy.get(), dz.get(), re.get(), im.get());
        bench::finish();
    }
    auto gr = re.download(), gi = im.download();
    std::vector<float> have, want;
    for (int i = 0; i < n; i += 97) {
        double real = 0, imaginary = 0;
        for (int k = 0; k < samples; ++k) {
            const double angle = 6.2831853 * (t[4 * k] * x[i] + t[4 * k + 1] * y[i] + t[4 * k + 2] * z[i]);
            real += t[4 * k + 3] * std::cos(angle);
            imaginary += t[4 * k + 3] * std::sin(angle);
        }
        have.insert(have.end(), {gr[i], gi[i]});
        want.insert(want.end(), {static_cast<float>(real), static_cast<float>(imaginary)});
    }
    app.check(have, want, 2e-3);
    return app.finish();
}
