// SPDX-License-Identifier: Apache-2.0
//
// L1 load bandwidth (T4 report section 4.1): every warp of one SM reads a whole L1-resident array.
// `l1d.bw<bits>` for 32-, 64- and 128-bit loads per lane, bytes per cycle and SM. `l1stride.f32.s<k>`: cycles per warp
// load when lanes are k words apart (L1 hits), all warps at the same words. `l1stride.shifted.f32.s<k>`: the same as RRZE's
// gpu-strides has it: 128 threads side by side, as its published numbers tell, and eight loads that begin 0, 4, ... 28 words
// into a line, so that lanes reach one line more. `l1d.bw.<KiB>`: 128-bit loads over the size of the array.
// `l1d.scan<bits>`: the loop that the T4 and V100 reports print, in which every warp of a block scans an array and adds up
// what it loads. They do not say how large the array is; here each of 1024 threads has one element.
#include "bandwidth.h"

namespace {

constexpr int kLoads = 64;
constexpr int kStrideLoads = 512;  // long enough for start and end not to count

template <int Words>
__device__ __forceinline__ uint32_t load(const uint32_t* at) {
    uint32_t a = 0;
    uint32_t b = 0;
    uint32_t c = 0;
    uint32_t d = 0;
    if (Words == 1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(at));
    if (Words == 2) asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(at));
    if (Words == 4) {
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at));
    }
    return a ^ b ^ c ^ d;
}

// Thread t of each Threads reads at t * stride words (a multiple of Words); Count loads, 8 in flight, Apart words apart. The
// base moves by `move` words every other time so that the assembler cannot merge loads.
template <int Words, int Count, int Threads, int Apart>
__global__ void loads(const uint32_t* data, uint32_t stride, uint32_t move, uint32_t* sink, bench::Life* lives) {
    const uint32_t* at = data + threadIdx.x % Threads * stride;
    uint32_t sum = 0;
    uint64_t start = 0;
    uint64_t end = 0;
#pragma unroll 1
    for (int round = 0; round < 3; ++round) {
        __syncthreads();
        start = bench::now();
#pragma unroll 1
        for (uint32_t i = 0; i < Count / 8; ++i) {
            uint32_t v[8];
#pragma unroll
            for (int u = 0; u < 8; ++u) v[u] = load<Words>(at + i % 2 * move + u * Apart);
#pragma unroll
            for (int u = 0; u < 8; ++u) sum ^= v[u];
        }
        __syncthreads();
        end = bench::now();
    }
    sink[threadIdx.x] = sum;
    if (threadIdx.x == 0) lives[0] = {start, end, bench::sm_id(), 0};
}

template <int Words, int Count, bool Shifted = false>
double cycles_per_load(const bench::Buffer<uint32_t>& data, long stride) {
    bench::Buffer<uint32_t> sink(1024);
    bench::Buffer<bench::Life> lives(1);
    auto kernel = Shifted ? loads<Words, Count, 128, 4 * Words> : loads<Words, Count, 32, 1024>;
    kernel<<<1, 1024>>>(data.get(), static_cast<uint32_t>(stride), 4096, sink.get(), lives.get());
    bench::finish();
    return static_cast<double>(bench::span(lives.download())) / (32.0 * Count);
}

__device__ __forceinline__ void add_loaded(float& sum, const float* at) {
    asm volatile("{.reg .f32 d; ld.global.ca.f32 d, [%1]; add.f32 %0, d, %0;}" : "+f"(sum) : "l"(at) : "memory");
}
__device__ __forceinline__ void add_loaded(double& sum, const double* at) {
    asm volatile("{.reg .f64 d; ld.global.ca.f64 d, [%1]; add.f64 %0, d, %0;}" : "+d"(sum) : "l"(at) : "memory");
}

constexpr uint32_t kScanThreads = 1024;
constexpr uint32_t kScanElements = 1024;

template <class T>
__global__ void scan(const T* data, T* sink, bench::Life* lives) {
    uint32_t thread = threadIdx.x;
    T sum = 0;
    for (uint32_t i = thread; i < kScanElements; i += kScanThreads) add_loaded(sum, data + i);
    __syncthreads();
    uint64_t start = bench::now();
    for (uint32_t i = 0; i < kScanElements; i += kScanThreads) {
        for (uint32_t j = 0; j < kScanThreads; j += 32) add_loaded(sum, data + i + (thread + j) % kScanThreads);
    }
    __syncthreads();
    uint64_t end = bench::now();
    sink[thread] = sum;
    if (thread == 0) lives[0] = {start, end, bench::sm_id(), 0};
}

template <class T>
double scanned_per_cycle() {
    bench::Buffer<T> data(kScanElements);
    bench::Buffer<T> sink(kScanThreads);
    bench::Buffer<bench::Life> lives(1);
    data.clear();
    scan<T><<<1, kScanThreads>>>(data.get(), sink.get(), lives.get());
    bench::finish();
    return static_cast<double>(kScanThreads / 32) * kScanElements * sizeof(T) / static_cast<double>(bench::span(lives.download()));
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    bench::Buffer<uint32_t> data(256 * 1024 / 4);
    data.clear();
    bench::emit("l1d.bw32", 128 / cycles_per_load<1, kLoads>(data, 1), "B/cycle/SM");
    bench::emit("l1d.bw64", 256 / cycles_per_load<2, kLoads>(data, 2), "B/cycle/SM");
    bench::emit("l1d.scan32", scanned_per_cycle<float>(), "B/cycle/SM");
    bench::emit("l1d.scan64", scanned_per_cycle<double>(), "B/cycle/SM");
    bench::emit("l1d.bw128", 512 / cycles_per_load<4, kLoads>(data, 4), "B/cycle/SM");
    for (long stride : args.list("strides", "0,1,2,3,4,5,8,16", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,20,24,31,32")) {
        bench::emit("l1stride.f32.s" + std::to_string(stride), cycles_per_load<1, kStrideLoads>(data, stride), "cycles/warp-load/SM");
    }
    for (long stride : args.list("shifted", "3", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15")) {
        bench::emit("l1stride.shifted.f32.s" + std::to_string(stride), cycles_per_load<1, kStrideLoads, true>(data, stride),
                    "cycles/warp-load/SM");
    }
    for (long stride : args.list("strides64", "0,2,4", "0,2,4,6,8,16,32")) {
        bench::emit("l1stride.f64.s" + std::to_string(stride / 2), cycles_per_load<2, kStrideLoads>(data, stride), "cycles/warp-load/SM");
    }
    bench::Buffer<uint32_t> sink(1);
    bench::Buffer<bench::Life> lives(1);
    for (long kib : args.list("kib", "16,64", "16,32,64,96,128,160,176,192,208,224,240,256")) {
        auto count = static_cast<uint32_t>(kib * 1024 / 16);
        int passes = static_cast<int>(args.number("passes", 2, 16));
        bandwidth::read_all<bandwidth::Path::ca><<<1, 256>>>(reinterpret_cast<const uint4*>(data.get()), count, 0, passes,
                                                             sink.get(), lives.get());
        bench::finish();
        double cycles = static_cast<double>(bench::span(lives.download()));
        bench::emit("l1d.bw." + std::to_string(kib), static_cast<double>(kib) * 1024 * passes / cycles, "B/cycle/SM");
    }
    return 0;
}
