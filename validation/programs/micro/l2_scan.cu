// SPDX-License-Identifier: Apache-2.0
//
// L2 load bandwidth by the loop that the V100 report (listing 3.2) and the T4 report (section 5) print: a block of 1024
// threads on every SM, in which every warp reads all of an array past the L1 and adds up what it loads. The V100 report loads
// and adds 64 bits, the T4 report 32: additions of 64 bits would be the limit of a T4, whose SM takes 16 cycles for those of a
// warp. All SMs read the same place at about the same time, and no more loads are under way than the compiler puts before an
// add: less than the L2 can do (`l2.bw`, `cached.<KiB>`). `l2.scan<bits>.<KiB>`: bytes per cycle, of the array less those of
// its first half, so that start and end drop out.
#include "bench.h"

namespace {

constexpr uint32_t kThreads = 1024;

__device__ __forceinline__ void add_loaded(double& sum, const double* at) {
    asm volatile("{.reg .f64 d; ld.global.cg.f64 d, [%1]; add.f64 %0, d, %0;}" : "+d"(sum) : "l"(at) : "memory");
}

__device__ __forceinline__ void add_loaded(float& sum, const float* at) {
    asm volatile("{.reg .f32 d; ld.global.cg.f32 d, [%1]; add.f32 %0, d, %0;}" : "+f"(sum) : "l"(at) : "memory");
}

template <class Number>
__global__ void scan(const Number* data, uint32_t elements, Number* sink, bench::Life* lives) {
    uint32_t thread = threadIdx.x;
    Number sum = 0;
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

template <class Number>
void measure(const bench::Args& args) {
    int sms = bench::device().multiProcessorCount;
    auto blocks = static_cast<std::size_t>(sms);
    bench::Buffer<Number> sink(blocks * kThreads);
    bench::Buffer<bench::Life> lives(blocks);
    for (long kib : args.list("kib", "128", "128,256,512,1024,2048,4096")) {
        auto elements = static_cast<uint32_t>(kib * 1024 / sizeof(Number)) / (2 * kThreads) * (2 * kThreads);
        bench::Buffer<Number> data(elements);
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
        double bytes = static_cast<double>(sizeof(Number)) * (elements / 2) * (kThreads / 32) * sms;
        bench::emit("l2.scan" + std::to_string(8 * sizeof(Number)) + "." + std::to_string(kib), bytes / (all - half), "B/cycle");
    }
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    for (long bits : args.list("bits", "64", "64")) bits == 32 ? measure<float>(args) : measure<double>(args);
    return 0;
}
