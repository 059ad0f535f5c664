// SPDX-License-Identifier: Apache-2.0
//
// c[i] = a[index[i]] with random indices over 64 MiB at most, and a scatter with the same indices as atomic adds.
#include "../app.h"

__global__ void gather(const uint32_t* a, const uint32_t* index, uint32_t* c, int n) {
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) c[i] = a[index[i]];
}

__global__ void scatter_add(uint32_t* a, const uint32_t* index, int n) {
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) atomicAdd(&a[index[i]], 1u);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(1 << 18, 1 << 21);
    auto range = static_cast<uint32_t>(n) * 8;
    auto a = app::integers(range, 24, 1u << 30);
    auto index = app::integers(static_cast<std::size_t>(n), 25, range);
    app::Buffer<uint32_t> da(a), di(index), dc(index.size());
    gather<<<app::blocks(n, 256), 256>>>(da.get(), di.get(), dc.get(), n);
    bench::finish();
    std::vector<uint32_t> want(index.size());
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = a[index[i]];
    app.check(dc.download(), want, 0);
    scatter_add<<<app::blocks(n, 256), 256>>>(da.get(), di.get(), n);
    bench::finish();
    for (uint32_t i : index) ++a[i];
    app.check(da.download(), a, 0);
    return app.finish();
}
