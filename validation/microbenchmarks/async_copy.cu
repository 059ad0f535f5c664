// SPDX-License-Identifier: Apache-2.0
//
// Copies from global to shared memory that run beside the program (cp.async, sm_80 and later), and barriers in shared
// memory (mbarrier). One warp unless said otherwise; copies are 32 neighbouring lanes wide.
// `async.group.<ca,cg><bytes>.<l1,l2>.n<k>`: from the first of k copies of a group until wait_group passes; `.empty`: a
// group without copies; `async.load16.l2`: a load of the same lines. `async.flight.left<n>`: eight groups of a copy each, until
// n are left; `async.order.left<n>`: a group from the L2, then three that hit in the L1.
// `mbar.arrive.lanes<n>`, `mbar.test`, `mbar.try`: an arrival with its state, and checks of a phase that is over;
// `mbar.arrives.lanes<n>`: arrivals without a result in a row; `mbar.wake.<test,try>.d<n>`: from a warp's arrival, a chain of n FMAs after
// the start, to another warp that waits for it; `mbar.polls.<test,try>.d<n>`: checks of that warp's loop; `mbar.wakes.<test,try>.w<n>.<first,last>`:
// the same with n warps that wait, until the first and the last goes on; `mbar.limit.h<n>`: from a TRYWAIT of a phase that does not end, with
// a limit of n ns (0: the hardware's own), to its result; `mbar.all.w<warps>`: all threads arrive and wait; `mbar.copy.n<k>`: k copies (cg16) whose
// end is an arrival.
// `async.tiles.s<n>`: cycles per tile of 2 KiB which a block of four warps sums up, n stages ahead; `async.ring.s<n>`: the same
// with a fifth warp that copies, and barriers in shared memory between them.
#include "bench.h"

namespace {

constexpr uint32_t kLine = 512;  ///< bytes of a copy of 32 lanes of 16 bytes
constexpr int kTiles = 64;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HAS_COPIES 1
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HAS_TRY_WAIT 1
#endif

__device__ __forceinline__ uint32_t address(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }

template <int Bytes, bool Bypass>
__device__ __forceinline__ void copy(uint32_t to, const char* from) {
#ifdef HAS_COPIES
    if (Bypass)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes) : "memory");
#endif
}
__device__ __forceinline__ void commit() {
#ifdef HAS_COPIES
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int Left>
__device__ __forceinline__ void wait_group() {
#ifdef HAS_COPIES
    asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
#endif
}

__device__ __forceinline__ void init(uint32_t barrier, uint32_t count) {
#ifdef HAS_COPIES
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
#endif
}
__device__ __forceinline__ uint64_t arrive(uint32_t barrier) {
    uint64_t state = 0;
#ifdef HAS_COPIES
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(barrier) : "memory");
#endif
    return state;
}
__device__ __forceinline__ void arrive_only(uint32_t barrier) {
#ifdef HAS_COPIES
    asm volatile("{.reg .b64 t; mbarrier.arrive.shared.b64 t, [%0];}" ::"r"(barrier) : "memory");
#endif
}
/// The thread's copies so far arrive for it when they are done.
__device__ __forceinline__ void arrive_with_copies(uint32_t barrier) {
#ifdef HAS_COPIES
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
#endif
}
template <bool Try>
__device__ __forceinline__ uint32_t is_over(uint32_t barrier, uint32_t phase) {
    uint32_t over = 1;
#ifdef HAS_TRY_WAIT
    if (Try)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(over) : "r"(barrier), "r"(phase) : "memory");
    else
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(over) : "r"(barrier), "r"(phase) : "memory");
#endif
    return over;
}
template <bool Try>
__device__ __forceinline__ void wait_phase(uint32_t barrier, uint32_t phase) {
#pragma unroll 1
    while (is_over<Try>(barrier, phase) == 0) {
    }
}

__device__ __forceinline__ void load_past_l1(const char* from) {
    uint32_t word;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
    if (word == 0xdeadbeef) asm volatile("trap;");
}

