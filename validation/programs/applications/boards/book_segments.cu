// SPDX-License-Identifier: Apache-2.0
//
// Sums of two vectors whose reads or writes begin offset= elements later, by threads with one element, two or four.
#include "../volta-turing/row.h"

namespace {

using Kernel = void (*)(float*, float*, float*, int, int);

__global__ void write_offset(float* a, float* b, float* out, const int n, int offset) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = i + offset;
    if (k < n) out[k] = a[i] + b[i];
}

template <int kChunks>
__global__ void read_offset(float* a, float* b, float* out, const int n, int offset) {
    const unsigned i = blockIdx.x * blockDim.x * kChunks + threadIdx.x, k = i + offset;
    if (k + (kChunks - 1) * blockDim.x < n) {
#pragma unroll
        for (int chunk = 0; chunk < kChunks; ++chunk) out[i + chunk * blockDim.x] = a[k + chunk * blockDim.x] + b[k + chunk * blockDim.x];
    }
}

}  // namespace

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "write_offset", 1 << 16);
    const int n = options.n, threads = 512, offset = static_cast<int>(options.args.number("offset", 0));
    const bool writes = options.is("write_offset");
    const int chunks = options.is("read_offset_2") ? 2 : options.is("read_offset_4") ? 4 : 1;
    const Kernel kernel = writes ? write_offset : chunks == 4 ? read_offset<4> : chunks == 2 ? read_offset<2> : read_offset<1>;
    if (!writes && chunks == 1 && !options.is("read_offset")) options.unknown("write_offset, read_offset, read_offset_2, read_offset_4");
    const auto size = static_cast<std::size_t>(n);
    const auto a = app::floats(size, 1), b = app::floats(size, 2);
    row::Buffer<float> first(a), second(b), out(size);
    out.clear();
    kernel<<<row::blocks(n, static_cast<long>(threads) * chunks), threads>>>(first.get(), second.get(), out.get(), n, offset);
    bench::finish();
    std::vector<float> want(size, 0.0f);
    for (int i = 0; i + offset < n; ++i) {
        const auto from = static_cast<std::size_t>(writes ? i : i + offset), to = static_cast<std::size_t>(writes ? i + offset : i);
        // A thread with several elements leaves all out when its last one is behind the end.
        const int last = i % (threads * chunks) % threads + i / (threads * chunks) * threads * chunks + (chunks - 1) * threads + offset;
        if (writes || last < n) want[to] = a[from] + b[from];
    }
    app.check(out.download(), want, 1e-6);
    return app.finish();
}
