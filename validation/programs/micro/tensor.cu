// SPDX-License-Identifier: Apache-2.0
//
// Tensor core: dependent latency (through the accumulator) and rate of mma.sync m16n8k16 FP16 with FP16 and FP32
// accumulators and m16n8k8, where the target has them; one warp's interval and the SM's rate in FLOP per cycle.
#include "bench.h"

namespace {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define IF_MMA(TEXT) TEXT
#else
#define IF_MMA(TEXT) ""
#endif

struct f32_16816 {
    static constexpr const char* name = "hmma_16816_f32";
    static constexpr int flops = 2 * 16 * 8 * 16;
    static __device__ __forceinline__ void step(uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
        asm volatile(IF_MMA("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                            "{%0,%1,%2,%3};")
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

struct f16_16816 {
    static constexpr const char* name = "hmma_16816_f16";
    static constexpr int flops = 2 * 16 * 8 * 16;
    static __device__ __forceinline__ void step(uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
        asm volatile(
            IF_MMA("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};")
            : "+r"(d[0]), "+r"(d[1])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};

struct f32_1688 {
    static constexpr const char* name = "hmma_1688_f32";
    static constexpr int flops = 2 * 16 * 8 * 8;
    static __device__ __forceinline__ void step(uint32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
        asm volatile(IF_MMA("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
                            "{%0,%1,%2,%3};")
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(b[0]));
    }
};

template <class Op, int Chains, int Steps>
__global__ void measure(uint32_t* data, bench::Life* lives) {
    uint32_t d[Chains][4];
    uint32_t a[4];
    uint32_t b[2];
    for (int i = 0; i < 4; ++i) a[i] = data[i];
    for (int i = 0; i < 2; ++i) b[i] = data[4 + i];
#pragma unroll
    for (int chain = 0; chain < Chains; ++chain) {
        for (int i = 0; i < 4; ++i) d[chain][i] = data[8 + i];
    }
    uint64_t start = 0;
    uint64_t end = 0;
#pragma unroll 1
    for (int round = 0; round < 3; ++round) {
        __syncthreads();
        start = bench::now();
#pragma unroll
        for (int step = 0; step < Steps; ++step) {
#pragma unroll
            for (int chain = 0; chain < Chains; ++chain) Op::step(d[chain], a, b);
        }
        end = bench::now();
    }
    uint32_t sum = 0;
#pragma unroll
    for (int chain = 0; chain < Chains; ++chain) {
        for (int i = 0; i < 4; ++i) sum += d[chain][i];
    }
    data[threadIdx.x % 32] = sum;
    if (threadIdx.x % 32 == 0) lives[threadIdx.x / 32] = {start, end, bench::sm_id(), 0};
}

template <class Op, int Chains, int Steps>
double cycles(int warps) {
    bench::Buffer<uint32_t> data(64);
    data.clear();
    bench::Buffer<bench::Life> lives(static_cast<std::size_t>(warps));
    measure<Op, Chains, Steps><<<1, 32 * warps>>>(data.get(), lives.get());
    bench::finish();
    return static_cast<double>(bench::span(lives.download()));
}

template <class Op>
void report() {
    std::string name = Op::name;
    bench::emit("lat." + name, (cycles<Op, 1, 96>(1) - cycles<Op, 1, 32>(1)) / 64, "cycles");
    bench::emit("interval." + name, (cycles<Op, 4, 96>(1) - cycles<Op, 4, 32>(1)) / (64 * 4), "cycles");
    double all = (cycles<Op, 4, 96>(16) - cycles<Op, 4, 32>(16)) / (64 * 4 * 16);
    bench::emit("rate." + name, Op::flops / all, "FLOP/cycle/SM");
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    if (bench::device().major < 8) return 0;
    report<f32_16816>();
    report<f16_16816>();
    report<f32_1688>();
    return 0;
}