/// Brings all lines to the L2 and past the L1.
__device__ void touch(const char* data, uint32_t bytes) {
#pragma unroll 1
    for (uint32_t at = threadIdx.x * 32; at < bytes; at += blockDim.x * 32) load_past_l1(data + at);
    __syncthreads();
}

/// The first round, from `dry` bytes further on, brings code, and lines to the L1 if `dry` is 0.
template <class Body>
__device__ void at_places(const char* data, uint32_t step, uint32_t dry, uint32_t* cycles, Body body) {
    __shared__ uint32_t taken[bench::kPlaces];
    touch(data, dry + step * bench::kPlaces);
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
#pragma unroll 1
        for (uint32_t place = 0; place < bench::kPlaces; ++place) {
            const char* from = data + place * step + (round == 0 ? dry : 0);
            uint64_t start = bench::now();
            body(from);
            uint64_t end = bench::now();
            if (threadIdx.x == 0) taken[place] = static_cast<uint32_t>(end - start);
            __syncwarp();
        }
    }
    if (threadIdx.x < bench::kPlaces) cycles[threadIdx.x] = taken[threadIdx.x];
}

template <int Bytes, bool Bypass, int Copies>
__global__ void group(const char* data, uint32_t step, uint32_t dry, uint32_t* cycles) {
    __shared__ __align__(16) char tile[32 * kLine];
    const uint32_t to = address(tile) + threadIdx.x * Bytes;
    at_places(data + threadIdx.x * Bytes, step, dry, cycles, [&](const char* from) {
#pragma unroll
        for (int i = 0; i < Copies; ++i) copy<Bytes, Bypass>(to + i * 32 * Bytes, from + i * 32 * Bytes);
        commit();
        wait_group<0>();
    });
}

__global__ void load16(const char* data, uint32_t step, uint32_t dry, uint32_t* cycles) {
    at_places(data + threadIdx.x * 16, step, dry, cycles, [&](const char* from) {
        uint4 v;
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from) : "memory");
        if ((v.x ^ v.y ^ v.z ^ v.w) == 0xdeadbeef) asm volatile("trap;");
    });
}

template <int Left>
__global__ void flight(const char* data, uint32_t step, uint32_t dry, uint32_t* cycles) {
    __shared__ __align__(16) char tile[8 * kLine];
    const uint32_t to = address(tile) + threadIdx.x * 16;
    at_places(data + threadIdx.x * 16, step, dry, cycles, [&](const char* from) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            copy<16, true>(to + i * kLine, from + i * kLine);
            commit();
        }
        wait_group<Left>();
    });
}

template <int Left>
__global__ void order(const char* data, uint32_t step, uint32_t dry, uint32_t* cycles) {
    __shared__ __align__(16) char tile[4 * kLine];
    const uint32_t to = address(tile) + threadIdx.x * 16;
    at_places(data + threadIdx.x * 16, step, dry, cycles, [&](const char* from) {
        copy<16, true>(to, from);
        commit();
#pragma unroll
        for (int i = 1; i < 4; ++i) {
            copy<4, false>(to + i * kLine, from + i * kLine);
            commit();
        }
        wait_group<Left>();
    });
}

template <int Copies>
__global__ void copies_arrive(const char* data, uint32_t step, uint32_t dry, uint32_t* cycles) {
    __shared__ __align__(16) char tile[32 * kLine];
    __shared__ uint64_t barrier;
    const uint32_t to = address(tile) + threadIdx.x * 16, at = address(&barrier);
    uint32_t phase = 0;
    if (threadIdx.x == 0) init(at, 32);
    __syncthreads();
    at_places(data + threadIdx.x * 16, step, dry, cycles, [&](const char* from) {
#pragma unroll
        for (int i = 0; i < Copies; ++i) copy<16, true>(to + i * kLine, from + i * kLine);
        arrive_with_copies(at);
        wait_phase<true>(at, phase);
        phase ^= 1;
    });
}

constexpr int kChain = 16;

