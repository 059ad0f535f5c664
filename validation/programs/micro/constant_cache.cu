// SPDX-License-Identifier: Apache-2.0
//
// Constant caches: a chain of LDC over a growing working set (`const.chase.s<stride>.<bytes>`), and the cost of a load
// in which the lanes of the warp read `n` different words (`const.distinct.<n>`): one pass for each. `constl2.latency`: a
// chain of words, 1 KiB apart, that the SM reads for the first time in a launch: they are in the L2, and in no cache before.
#include "bench.h"

namespace {

constexpr int kWords = 16 * 1024;
__constant__ uint32_t table[kWords];

// table[i] is the index of the next word: LDC R, c[3][R] with a shift folded in by storing byte offsets.
__device__ __forceinline__ uint32_t read(uint32_t offset) {
    return *reinterpret_cast<const uint32_t*>(reinterpret_cast<const char*>(table) + offset);
}

__global__ void walk(uint32_t hops, uint64_t* result) {
    uint64_t start = 0;
    uint64_t end = 0;
#pragma unroll 1
    for (int round = 0; round < 2; ++round) {
        uint32_t at = 0;
        start = bench::now();
#pragma unroll 64
        for (uint32_t hop = 0; hop < hops; ++hop) at = read(at);
        result[1] = at;
        end = bench::now();
    }
    result[0] = end - start;
}

constexpr uint32_t kFirst = 63;

// In the first turn at word 0, which leads to itself, so that the code is in the caches; then along the chain.
__global__ void walk_first(uint32_t chain, uint64_t* result) {
    uint64_t start = 0;
    uint64_t end = 0;
#pragma unroll 1
    for (uint32_t round = 0; round < 2; ++round) {
        uint32_t at = round * chain;
        start = bench::now();
#pragma unroll
        for (uint32_t hop = 0; hop < kFirst; ++hop) at = read(at);
        result[1] = at;
        end = bench::now();
    }
    result[0] = end - start;
}

// Lane l reads word (l mod distinct) * 16; each word holds its own offset.
__global__ void spread(uint32_t distinct, uint64_t* result) {
    uint32_t at = threadIdx.x % distinct * 64;
    uint64_t start = 0;
    uint64_t end = 0;
#pragma unroll 1
    for (int round = 0; round < 3; ++round) {
        start = bench::now();
#pragma unroll
        for (int hop = 0; hop < 32; ++hop) at = read(at);
        result[threadIdx.x] = at;
        end = bench::now();
    }
    if (threadIdx.x == 0) result[0] = end - start;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    bench::Buffer<uint64_t> result(32);
    std::vector<uint32_t> host(kWords);
    std::vector<long> sizes = args.list("bytes", "512,1024,1536,2048,2304,2560,3072,4096,8192,16384,32768,65536",
                                        "256,512,1024,1280,1536,1792,1920,2048,2112,2176,2304,2432,2560,2816,3072,3584,4096,"
                                        "6144,8192,12288,16384,20480,24576,28672,32768,36864,40960,45056,49152,53248,57344,"
                                        "61440,65536");
    for (uint32_t stride : {64u, 256u}) {
        std::vector<std::pair<double, double>> curve;
        for (long bytes : sizes) {
            auto count = static_cast<uint32_t>(bytes) / stride;
            if (count < 2) continue;
            for (uint32_t i = 0; i < count; ++i) host[i * stride / 4] = (i + 1) % count * stride;
            CUDA_OK(cudaMemcpyToSymbol(table, host.data(), host.size() * 4));
            uint32_t hops = std::max<uint32_t>(count, 64) / 64 * 64;
            walk<<<1, 1>>>(hops, result.get());
            bench::finish();
            double latency = static_cast<double>(result.download()[0]) / hops;
            bench::emit("const.chase.s" + std::to_string(stride) + "." + std::to_string(bytes), latency, "cycles");
            curve.push_back({static_cast<double>(bytes) / 1024, latency});
            if (stride == 64 && bytes == 512) {
                bench::emit("constl1.latency", latency, "cycles");
                // A long walk less a short one, without what is around them.
                auto taken = [&](uint32_t count) {
                    walk<<<1, 1>>>(count, result.get());
                    bench::finish();
                    return static_cast<double>(result.download()[0]);
                };
                bench::emit("constl1.chain", (taken(1024) - taken(512)) / 512, "cycles");
            }
            if (stride == 64 && bytes == 16384) bench::emit("constl15.latency", latency, "cycles");
            if (stride == 64 && bytes == 65536) bench::emit("const.64kib.latency", latency, "cycles");
        }
        // Kernel parameters share the cache, so a few misses in the last size are allowed.
        if (stride == 64) bench::emit("constl1.size", bench::plateau_end(curve, 0, 0.5), "KiB");
    }
    host[0] = 0;
    for (uint32_t i = 1; i <= kFirst; ++i) host[i * 256] = (i + 1) % (kFirst + 1) * 1024;
    // The first launch brings them to the L2, if copying did not; the copy takes them out of the caches of the SM.
    for (int launch = 0; launch < 2; ++launch) {
        CUDA_OK(cudaMemcpyToSymbol(table, host.data(), host.size() * 4));
        walk_first<<<1, 1>>>(1024, result.get());
        bench::finish();
    }
    bench::emit("constl2.latency", static_cast<double>(result.download()[0]) / kFirst, "cycles");
    for (uint32_t i = 0; i < 32; ++i) host[i * 16] = i * 64;
    CUDA_OK(cudaMemcpyToSymbol(table, host.data(), host.size() * 4));
    for (uint32_t distinct : {1u, 2u, 4u, 8u, 16u, 32u}) {
        spread<<<1, 32>>>(distinct, result.get());
        bench::finish();
        bench::emit("const.distinct." + std::to_string(distinct), static_cast<double>(result.download()[0]) / 32,
                    "cycles");
    }
    return 0;
}
