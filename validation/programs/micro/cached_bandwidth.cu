// SPDX-License-Identifier: Apache-2.0
//
// Load bandwidth over the size of an array that all SMs read, each all of it, over and over (as RRZE's gpu-cache does): one
// block of 256 threads per SM, 64-bit loads, 32 in flight per thread, whose sum is added up. `cached.<KiB>`: bytes per cycle
// of all SMs together, of a long run less a short one, so that start and end drop out.
#include "bench.h"

namespace {

constexpr uint32_t kThreads = 256;
constexpr uint32_t kLoads = 8;   // of a thread, from one piece of the array: 16 KiB of the block
constexpr uint32_t kTurn = 4;    // pieces
constexpr uint32_t kPiece = kThreads * kLoads;

/// One piece after the other, from the first on.
__global__ void read(const double* data, uint32_t size, uint32_t pieces, double* sink, bench::Life* lives) {
    const double* own = data + threadIdx.x;
    double sum = 0;
    uint32_t at = 0;
    __syncthreads();
    uint64_t start = bench::now();
#pragma unroll 1
    for (uint32_t piece = 0; piece < pieces; piece += kTurn) {
        double v[kTurn * kLoads];
#pragma unroll
        for (uint32_t turn = 0; turn < kTurn; ++turn) {
#pragma unroll
            for (uint32_t u = 0; u < kLoads; ++u) {
                asm volatile("ld.global.ca.f64 %0, [%1];" : "=d"(v[turn * kLoads + u]) : "l"(own + at + u * kThreads));
            }
            at += kPiece;
            if (at == size) at = 0;
        }
#pragma unroll
        for (uint32_t u = 0; u < kTurn * kLoads; ++u) sum += v[u];
    }
    __syncthreads();
    uint64_t end = bench::now();
    if (sum == 0.5) *sink = sum;
    if (threadIdx.x == 0) lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
}

/// The grid reads the array once, in its order.
__global__ void touch(const double* data, uint32_t size, double* sink) {
    double sum = 0;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size / 2; i += gridDim.x * blockDim.x) {
        double2 v = __ldcg(reinterpret_cast<const double2*>(data) + i);
        sum += v.x + v.y;
    }
    if (sum == 0.5) *sink = sum;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    int sms = bench::device().multiProcessorCount;
    bench::Buffer<double> sink(1);
    bench::Buffer<bench::Life> lives(static_cast<std::size_t>(sms));
    // What each SM reads, in KiB.
    auto most = static_cast<uint32_t>(args.number("read_kib", 512, 32768));
    for (long kib : args.list("kib", "16,64", "16,32,64,96,112,128,160,192,224,256,384,512,1024,2048,4096,5536,8192,16384,24576,32768,"
                                              "49152,65536,131072,262144")) {
        auto size = static_cast<uint32_t>(kib / 16) * kPiece;
        if (size == 0) continue;
        bench::Buffer<double> data(size);
        data.clear();
        touch<<<sms, 1024>>>(data.get(), size, sink.get());
        bench::finish();
        auto taken = [&](uint32_t read_kib) {
            read<<<sms, kThreads>>>(data.get(), size, read_kib / 16, sink.get(), lives.get());
            bench::finish();
            return static_cast<double>(bench::span(lives.download()));
        };
        // The short run begins like the long one: in the caches of the SMs there is nothing of the array.
        // It is the second: the first brings code and pages near.
        uint32_t few = std::max<uint32_t>(most / 4, std::min<uint32_t>(2 * static_cast<uint32_t>(kib), most / 2)) / 64 * 64;
        taken(few);
        double shorter = taken(few);
        bench::emit("cached." + std::to_string(kib), 1024.0 * (most - few) * sms / (taken(most) - shorter), "B/cycle");
    }
    return 0;
}
