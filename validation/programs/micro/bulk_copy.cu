// SPDX-License-Identifier: Apache-2.0
//
// Bulk copies from global to shared memory (cp.async.bulk, sm_90), whose bytes complete a phase of a barrier in shared memory. Their PTX
// needs CUDA 12 or later: compiled by an earlier one, the program measures nothing.
// `bulk.copy.b<bytes>`: from a thread's arrival that expects the bytes until it continues behind the copy, of lines in the L2, not in the
// L1; `bulk.copies.n<k>`: k copies of 1 KiB; `bulk.issue.n<k>`: until the k copies have issued; `bulk.expect`: an arrival that expects bytes,
// of a chain; `bulk.lanes`: 32 lanes copy 512 bytes each; `bulk.ring.s<n>`: cycles per tile of 2 KiB that a warp copies for four others,
// n stages ahead.
#include "async.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#if CUDART_VERSION >= 12000
#define HAS_BULK_COPIES 1
#endif
#endif

namespace {

constexpr uint32_t kMost = 32768;
constexpr int kChain = 16;

__device__ __forceinline__ uint64_t arrive_expect(uint32_t barrier, uint32_t bytes) {
    uint64_t state = 0;
#ifdef HAS_BULK_COPIES
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], %2;" : "=l"(state) : "r"(barrier), "r"(bytes) : "memory");
#endif
    return state;
}
__device__ __forceinline__ void bulk_copy(uint32_t to, const char* from, uint32_t bytes, uint32_t barrier) {
#ifdef HAS_BULK_COPIES
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes),
                 "r"(barrier) : "memory");
#endif
}
/// A warp whose first `lanes` threads make `copies` copies of `bytes` each; the second round counts.
__global__ void copies(const char* data, uint32_t step, uint32_t bytes, uint32_t count, uint32_t lanes, uint32_t* cycles) {
    extern __shared__ __align__(128) char tile[];
    __shared__ uint64_t barrier;
    const uint32_t at = address(&barrier), lane = threadIdx.x;
    uint32_t phase = 0, sum = 0, issue = 0;
    if (lane == 0) init(at, lanes);
    touch(data, step * bench::kPlaces);
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        sum = issue = 0;
#pragma unroll 1
        for (uint32_t place = 0; place < bench::kPlaces; ++place, phase ^= 1) {
            const char* from = data + place * step;
            __syncwarp();
            uint64_t start = bench::now();
            if (lane < lanes) {
                arrive_expect(at, count * bytes);
#pragma unroll 1
                for (uint32_t i = 0; i < count; ++i) {
                    const uint32_t offset = (lane * count + i) * bytes;
                    bulk_copy(address(tile) + offset, from + offset, bytes, at);
                }
            }
            uint64_t issued = bench::now();
            wait_phase<true>(at, phase);
            uint64_t end = bench::now();
            sum += static_cast<uint32_t>(end - start);
            issue += static_cast<uint32_t>(issued - start);
        }
    }
    if (lane == 0) cycles[0] = sum, cycles[1] = issue;
}

/// Each arrival's address depends on the state that the one before returned. No bytes are expected.
__global__ void expects(uint32_t zero, uint32_t* cycles) {
    __shared__ uint64_t barrier;
    uint32_t at = address(&barrier);
    if (threadIdx.x == 0) init(at, 1);
    __syncthreads();
    uint64_t start = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        start = bench::now();
#pragma unroll
        for (int i = 0; i < kChain; ++i) at += static_cast<uint32_t>(arrive_expect(at, 0) >> 32) & zero;
        end = bench::now();
    }
    if (threadIdx.x == 0) cycles[0] = static_cast<uint32_t>(end - start), cycles[1] = at;
}

template <int Stages>
__global__ void __launch_bounds__(160) ring(const char* data, int count, float* sums, uint32_t* cycles) {
    __shared__ __align__(128) float4 stages[Stages][128];
    __shared__ uint64_t full[Stages], empty[Stages];
    const uint32_t thread = threadIdx.x;
    if (thread < Stages) init(address(&full[thread]), 1), init(address(&empty[thread]), 128);
    touch(data, static_cast<uint32_t>(count) * 2048);
    float sum = 0;
    uint64_t start = bench::now();
    if (thread >= 128) {
#pragma unroll 1
        for (int tile = 0; tile < count; ++tile) {
            const int s = tile % Stages;
            if (tile >= Stages) wait_phase<true>(address(&empty[s]), (tile / Stages - 1) & 1);
            if (thread == 128) {
                arrive_expect(address(&full[s]), 2048);
                bulk_copy(address(&stages[s][0]), data + tile * 2048, 2048, address(&full[s]));
            }
            __syncwarp();
        }
    } else {
#pragma unroll 1
        for (int tile = 0; tile < count; ++tile) {
            const int s = tile % Stages;
            wait_phase<true>(address(&full[s]), (tile / Stages) & 1);
#pragma unroll
            for (uint32_t i = 0; i < 8; ++i) {
                const float4 v = stages[s][(thread + 16 * i) % 128];
                sum += v.x * v.y + v.z * v.w;
            }
            arrive_only(address(&empty[s]));
        }
        sums[thread] = sum;
    }
    uint64_t end = bench::now();
    if (thread == 0) cycles[0] = static_cast<uint32_t>(end - start);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    if (CUDART_VERSION < 12000 || bench::device().major < 9) return 0;
    const auto tiles = static_cast<int>(args.number("tiles", 64));
    bench::Buffer<char> data(1 << 22);
    bench::Buffer<uint32_t> cycles(2);
    bench::Buffer<float> sums(128);
    data.clear();
    CUDA_OK(cudaFuncSetAttribute(copies, cudaFuncAttributeMaxDynamicSharedMemorySize, kMost));
    const auto copy = [&](const std::string& id, uint32_t bytes, uint32_t count, uint32_t lanes, unsigned which) {
        const uint32_t all = bytes * count * lanes, step = (all + bench::kPlaceBytes - 1) / bench::kPlaceBytes * bench::kPlaceBytes;
        copies<<<1, 32, kMost>>>(data.get(), step, bytes, count, lanes, cycles.get());
        bench::finish();
        bench::emit(id, static_cast<double>(cycles.download()[which]) / bench::kPlaces, "cycles");
    };
    for (uint32_t bytes = 16; bytes <= kMost; bytes *= 2) copy("bulk.copy.b" + std::to_string(bytes), bytes, 1, 1, 0);
    for (uint32_t count : {1u, 2u, 4u, 8u, 16u, 32u}) {
        copy("bulk.copies.n" + std::to_string(count), 1024, count, 1, 0);
        copy("bulk.issue.n" + std::to_string(count), 1024, count, 1, 1);
    }
    copy("bulk.lanes", 512, 1, 32, 0);
    expects<<<1, 1>>>(0, cycles.get());
    bench::finish();
    bench::emit("bulk.expect", static_cast<double>(cycles.download()[0]) / kChain, "cycles");
    const auto pipeline = [&](const std::string& id, auto kernel) {
        kernel<<<1, 160>>>(data.get(), tiles, sums.get(), cycles.get());
        bench::finish();
        bench::emit(id, static_cast<double>(cycles.download()[0]) / tiles, "cycles");
    };
    pipeline("bulk.ring.s1", ring<1>);
    pipeline("bulk.ring.s2", ring<2>);
    pipeline("bulk.ring.s4", ring<4>);
    return 0;
}
