// SPDX-License-Identifier: Apache-2.0
//
// Sums of vectors by any number of threads, each of which goes on by the number of all: blocks= and threads= are the shape.
#include "../volta-turing/row.h"

namespace {

__global__ void add_integers(int* out, int* a, int* b, unsigned n) {
    for (int i = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x); static_cast<unsigned>(i) < n; i += static_cast<int>(blockDim.x * gridDim.x)) {
        out[i] = a[i] + b[i];
    }
}

__global__ void add_floats(int n, float* x, float* y) {
    const int step = static_cast<int>(blockDim.x * gridDim.x);
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += step) y[i] = x[i] + y[i];
}

}  // namespace

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "add_integers", 320000);
    const auto size = static_cast<std::size_t>(options.n);
    const auto blocks = static_cast<unsigned>(options.args.number("blocks", 1)), threads = static_cast<unsigned>(options.args.number("threads", 1024));
    if (options.is("add_integers")) {
        std::vector<int> a(size), b(size), want(size);
        for (std::size_t i = 0; i < size; ++i) want[i] = (a[i] = static_cast<int>(i % 97)) + (b[i] = static_cast<int>(i % 89));
        row::Buffer<int> in(a), second(b), out(size);
        add_integers<<<blocks, threads>>>(out.get(), in.get(), second.get(), static_cast<unsigned>(options.n));
        bench::finish();
        app.check(out.download(), want, 0);
    } else if (options.is("add_floats")) {
        row::Buffer<float> x(std::vector<float>(size, 1.0f)), y(std::vector<float>(size, 2.0f));
        add_floats<<<blocks, threads>>>(options.n, x.get(), y.get());
        bench::finish();
        app.check(y.download(), std::vector<float>(size, 3.0f), 0);
    } else {
        options.unknown("add_integers, add_floats");
    }
    return app.finish();
}
