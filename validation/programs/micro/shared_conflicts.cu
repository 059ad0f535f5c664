// SPDX-License-Identifier: Apache-2.0
//
// Bank conflicts: loads and stores of a warp with `stride` elements between lanes. `smem.stride.<bits>.<stride>.latency`
// is a dependent chain of one warp; `.cycles` the SM's cycles per warp access with 32 warps.
// `smem.conflict.<n>`: exactly n lanes on each bank used, n = 1..32 (32-bit).
#include "bench.h"

namespace {

constexpr int kAccesses = 64;
constexpr uint32_t kBytes = 16 * 1024;  // addresses wrap here

template <int Words>
__device__ __forceinline__ uint32_t read(uint32_t at, uint32_t& rest) {
    uint32_t next;
    uint32_t b = 0;
    uint32_t c = 0;
    uint32_t d = 0;
    if (Words == 1) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(next) : "r"(at) : "memory");
    if (Words == 2) asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(next), "=r"(b) : "r"(at) : "memory");
    if (Words == 4) {
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(next), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(at)
                     : "memory");
    }
    rest ^= b ^ c ^ d;
    return next;
}

// Lane l of each warp reads element l * stride (mod 16 KiB), or bank-exact addresses when `conflict` is given.
template <int Words>
__global__ void loads(uint32_t stride, uint32_t conflict, uint32_t* sink, bench::Life* lives) {
    __shared__ __align__(16) uint32_t room[kBytes / 4];
    uint32_t lane = threadIdx.x % 32;
    uint32_t word = conflict == 0 ? lane * stride * Words % (kBytes / 4)
                                  : lane / conflict + lane % conflict * 32;  // groups of `conflict` lanes share a bank
    auto at = static_cast<uint32_t>(__cvta_generic_to_shared(room + word));
    room[word] = at;
    __syncthreads();
    uint64_t start = 0;
    uint64_t end = 0;
    uint32_t rest = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        __syncthreads();
        start = bench::now();
#pragma unroll
        for (int i = 0; i < kAccesses; ++i) at = read<Words>(at, rest);
        sink[threadIdx.x] = at + rest;
        end = bench::now();
    }
    if (lane == 0) lives[threadIdx.x / 32] = {start, end, bench::sm_id(), 0};
}

__global__ void stores(uint32_t stride, uint32_t* sink, bench::Life* lives) {
    __shared__ uint32_t room[kBytes / 4];
    uint32_t lane = threadIdx.x % 32;
    uint32_t word = lane * stride % (kBytes / 4);
    auto at = static_cast<uint32_t>(__cvta_generic_to_shared(room + word));
    uint64_t start = 0;
    uint64_t end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        __syncthreads();
        start = bench::now();
#pragma unroll
        for (int i = 0; i < kAccesses; ++i) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(lane) : "memory");
        sink[threadIdx.x] = room[word];
        end = bench::now();
    }
    if (lane == 0) lives[threadIdx.x / 32] = {start, end, bench::sm_id(), 0};
}

class Runner {
public:
    template <int Words>
    double loads_cycles(int warps, long stride, long conflict) {
        loads<Words><<<1, 32 * warps>>>(static_cast<uint32_t>(stride), static_cast<uint32_t>(conflict), sink_.get(),
                                        lives_.get());
        return taken(warps);
    }
    double stores_cycles(int warps, long stride) {
        stores<<<1, 32 * warps>>>(static_cast<uint32_t>(stride), sink_.get(), lives_.get());
        return taken(warps);
    }

private:
    double taken(int warps) {
        bench::finish();
        std::vector<bench::Life> lives = lives_.download();
        lives.resize(static_cast<std::size_t>(warps));
        return static_cast<double>(bench::span(lives));
    }
    bench::Buffer<uint32_t> sink_{1024};
    bench::Buffer<bench::Life> lives_{32};
};

template <int Words>
void report(Runner& runner, const std::vector<long>& strides) {
    for (long stride : strides) {
        std::string id = "smem.stride." + std::to_string(32 * Words) + "." + std::to_string(stride);
        bench::emit(id + ".latency", runner.loads_cycles<Words>(1, stride, 0) / kAccesses, "cycles");
        bench::emit(id + ".cycles", runner.loads_cycles<Words>(32, stride, 0) / kAccesses / 32, "cycles/warp access");
    }
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    Runner runner;
    std::vector<long> strides = args.list("strides", "0,1,2,3,4,5,8,16,32",
                                          "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,20,24,28,31,32,33,64");
    report<1>(runner, strides);
    report<2>(runner, strides);
    report<4>(runner, strides);
    for (long conflict : {1, 2, 4, 8, 16, 32}) {
        std::string id = "smem.conflict." + std::to_string(conflict);
        bench::emit(id + ".latency", runner.loads_cycles<1>(1, 0, conflict) / kAccesses, "cycles");
        bench::emit(id + ".cycles", runner.loads_cycles<1>(32, 0, conflict) / kAccesses / 32, "cycles/warp access");
    }
    for (long stride : {1, 2, 4, 8, 16, 32}) {
        bench::emit("smem.store_stride." + std::to_string(stride) + ".cycles",
                    runner.stores_cycles(32, stride) / kAccesses / 32, "cycles/warp access");
    }
    return 0;
}
