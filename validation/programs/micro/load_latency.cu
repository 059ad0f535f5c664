// SPDX-License-Identifier: Apache-2.0
//
// Load-to-use latency by space and width, hit in the nearest cache: a chain of 64 loads minus a chain of 16, one warp.
// `raw.load_<space>_<bits>` where the address is a regular register; `smem.latency` and `constl1.latency` are the
// 32-bit ones. With all 32 lanes at consecutive addresses `lanes32` variants show what a full warp adds. Loads from the L2
// (`cg`) are the mean over lines in both of its halves.
#include <type_traits>

#include "bench.h"

namespace {

// The words of a wide load that are no address go to `rest`, off the chain, so that the assembler keeps the width.
// 32-bit global loads need a 64-bit address: the low word is loaded, the high word stays.
struct Global32 {
    static constexpr const char* name = "raw.load_global_32";
    static constexpr uint32_t bytes = 4;
    static __device__ __forceinline__ uint64_t step(uint64_t at, uint64_t& /*rest*/) {
        uint32_t low;
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(low) : "l"(at) : "memory");
        return (at & 0xffffffff00000000ull) | low;
    }
};
struct Global64 {
    static constexpr const char* name = "raw.load_global_64";
    static constexpr uint32_t bytes = 8;
    static __device__ __forceinline__ uint64_t step(uint64_t at, uint64_t& /*rest*/) {
        uint64_t next;
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        return next;
    }
};
struct Global128 {
    static constexpr const char* name = "raw.load_global_128";
    static constexpr uint32_t bytes = 16;
    static __device__ __forceinline__ uint64_t step(uint64_t at, uint64_t& rest) {
        uint64_t next;
        uint64_t other;
        asm volatile("ld.global.ca.v2.u64 {%0, %1}, [%2];" : "=l"(next), "=l"(other) : "l"(at) : "memory");
        rest ^= other;
        return next;
    }
};
struct GlobalCg {
    static constexpr const char* name = "raw.load_global_cg_64";
    static constexpr uint32_t bytes = 8;
    static __device__ __forceinline__ uint64_t step(uint64_t at, uint64_t& /*rest*/) {
        uint64_t next;
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        return next;
    }
};
struct Generic64 {
    static constexpr const char* name = "raw.load_generic_64";
    static constexpr uint32_t bytes = 8;
    static __device__ __forceinline__ uint64_t step(uint64_t at, uint64_t& /*rest*/) {
        uint64_t next;
        asm volatile("ld.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
        return next;
    }
};

template <class Op, int N>
__device__ __forceinline__ uint64_t chain(uint64_t& at, uint64_t* sink) {
    uint64_t rest = 0;
    uint64_t start = bench::now();
#pragma unroll
    for (int i = 0; i < N; ++i) at = Op::step(at, rest);
    sink[threadIdx.x] = at + rest;
    return bench::now() - start;
}

template <class Op>
__global__ void global(uint32_t* base, uint64_t* sink, uint64_t* cycles) {
    uint64_t at = reinterpret_cast<uint64_t>(base) + threadIdx.x * Op::bytes;
    auto* slot = reinterpret_cast<uint64_t*>(at);
    // Every element points to itself.
    if (Op::bytes == 4) {
        *reinterpret_cast<uint32_t*>(at) = static_cast<uint32_t>(at);
    } else {
        *slot = at;
    }
    __syncwarp();
    uint64_t short_chain = 0;
    uint64_t long_chain = 0;
#pragma unroll 1
    for (int round = 0; round < 3; ++round) {
        short_chain = chain<Op, 16>(at, sink);
        long_chain = chain<Op, 64>(at, sink);
    }
    if (threadIdx.x == 0) cycles[0] = long_chain - short_chain;
}

template <int Words>
__device__ __forceinline__ uint32_t shared_step(uint32_t at, uint32_t& rest) {
    uint32_t next;
    uint32_t other[3] = {0, 0, 0};
    if (Words == 1) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(next) : "r"(at) : "memory");
    if (Words == 2) {
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(next), "=r"(other[0]) : "r"(at) : "memory");
    }
    if (Words == 4) {
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(next), "=r"(other[0]), "=r"(other[1]), "=r"(other[2])
                     : "r"(at)
                     : "memory");
    }
    rest ^= other[0] ^ other[1] ^ other[2];
    return next;
}

template <int Words, int N>
__device__ __forceinline__ uint64_t shared_chain(uint32_t& at, uint64_t* sink) {
    uint32_t rest = 0;
    uint64_t start = bench::now();
#pragma unroll
    for (int i = 0; i < N; ++i) at = shared_step<Words>(at, rest);
    sink[threadIdx.x] = at + rest;
    return bench::now() - start;
}

template <int Words>
__global__ void shared(uint64_t* sink, uint64_t* cycles) {
    __shared__ __align__(16) uint32_t room[32 * 4];
    auto at = static_cast<uint32_t>(__cvta_generic_to_shared(room + threadIdx.x * Words));
    room[threadIdx.x * Words] = at;
    __syncwarp();
    uint64_t short_chain = 0;
    uint64_t long_chain = 0;
#pragma unroll 1
    for (int round = 0; round < 3; ++round) {
        short_chain = shared_chain<Words, 16>(at, sink);
        long_chain = shared_chain<Words, 64>(at, sink);
    }
    if (threadIdx.x == 0) cycles[0] = long_chain - short_chain;
}

double latency(const bench::Buffer<uint64_t>& cycles) {
    bench::finish();
    return static_cast<double>(cycles.download()[0]) / 48;
}

double report(const std::string& id, const bench::Buffer<uint64_t>& cycles) {
    double value = latency(cycles);
    bench::emit(id, value, "cycles");
    return value;
}

template <class Op>
void measure_global() {
    constexpr uint32_t step = bench::kPlaceBytes / sizeof(uint32_t);
    constexpr uint32_t places = std::is_same<Op, GlobalCg>::value ? bench::kPlaces : 1;
    bench::Buffer<uint32_t> room(places * step);
    bench::Buffer<uint64_t> sink(32);
    bench::Buffer<uint64_t> cycles(1);
    for (uint32_t lanes : {1u, 32u}) {
        double sum = 0;
        for (uint32_t place = 0; place < places; ++place) {
            global<Op><<<1, lanes>>>(room.get() + place * step, sink.get(), cycles.get());
            sum += latency(cycles);
        }
        bench::emit(std::string(Op::name) + ".lanes" + std::to_string(lanes), sum / places, "cycles");
    }
}

template <int Words>
void measure_shared() {
    bench::Buffer<uint64_t> sink(32);
    bench::Buffer<uint64_t> cycles(1);
    std::string id = "raw.load_shared_" + std::to_string(32 * Words);
    shared<Words><<<1, 1>>>(sink.get(), cycles.get());
    double one = report(id + ".lanes1", cycles);
    if (Words == 1) bench::emit("smem.latency", one, "cycles");
    shared<Words><<<1, 32>>>(sink.get(), cycles.get());
    report(id + ".lanes32", cycles);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    measure_global<Global32>();
    measure_global<Global64>();
    measure_global<Global128>();
    measure_global<GlobalCg>();
    measure_global<Generic64>();
    measure_shared<1>();
    measure_shared<2>();
    measure_shared<4>();
    return 0;
}
