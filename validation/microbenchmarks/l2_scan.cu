// SPDX-License-Identifier: Apache-2.0
//
// L2 load bandwidth by the loop that the V100 report prints (listing 3.2): a block of 1024 threads on every SM, in which
// every warp reads all of an array with 64-bit loads past the L1 and adds up what it loads. All SMs read the same place at
// about the same time, and no more loads are under way than the compiler puts before an add: less than the L2 can do
// (`l2.bw`, `cached.<KiB>`). `l2.scan64.<KiB>`: bytes per cycle, of the array less those of its first half, so that start
// and end drop out.
#include "bench.h"

namespace {

constexpr uint32_t kThreads = 1024;

__device__ __forceinline__ void add_loaded(double& sum, const double* at) {
    asm volatile("{.reg .f64 d; ld.global.cg.f64 d, [%1]; add.f64 %0, d, %0;}" : "+d"(sum) : "l"(at) : "memory");
}

__global__ void scan(const double* data, uint32_t elements, double* sink, bench::Life* lives) {
    uint32_t thread = threadIdx.x;
    double sum = 0;
    uint64_t start = bench::now();
#pragma unroll 1
    for (uint32_t i = 0; i < elements; i += kThreads) {
        for (uint32_t j = 0; j < kThreads; j += 32) add_loaded(sum, data + i + (thread + j) % kThreads);
    }
    __syncthreads();
    uint64_t end = bench::now();
    sink[blockIdx.x * kThreads + thread] = sum;
    if (thread == 0) lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    int sms = bench::device().multiProcessorCount;
    auto blocks = static_cast<std::size_t>(sms);
    bench::Buffer<double> sink(blocks * kThreads);
    bench::Buffer<bench::Life> lives(blocks);
    for (long kib : args.list("kib", "128", "128,256,512,1024,2048,4096")) {
        auto elements = static_cast<uint32_t>(kib * 1024 / sizeof(double)) / (2 * kThreads) * (2 * kThreads);
        bench::Buffer<double> data(elements);
        data.clear();
        auto taken = [&](uint32_t count) {
            scan<<<sms, kThreads>>>(data.get(), count, sink.get(), lives.get());
            bench::finish();
            return static_cast<double>(bench::span(lives.download()));
        };
        // The first brings the whole array to the L2, code and pages near.
        double all = 0;
        for (int launch = 0; launch < (args.full() ? 2 : 1); ++launch) all = taken(elements);
        double half = taken(elements / 2);
        bench::emit("l2.scan64." + std::to_string(kib), 8.0 * (elements / 2) * (kThreads / 32) * sms / (all - half), "B/cycle");
    }
    return 0;
}
