// SPDX-License-Identifier: Apache-2.0
//
// How the memory pipe takes back-to-back loads (Huerta et al., MICRO 2025, Table 1): cycles between two clock reads with n
// independent loads between them, for 1 to 4 active processing blocks. `memissue.<global|shared>.blocks<k>.n<n>`: the
// largest of the active warps. Differences of neighbouring n give the issue cycle of the n-th load.
#include "bench.h"

namespace {

template <int N, bool Shared>
__global__ void issue(const uint32_t* data, uint32_t* sink, bench::Life* lives) {
    __shared__ uint32_t room[2048];
    for (uint32_t i = threadIdx.x; i < 2048; i += blockDim.x) room[i] = i;
    auto shared = static_cast<uint32_t>(__cvta_generic_to_shared(room + threadIdx.x % 32));
    const uint32_t* at = data + threadIdx.x % 32;
    uint32_t v[N];
    uint32_t ready = 0;
    uint32_t use = 0;
    uint64_t start = 0;
    uint64_t end = 0;
#pragma unroll 1
    for (int round = 0; round < 4; ++round) {
        __syncthreads();
        // A clock read slips past the barrier before it: wait for something that comes behind it.
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(ready) : "r"(shared) : "memory");
        asm volatile("mad.lo.u32 %0, %0, 5, %1;" : "+r"(use) : "r"(ready) : "memory");
        start = bench::now();
#pragma unroll
        for (int i = 0; i < N; ++i) {
            if (Shared) {
                asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[i]) : "r"(shared + i * 128) : "memory");
            } else {
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[i]) : "l"(at + i * 32) : "memory");
            }
        }
        end = bench::now();
        uint32_t sum = use;
#pragma unroll
        for (int i = 0; i < N; ++i) sum ^= v[i];
        sink[threadIdx.x] = sum;
    }
    if (threadIdx.x % 32 == 0) lives[threadIdx.x / 32] = {start, end, bench::sm_id(), 0};
}

template <int N, bool Shared>
void report(const bench::Buffer<uint32_t>& data, const bench::Buffer<uint32_t>& sink) {
    for (int blocks = 1; blocks <= 4; ++blocks) {
        bench::Buffer<bench::Life> lives(static_cast<std::size_t>(blocks));
        issue<N, Shared><<<1, 32 * blocks>>>(data.get(), sink.get(), lives.get());
        bench::finish();
        uint64_t longest = 0;
        for (const bench::Life& life : lives.download()) longest = std::max(longest, life.end - life.start);
        bench::emit(std::string("memissue.") + (Shared ? "shared" : "global") + ".blocks" + std::to_string(blocks) + ".n" +
                        std::to_string(N),
                    static_cast<double>(longest), "cycles");
    }
}

template <bool Shared>
void all(const bench::Buffer<uint32_t>& data, const bench::Buffer<uint32_t>& sink) {
    report<1, Shared>(data, sink);
    report<2, Shared>(data, sink);
    report<3, Shared>(data, sink);
    report<4, Shared>(data, sink);
    report<5, Shared>(data, sink);
    report<6, Shared>(data, sink);
    report<7, Shared>(data, sink);
    report<8, Shared>(data, sink);
    report<12, Shared>(data, sink);
    report<16, Shared>(data, sink);
}

}  // namespace

int main() {
    bench::Buffer<uint32_t> data(4096);
    data.clear();
    bench::Buffer<uint32_t> sink(128);
    all<false>(data, sink);
    all<true>(data, sink);
    return 0;
}