/// Each arrival's address depends on the state that the one before returned. A barrier for each lane.
__global__ void arrivals_chain(uint32_t zero, uint32_t* cycles) {
    __shared__ uint64_t barriers[32];
    uint32_t at = address(&barriers[threadIdx.x]);
    init(at, 1);
    __syncthreads();
    uint64_t start = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        start = bench::now();
#pragma unroll
        for (int i = 0; i < kChain; ++i) at += static_cast<uint32_t>(arrive(at) >> 32) & zero;
        end = bench::now();
    }
    if (threadIdx.x == 0) cycles[0] = static_cast<uint32_t>(end - start), cycles[1] = at;
}

template <bool Try>
__global__ void checks_chain(uint32_t* cycles) {
    __shared__ uint64_t barrier;
    uint32_t at = address(&barrier);
    if (threadIdx.x == 0) init(at, blockDim.x);
    __syncthreads();
    arrive_only(at);
    wait_phase<false>(at, 0);
    uint64_t start = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        start = bench::now();
#pragma unroll
        for (int i = 0; i < kChain; ++i) at += is_over<Try>(at, 0) - 1;
        end = bench::now();
    }
    if (threadIdx.x == 0) cycles[0] = static_cast<uint32_t>(end - start), cycles[1] = at;
}

__global__ void arrivals(uint32_t* cycles) {
    __shared__ uint64_t barrier;
    const uint32_t at = address(&barrier);
    if (threadIdx.x == 0) init(at, 1 << 18);
    __syncthreads();
    uint64_t start = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        start = bench::now();
#pragma unroll
        for (int i = 0; i < 4 * kChain; ++i) arrive_only(at);
        end = bench::now();
    }
    if (threadIdx.x == 0) cycles[0] = static_cast<uint32_t>(end - start);
}

/// Warp 0 arrives, warp 1 waits for it.
template <bool Try>
__global__ void wake(uint32_t chain, float factor, uint32_t* cycles) {
    __shared__ uint64_t barrier, times[2];
    const uint32_t at = address(&barrier);
    if (threadIdx.x == 0) init(at, 32);
    float x = factor;
    uint32_t phase = 0;
#pragma unroll 1
    for (int round = 0; round < 3; ++round, phase ^= 1) {
        __syncthreads();
        if (threadIdx.x < 32) {
#pragma unroll 1
            for (uint32_t i = 0; i < chain; i += 8)
#pragma unroll
                for (int j = 0; j < 8; ++j) x = x * factor + 1.0f;
            if (x == 12345.0f) asm volatile("trap;");
            uint64_t time = bench::now();
            arrive_only(at);
            if (threadIdx.x == 0) times[0] = time;
        } else {
            wait_phase<Try>(at, phase);
            uint64_t time = bench::now();
            if (threadIdx.x == 32) times[1] = time;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) cycles[0] = static_cast<uint32_t>(times[1] - times[0]);
}

/// Warp 0 arrives, all others wait for it; each counts its checks.
template <bool Try>
__global__ void wakes(uint32_t chain, float factor, uint32_t* cycles) {
    __shared__ uint64_t barrier, times[32];
    __shared__ uint32_t checks[32];
    const uint32_t at = address(&barrier), warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (threadIdx.x == 0) init(at, 32);
    float x = factor;
    uint32_t phase = 0;
#pragma unroll 1
    for (int round = 0; round < 3; ++round, phase ^= 1) {
        uint32_t count = 1;
        __syncthreads();
        uint64_t time = 0;
        if (warp == 0) {
#pragma unroll 1
            for (uint32_t i = 0; i < chain; i += 8)
#pragma unroll
                for (int j = 0; j < 8; ++j) x = x * factor + 1.0f;
            if (x == 12345.0f) asm volatile("trap;");
            time = bench::now();
            arrive_only(at);
        } else {
#pragma unroll 1
            while (is_over<Try>(at, phase) == 0) ++count;
            time = bench::now();
        }
        if (threadIdx.x % 32 == 0) times[warp] = time, checks[warp] = count;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    uint32_t first = ~0u, last = 0, most = 0;
    for (uint32_t i = 1; i < warps; ++i) {
        const auto taken = static_cast<uint32_t>(times[i] - times[0]);
        first = min(first, taken), last = max(last, taken), most = max(most, checks[i]);
    }
    cycles[0] = first, cycles[1] = last, cycles[2] = most;
}

/// One TRYWAIT of a phase that does not end.
template <bool Hint>
__global__ void limit(uint32_t nanoseconds, uint32_t* cycles) {
    __shared__ uint64_t barrier;
    const uint32_t at = address(&barrier);
    if (threadIdx.x == 0) init(at, 32);
    __syncthreads();
    uint64_t start = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        uint32_t over = 0;
        start = bench::now();
        if (Hint) {
#ifdef HAS_TRY_WAIT
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0, %2; selp.u32 %0, 1, 0, p;}"
                         : "=r"(over) : "r"(at), "r"(nanoseconds) : "memory");
#endif
        } else {
            over = is_over<true>(at, 0);
        }
        if (over != 0) asm volatile("trap;");
        end = bench::now();
    }
    if (threadIdx.x == 0) cycles[0] = static_cast<uint32_t>(end - start);
}

