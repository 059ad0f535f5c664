// SPDX-License-Identifier: Apache-2.0
//
// A thread an element: sums, a scaled sum, a copy of every eighth element, and a gather that always reads the same word.
#include "row.h"

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void saxpy(float factor, const float* a, const float* b, float* c, int n) {
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) c[i] = factor * a[i] + b[i];
}

__global__ void strided_copy(const float* in, float* out, int n, int stride) {
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (i < n) out[i] = in[i];
}

__global__ void broadcast_gather(const float* in, const int* index, float* out, int n) {
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = in[index[i]];
}

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "vector_add", 262144);
    const int n = options.n, threads = 256, stride = 8;
    const auto size = static_cast<std::size_t>(n);
    auto a = app::floats(size, 1), b = app::floats(size, 2);
    std::vector<float> want(size, 0.0f);
    row::Buffer<float> in(a), second(b), out(size);
    out.clear();
    if (options.is("vector_add")) {
        vector_add<<<row::blocks(n, threads), threads>>>(in.get(), second.get(), out.get(), n);
        for (std::size_t i = 0; i < size; ++i) want[i] = a[i] + b[i];
    } else if (options.is("saxpy")) {
        saxpy<<<row::blocks(n, threads), threads>>>(2.5f, in.get(), second.get(), out.get(), n);
        for (std::size_t i = 0; i < size; ++i) want[i] = 2.5f * a[i] + b[i];
    } else if (options.is("strided_copy")) {
        strided_copy<<<row::blocks(row::blocks(n, stride), threads), threads>>>(in.get(), out.get(), n, stride);
        for (std::size_t i = 0; i < size; i += stride) want[i] = a[i];
    } else if (options.is("broadcast_gather")) {
        row::Buffer<int> index(size);
        index.clear();
        broadcast_gather<<<row::blocks(n, threads), threads>>>(in.get(), index.get(), out.get(), n);
        std::fill(want.begin(), want.end(), a[0]);
    } else {
        options.unknown("vector_add, saxpy, strided_copy, broadcast_gather");
    }
    bench::finish();
    app.check(out.download(), want, 1e-6);
    return app.finish();
}
