// SPDX-License-Identifier: Apache-2.0
//
// Streams through DRAM as RRZE's gpu-stream measures them: doubles, an element per thread, two blocks per SM at a time
// (`stream.<kernel>`; GB/s of all arrays read and written; blocks of other than 1024 threads: `stream.<kernel>.b<threads>`).
// RRZE's arrays have 1 GiB, so that beginning and end of a launch count for nothing; `full=1` does the same. Otherwise
// both are left out by the difference of two launches, of `few` and `many` elements per thread that the GPU takes, behind a
// launch of `warm`, which leaves the L2 full of what it wrote. Each uses memory of its own.
#include <memory>

#include "bandwidth.h"

namespace {

struct Arrays {
    double* a;
    const double *b, *c;
    uint64_t count;
};

template <class Body>
__device__ __forceinline__ void each(const Arrays& arrays, uint64_t edge, Body body) {
    uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= edge && i + edge < arrays.count) body(i);
}

__global__ void init(Arrays x) {
    each(x, 0, [&](uint64_t i) { x.a[i] = 0.23; });
}
__global__ void read(Arrays x) {
    each(x, 0, [&](uint64_t i) {
        double value = x.b[i];
        if (value == 123.0) x.a[i] = value;
    });
}
__global__ void scale(Arrays x) {
    each(x, 0, [&](uint64_t i) { x.a[i] = x.b[i] * 1.2; });
}
__global__ void triad(Arrays x) {
    each(x, 0, [&](uint64_t i) { x.a[i] = x.b[i] * 1.2 + x.c[i]; });
}
__global__ void three_point(Arrays x) {
    each(x, 1, [&](uint64_t i) { x.a[i] = 0.5 * x.b[i - 1] - 1.0 * x.b[i] + 0.5 * x.b[i + 1]; });
}
__global__ void five_point(Arrays x) {
    each(x, 2, [&](uint64_t i) {
        x.a[i] = 0.25 * x.b[i - 2] + 0.25 * x.b[i - 1] - 1.0 * x.b[i] + 0.5 * x.b[i + 1] + 0.5 * x.b[i + 2];
    });
}

struct Kernel {
    const char* name;
    void (*launch)(Arrays);
    int arrays;
};
constexpr Kernel kKernels[] = {{"init", init, 1},   {"read", read, 1},        {"scale", scale, 2},
                               {"triad", triad, 3}, {"3pt", three_point, 2}, {"5pt", five_point, 2}};

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    cudaDeviceProp device = bench::device();
    auto wave = static_cast<uint64_t>(2 * device.multiProcessorCount) * 1024;
    auto warm = static_cast<uint64_t>(args.number("warm", 6));
    auto few = static_cast<uint64_t>(args.number("few", 4));
    auto many = static_cast<uint64_t>(args.number("many", 20));
    auto most = std::max<uint64_t>(args.full() ? 1u << 27 : 0, (warm + few + many) * wave);
    bench::Buffer<double> a(most), b(most), c(most);
    b.clear();
    c.clear();
    std::string only = args.text("kernel", "");
    for (long threads : args.list("threads", "1024", "64,128,192,224,256,384,512,640,768,896,1024")) {
        // Shared memory keeps a third block away.
        std::size_t room = threads > 512 ? 0 : device.sharedMemPerMultiprocessor / 2 - device.reservedSharedMemPerBlock;
        room = std::min(room, device.sharedMemPerBlockOptin);
        for (const Kernel& kernel : kKernels) {
            if (!only.empty() && only != kernel.name) continue;
            CUDA_OK(cudaFuncSetAttribute(kernel.launch, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(room)));
            uint64_t used = 0;
            auto seconds = [&](uint64_t count, int launches) {
                Arrays x{a.get() + used, b.get() + used, c.get() + used, count};
                auto block = static_cast<uint32_t>(threads);
                double taken = bandwidth::milliseconds([&] {
                    for (int i = 0; i < launches; ++i)
                        kernel.launch<<<static_cast<uint32_t>((count + block - 1) / block), block, room>>>(x);
                });
                if (!args.full()) used += count;
                return taken * 1e-3 / launches;
            };
            double bytes = 0;
            double taken = 1e30;
            if (args.full()) {
                bytes = static_cast<double>(most);
                for (int round = 0; round < 5; ++round) taken = std::min(taken, seconds(most, 2));
            } else {
                seconds(warm * wave, 1);
                taken = -seconds(few * wave, 1);
                taken += seconds(many * wave, 1);
                bytes = static_cast<double>((many - few) * wave);
            }
            bytes *= 8.0 * kernel.arrays;
            std::string id = std::string("stream.") + kernel.name;
            bench::emit(threads == 1024 ? id : id + ".b" + std::to_string(threads), bytes / taken * 1e-9, "GB/s");
        }
    }
    return 0;
}