__global__ void all_arrive(uint32_t* cycles) {
    __shared__ uint64_t barrier;
    const uint32_t at = address(&barrier);
    if (threadIdx.x == 0) init(at, blockDim.x);
    uint64_t start = 0, end = 0;
    __syncthreads();
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        start = bench::now();
#pragma unroll
        for (uint32_t i = 0; i < kChain; ++i) {
            arrive_only(at);
            wait_phase<true>(at, i & 1);
        }
        end = bench::now();
    }
    if (threadIdx.x == 0) cycles[0] = static_cast<uint32_t>(end - start);
}

__device__ __forceinline__ float sum_of(const float4* tile, uint32_t thread) {
    float sum = 0;
#pragma unroll
    for (uint32_t i = 0; i < 8; ++i) {
        const float4 v = tile[(thread + 16 * i) % 128];
        sum += v.x * v.y + v.z * v.w;
    }
    return sum;
}

template <int Stages>
__global__ void __launch_bounds__(128) tiles(const char* data, int count, float* sums, bench::Life* lives) {
    __shared__ float4 stages[Stages][128];
    const uint32_t thread = threadIdx.x;
    data += blockIdx.x * static_cast<size_t>(count) * 2048;
    touch(data, static_cast<uint32_t>(count) * 2048);
    float sum = 0;
    uint64_t start = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        __syncthreads();
        start = bench::now();
#pragma unroll
        for (int s = 0; s < Stages - 1; ++s) {
            copy<16, true>(address(&stages[s][thread]), data + s * 2048 + thread * 16);
            commit();
        }
#pragma unroll 1
        for (int tile = 0; tile < count; ++tile) {
            const int next = tile + Stages - 1;
            if (next < count) copy<16, true>(address(&stages[next % Stages][thread]), data + next * 2048 + thread * 16);
            commit();
            wait_group<Stages - 1>();
            __syncthreads();
            sum += sum_of(stages[tile % Stages], thread);
            __syncthreads();
        }
        end = bench::now();
    }
    sums[blockIdx.x * 128 + thread] = sum;
    if (thread == 0) lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
}

