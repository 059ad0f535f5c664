// SPDX-License-Identifier: Apache-2.0
//
// A sum for each block of 256 threads, in twelve ways: atomics in shared memory, trees in shared memory, shuffles.
#include "../volta-turing/row.h"

namespace {

constexpr int kThreads = 256;
using Kernel = void (*)(const int* __restrict__, int* __restrict__, int);

__device__ int global_thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

/// Each thread puts its element, or 0 behind the end, into its word of shared memory.
__device__ void fetch(int* sums, const int* in, int n) {
    const int i = global_thread();
    sums[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
}

/// Levels of a tree whose partners are further apart than `last`.
__device__ void halve(int* sums, int last) {
    for (int apart = static_cast<int>(blockDim.x >> 1); apart > last; apart >>= 1) {
        if (static_cast<int>(threadIdx.x) < apart) sums[threadIdx.x] += sums[threadIdx.x + apart];
        __syncthreads();
    }
}

__device__ void add_below(int* sums, int lanes) {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < lanes) sums[thread] += sums[thread + lanes];
    __syncwarp();
}

__device__ void last_levels(int* sums) {
    for (int lanes : {32, 16, 8, 4, 2, 1}) add_below(sums, lanes);
}

__global__ void atomic_global(const int* __restrict__ in, int* __restrict__ out, int n) {
    extern __shared__ int sums[];
    if (threadIdx.x == 0) sums[0] = 0;
    __syncthreads();
    const int i = global_thread();
    int value = 0;
    if (i < n) value = in[i];
    atomicAdd(&sums[0], value);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void atomic_per_block(const int* __restrict__ in, int* __restrict__ out, int n) {
    __shared__ int total;
    extern __shared__ int sums[];
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    fetch(sums, in, n);
    atomicAdd(&total, sums[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}

__global__ void interleaved_conflicts(const int* __restrict__ in, int* __restrict__ out, int n) {
    extern __shared__ int sums[];
    fetch(sums, in, n);
    for (int apart = 1; apart < static_cast<int>(blockDim.x); apart <<= 1) {
        const int at = 2 * apart * static_cast<int>(threadIdx.x);
        if (at < static_cast<int>(blockDim.x)) sums[at] += sums[at + apart];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void interleaved_divergent(const int* __restrict__ in, int* __restrict__ out, int n) {
    extern __shared__ int sums[];
    const int thread = static_cast<int>(threadIdx.x);
    fetch(sums, in, n);
    for (int apart = 1; apart < static_cast<int>(blockDim.x); apart <<= 1) {
        if (thread % (2 * apart) == 0) sums[thread] += sums[thread + apart];
        __syncthreads();
    }
    if (thread == 0) out[blockIdx.x] = sums[0];
}

__global__ void sequential(const int* __restrict__ in, int* __restrict__ out, int n) {
    extern __shared__ int sums[];
    fetch(sums, in, n);
    halve(sums, 0);
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void two_elements(const int* __restrict__ in, int* __restrict__ out, int n) {
    extern __shared__ int sums[];
    const int thread = static_cast<int>(threadIdx.x);
    sums[thread] = 0;
    __syncthreads();
    const int first = static_cast<int>(blockIdx.x) * 2 * static_cast<int>(blockDim.x) + thread;
    if (first >= n) return;  // so that of four elements four threads remain, as in the measured row
#pragma unroll
    for (int part = 0; part < 2; ++part) {
        const int i = first + part * static_cast<int>(blockDim.x);
        if (i < n) sums[thread] += in[i];
    }
    __syncthreads();
    halve(sums, 0);
    if (thread == 0) out[blockIdx.x] = sums[0];
}

__global__ void two_elements_strided(const int* __restrict__ in, int* __restrict__ out, int n) {
    extern __shared__ int sums[];
    const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    sums[thread] = 0;
    __syncthreads();
    const int step = static_cast<int>(gridDim.x) * 2 * threads;
    for (int i = static_cast<int>(blockIdx.x) * 2 * threads + thread; i < n; i += step) {
        const int first = in[i];
        sums[thread] += first + (i + threads < n ? in[i + threads] : 0);
    }
    __syncthreads();
    halve(sums, 0);
    if (thread == 0) out[blockIdx.x] = sums[0];
}

__global__ void unroll_fully(const int* __restrict__ in, int* __restrict__ out, int n) {
    extern __shared__ int sums[];
    const int thread = static_cast<int>(threadIdx.x);
    const int i = static_cast<int>(blockIdx.x) * kThreads + thread;
    sums[thread] = i < n ? in[i] : 0;
    __syncthreads();
    if (thread < 128) sums[thread] += sums[thread + 128];
    __syncthreads();
    if (thread < 64) sums[thread] += sums[thread + 64];
    __syncthreads();
    if (thread < 32) last_levels(sums);
    if (thread == 0) out[blockIdx.x] = sums[0];
}

__global__ void unroll_last_warp(const int* __restrict__ in, int* __restrict__ out, int n) {
    extern __shared__ int sums[];
    fetch(sums, in, n);
    halve(sums, 32);
    last_levels(sums);
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

enum class Way { down, up, exchange };

/// The last 64 partial sums by shuffles of the first warp.
template <Way kWay>
__device__ void shuffled(const int* in, int* out, int n) {
    extern __shared__ int sums[];
    const int thread = static_cast<int>(threadIdx.x);
    fetch(sums, in, n);
    halve(sums, 32);
    if (thread >= 32) return;
    sums[thread] += sums[thread + 32];
    int sum = sums[thread];
#pragma unroll
    for (int level = 0; level < 5; ++level) {
        const int apart = 16 >> level;
        if (kWay == Way::down) sum += __shfl_down_sync(0xffffffffu, sum, apart);
        if (kWay == Way::up) sum += __shfl_up_sync(0xffffffffu, sum, apart);
        if (kWay == Way::exchange) sum += __shfl_xor_sync(0xffffffffu, sum, 1 << level);
    }
    if (thread == (kWay == Way::up ? 31 : 0)) out[blockIdx.x] = sum;
}

__global__ void shuffle_down(const int* __restrict__ in, int* __restrict__ out, int n) { shuffled<Way::down>(in, out, n); }
__global__ void shuffle_up(const int* __restrict__ in, int* __restrict__ out, int n) { shuffled<Way::up>(in, out, n); }
__global__ void shuffle_xor(const int* __restrict__ in, int* __restrict__ out, int n) { shuffled<Way::exchange>(in, out, n); }

struct Choice {
    const char* name;
    Kernel kernel;
    int elements;  // of a thread
};

const Choice kChoices[] = {{"atomic_global", atomic_global, 1},
                           {"atomic_per_block", atomic_per_block, 1},
                           {"interleaved_conflicts", interleaved_conflicts, 1},
                           {"interleaved_divergent", interleaved_divergent, 1},
                           {"sequential", sequential, 1},
                           {"two_elements", two_elements, 2},
                           {"two_elements_strided", two_elements_strided, 2},
                           {"unroll_fully", unroll_fully, 1},
                           {"unroll_last_warp", unroll_last_warp, 1},
                           {"shuffle_down", shuffle_down, 1},
                           {"shuffle_up", shuffle_up, 1},
                           {"shuffle_xor", shuffle_xor, 1}};

}  // namespace

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "sequential", 8192);
    for (const Choice& choice : kChoices) {
        if (!options.is(choice.name)) continue;
        const std::vector<int> ones(static_cast<std::size_t>(options.n), 1);
        const int share = kThreads * choice.elements;
        const unsigned blocks = row::blocks(options.n, share);
        row::Buffer<int> in(ones), out(blocks);
        choice.kernel<<<blocks, kThreads, kThreads * sizeof(int)>>>(in.get(), out.get(), options.n);
        bench::finish();
        std::vector<int> want(blocks, share);
        want.back() = options.n - static_cast<int>(blocks - 1) * share;
        app.check(out.download(), want, 0);
        return app.finish();
    }
    options.unknown("the kernels that block_sums.cu lists in kChoices");
}
