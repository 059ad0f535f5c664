// SPDX-License-Identifier: Apache-2.0
//
// Seven-point stencil on a cube: each thread walks up z with the neighbours above and below in registers.
#include "../app.h"

__global__ void stencil7(const float* in, float* out, int n) {
    int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    int plane = n * n;
    int i = y * n + x;
    float below = in[i];
    float here = in[i + plane];
    for (int z = 1; z < n - 1; ++z) {
        i += plane;
        float above = in[i + plane];
        out[i] = 0.4f * here + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + below + above);
        below = here;
        here = above;
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(96, 224);
    auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    auto data = app::floats(count, 9);
    app::Buffer<float> in(data), out(count);
    out.clear();
    stencil7<<<dim3(app::blocks(n, 32), app::blocks(n, 4)), dim3(32, 4)>>>(in.get(), out.get(), n);
    bench::finish();
    std::vector<float> want(count, 0.0f);
    int plane = n * n;
    for (int z = 1; z < n - 1; ++z) {
        for (int y = 1; y < n - 1; ++y) {
            for (int x = 1; x < n - 1; ++x) {
                int i = z * plane + y * n + x;
                want[i] = 0.4f * data[i] + 0.1f * (data[i - 1] + data[i + 1] + data[i - n] + data[i + n] +
                                                   data[i - plane] + data[i + plane]);
            }
        }
    }
    app.check(out.download(), want, 1e-5);
    return app.finish();
}