/// Warp 4 copies; a lane's copies are a stage's lines t, t + 32, ...
template <int Stages>
__global__ void __launch_bounds__(160) ring(const char* data, int count, float* sums, bench::Life* lives) {
    __shared__ float4 stages[Stages][128];
    __shared__ uint64_t full[Stages], empty[Stages];
    const uint32_t thread = threadIdx.x;
    data += blockIdx.x * static_cast<size_t>(count) * 2048;
    if (thread < Stages) init(address(&full[thread]), 32), init(address(&empty[thread]), 128);
    touch(data, static_cast<uint32_t>(count) * 2048);
    float sum = 0;
    uint64_t start = bench::now();
    if (thread >= 128) {
#pragma unroll 1
        for (int tile = 0; tile < count; ++tile) {
            const int s = tile % Stages;
            if (tile >= Stages) wait_phase<true>(address(&empty[s]), (tile / Stages - 1) & 1);
#pragma unroll
            for (int i = 0; i < 4; ++i)
                copy<16, true>(address(&stages[s][thread - 128 + 32 * i]), data + tile * 2048 + (thread - 128 + 32 * i) * 16);
            arrive_with_copies(address(&full[s]));
        }
        wait_group<0>();
    } else {
#pragma unroll 1
        for (int tile = 0; tile < count; ++tile) {
            const int s = tile % Stages;
            wait_phase<true>(address(&full[s]), (tile / Stages) & 1);
            sum += sum_of(stages[s], thread);
            arrive_only(address(&empty[s]));
        }
        sums[blockIdx.x * 128 + thread] = sum;
    }
    uint64_t end = bench::now();
    if (thread == 0) lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
}

class Bench {
public:
    explicit Bench(const bench::Args& args)
        : count_(static_cast<int>(args.number("tiles", kTiles))),
          blocks_(static_cast<unsigned>(args.number("blocks", 1))),
          data_(std::max<std::size_t>(1 << 20, std::size_t{blocks_} * static_cast<std::size_t>(count_) * 2048)),
          cycles_(32), sums_(128 * blocks_), lives_(blocks_) {
        data_.clear();
    }

