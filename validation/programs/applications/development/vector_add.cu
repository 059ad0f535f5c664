// SPDX-License-Identifier: Apache-2.0
//
// c = a + b, one element per thread (Volkov, listing 3.4).
#include "../app.h"

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = static_cast<int>(threadIdx.x + blockDim.x * blockIdx.x);
    if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(1 << 20, 1 << 23);
    auto a = app::floats(static_cast<std::size_t>(n), 1);
    auto b = app::floats(static_cast<std::size_t>(n), 2);
    app::Buffer<float> da(a), db(b), dc(a.size());
    vector_add<<<app::blocks(n, 256), 256>>>(da.get(), db.get(), dc.get(), n);
    bench::finish();
    std::vector<float> want(a.size());
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = a[i] + b[i];
    app.check(dc.download(), want, 0);
    return app.finish();
}