    template <class Kernel>
    void places(const std::string& id, Kernel kernel, int bytes, bool hits) {
        const uint32_t step = (static_cast<uint32_t>(bytes) + bench::kPlaceBytes - 1) / bench::kPlaceBytes * bench::kPlaceBytes;
        kernel<<<1, 32>>>(data_.get(), step, hits ? 0 : step * bench::kPlaces, cycles_.get());
        bench::finish();
        double sum = 0;
        const auto all = cycles_.download();
        for (uint32_t i = 0; i < bench::kPlaces; ++i) sum += all[i];
        bench::emit(id, sum / bench::kPlaces, "cycles");
    }
    template <int Bytes, bool Bypass>
    void groups(bool hits) {
        const std::string id = std::string("async.group.") + (Bypass ? "cg" : "ca") + std::to_string(Bytes) + (hits ? ".l1.n" : ".l2.n");
        places(id + "1", group<Bytes, Bypass, 1>, 32 * Bytes, hits);
        places(id + "2", group<Bytes, Bypass, 2>, 64 * Bytes, hits);
        places(id + "4", group<Bytes, Bypass, 4>, 128 * Bytes, hits);
        places(id + "8", group<Bytes, Bypass, 8>, 256 * Bytes, hits);
        places(id + "16", group<Bytes, Bypass, 16>, 512 * Bytes, hits);
        places(id + "32", group<Bytes, Bypass, 32>, 1024 * Bytes, hits);
    }
    void flights() {
        const auto one = [&](const char* id, auto kernel, bool hits) { places(id, kernel, 8 * kLine, hits); };
        one("async.flight.left7", flight<7>, false);
        one("async.flight.left6", flight<6>, false);
        one("async.flight.left4", flight<4>, false);
        one("async.flight.left1", flight<1>, false);
        one("async.flight.left0", flight<0>, false);
        one("async.order.left3", order<3>, true);
        one("async.order.left2", order<2>, true);
        one("async.order.left0", order<0>, true);
    }
    template <class Kernel, class... Arguments>
    void chain(const std::string& id, Kernel kernel, unsigned threads, double operations, Arguments... arguments) {
        kernel<<<1, threads>>>(arguments..., cycles_.get());
        bench::finish();
        bench::emit(id, cycles_.download()[0] / operations, "cycles");
    }
    template <class Kernel>
    void waiting(const std::string& id, Kernel test, Kernel tries, unsigned threads, uint32_t length, bool polls) {
        for (const bool with_try : {false, true}) {
            (with_try ? tries : test)<<<1, threads>>>(length, 0.5f, cycles_.get());
            bench::finish();
            const auto taken = cycles_.download();
            const std::string way = with_try ? "try." : "test.";
            if (polls) {
                bench::emit("mbar.polls." + way + id, taken[2], "checks");
            } else {
                bench::emit("mbar.wakes." + way + id + ".first", taken[0], "cycles");
                bench::emit("mbar.wakes." + way + id + ".last", taken[1], "cycles");
            }
        }
    }
    void barriers() {
        chain("mbar.arrive.lanes1", arrivals_chain, 1, kChain, 0u);
        chain("mbar.arrive.lanes32", arrivals_chain, 32, kChain, 0u);
        chain("mbar.test", checks_chain<false>, 32, kChain);
        chain("mbar.try", checks_chain<true>, 32, kChain);
        chain("mbar.arrives.lanes1", arrivals, 1, 4 * kChain);
        chain("mbar.arrives.lanes32", arrivals, 32, 4 * kChain);
        for (long n : {64, 128, 256, 512, 1024}) {
            chain("mbar.wake.test.d" + std::to_string(n), wake<false>, 64, 1, static_cast<uint32_t>(n), 0.5f);
            chain("mbar.wake.try.d" + std::to_string(n), wake<true>, 64, 1, static_cast<uint32_t>(n), 0.5f);
        }
        for (long n : {64, 256, 1024, 4096, 16384})
            waiting("d" + std::to_string(n), wakes<false>, wakes<true>, 64, static_cast<uint32_t>(n), true);
        for (unsigned warps : {1u, 2u, 4u, 8u, 16u, 31u})
            waiting("w" + std::to_string(warps), wakes<false>, wakes<true>, 32 * (warps + 1), 1024u, false);
        chain("mbar.limit.h0", limit<false>, 32, 1, 0u);
        for (unsigned hint : {100u, 1000u, 10000u, 100000u})
            chain("mbar.limit.h" + std::to_string(hint), limit<true>, 32, 1, hint);
        for (unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u})
            chain("mbar.all.w" + std::to_string(warps), all_arrive, 32 * warps, kChain);
        places("mbar.copy.n1", copies_arrive<1>, kLine, false);
        places("mbar.copy.n4", copies_arrive<4>, 4 * kLine, false);
        places("mbar.copy.n32", copies_arrive<32>, 32 * kLine, false);
    }
    template <class Kernel>
    void pipeline(const std::string& id, Kernel kernel, unsigned threads) {
        kernel<<<blocks_, threads>>>(data_.get(), count_, sums_.get(), lives_.get());
        bench::finish();
        const bench::Life life = lives_.download()[0];
        bench::emit(id, static_cast<double>(life.end - life.start) / count_, "cycles");
    }
    void pipelines() {
        pipeline("async.tiles.s1", tiles<1>, 128);
        pipeline("async.tiles.s2", tiles<2>, 128);
        pipeline("async.tiles.s3", tiles<3>, 128);
        pipeline("async.tiles.s4", tiles<4>, 128);
        pipeline("async.ring.s1", ring<1>, 160);
        pipeline("async.ring.s2", ring<2>, 160);
        pipeline("async.ring.s3", ring<3>, 160);
        pipeline("async.ring.s4", ring<4>, 160);
    }
    void all() {
        places("async.group.empty", group<4, false, 0>, 128, true);
        places("async.load16.l2", load16, kLine, false);
        groups<4, false>(true);
        groups<8, false>(true);
        groups<16, false>(true);
        groups<4, false>(false);
        groups<8, false>(false);
        groups<16, false>(false);
        groups<16, true>(false);
        flights();
        barriers();
        pipelines();
    }

private:
    int count_;
    unsigned blocks_;
    bench::Buffer<char> data_;
    bench::Buffer<uint32_t> cycles_;
    bench::Buffer<float> sums_;
    bench::Buffer<bench::Life> lives_;
};

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    if (bench::device().major < 9) return 0;  // there are no copies of this kind before 8.0, and no waits for barriers before 9.0
    Bench(args).all();
    return 0;
}
