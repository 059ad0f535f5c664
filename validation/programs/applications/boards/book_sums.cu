// SPDX-License-Identifier: Apache-2.0
//
// Sums of blocks as a textbook develops them: in place in global memory by neighbours or by halves, with the last warp unrolled,
// with several chunks added first, and the same in shared memory. threads= is the size of a block.
#include "../volta-turing/row.h"

namespace {

using Kernel = void (*)(int*, int*, unsigned);

__device__ unsigned position(unsigned chunks) { return blockIdx.x * blockDim.x * chunks + threadIdx.x; }

__global__ void neighbours(int* data, int* out, unsigned n) {
    const unsigned thread = threadIdx.x;
    int* mine = data + blockIdx.x * blockDim.x;
    if (position(1) >= n) return;
    for (int apart = 1; apart < blockDim.x; apart <<= 1) {
        if (thread % (2 * apart) == 0) mine[thread] += mine[thread + apart];
        __syncthreads();
    }
    if (thread == 0) out[blockIdx.x] = mine[0];
}

__global__ void neighbours_packed(int* data, int* out, unsigned n) {
    const unsigned thread = threadIdx.x;
    int* mine = data + blockIdx.x * blockDim.x;
    if (position(1) >= n) return;
    for (int apart = 1; apart < blockDim.x; apart <<= 1) {
        const int at = 2 * apart * static_cast<int>(thread);
        if (at < blockDim.x) mine[at] += mine[at + apart];
        __syncthreads();
    }
    if (thread == 0) out[blockIdx.x] = mine[0];
}

__device__ void halve(int* sums, int last) {
    for (int apart = static_cast<int>(blockDim.x >> 1); apart > last; apart >>= 1) {
        if (threadIdx.x < apart) sums[threadIdx.x] += sums[threadIdx.x + apart];
        __syncthreads();
    }
}

__device__ void unrolled_levels(int* sums) {
    const unsigned thread = threadIdx.x;
    if (blockDim.x >= 1024 && thread < 512) sums[thread] += sums[thread + 512];
    __syncthreads();
    if (blockDim.x >= 512 && thread < 256) sums[thread] += sums[thread + 256];
    __syncthreads();
    if (blockDim.x >= 256 && thread < 128) sums[thread] += sums[thread + 128];
    __syncthreads();
    if (blockDim.x >= 128 && thread < 64) sums[thread] += sums[thread + 64];
    __syncthreads();
}

/// The first warp's levels: its lanes go together, so each level finds what the one before has written.
__device__ void last_warp(int* sums) {
    const unsigned thread = threadIdx.x;
    if (thread >= 32) return;
    volatile int* seen = sums;
    seen[thread] += seen[thread + 32];
    seen[thread] += seen[thread + 16];
    seen[thread] += seen[thread + 8];
    seen[thread] += seen[thread + 4];
    seen[thread] += seen[thread + 2];
    seen[thread] += seen[thread + 1];
}

__global__ void halves(int* data, int* out, unsigned n) {
    int* mine = data + blockIdx.x * blockDim.x;
    if (position(1) >= n) return;
    halve(mine, 0);
    if (threadIdx.x == 0) out[blockIdx.x] = mine[0];
}

/// Adds the thread's elements of several chunks in place, if all are there.
template <int kChunks>
__device__ int* add_chunks(int* data, unsigned n) {
    const unsigned i = position(kChunks);
    if (i + (kChunks - 1) * blockDim.x < n) {
        int sum = data[i];
#pragma unroll
        for (int chunk = 1; chunk < kChunks; ++chunk) sum += data[i + static_cast<unsigned>(chunk) * blockDim.x];
        data[i] = sum;
    }
    __syncthreads();
    return data + blockIdx.x * blockDim.x * kChunks;
}

template <int kChunks>
__global__ void chunks_halves(int* data, int* out, unsigned n) {
    int* mine = add_chunks<kChunks>(data, n);
    halve(mine, 0);
    if (threadIdx.x == 0) out[blockIdx.x] = mine[0];
}

__global__ void chunks_last_warp(int* data, int* out, unsigned n) {
    int* mine = add_chunks<8>(data, n);
    halve(mine, 32);
    last_warp(mine);
    if (threadIdx.x == 0) out[blockIdx.x] = mine[0];
}

__global__ void chunks_unrolled(int* data, int* out, unsigned n) {
    int* mine = add_chunks<8>(data, n);
    unrolled_levels(mine);
    last_warp(mine);
    if (threadIdx.x == 0) out[blockIdx.x] = mine[0];
}

template <int kThreads>
__global__ void chunks_known_size(int* data, int* out, unsigned n) {
    const unsigned thread = threadIdx.x;
    int* mine = add_chunks<8>(data, n);
    if (kThreads >= 512 && thread < 256) mine[thread] += mine[thread + 256];
    __syncthreads();
    if (kThreads >= 256 && thread < 128) mine[thread] += mine[thread + 128];
    __syncthreads();
    if (kThreads >= 128 && thread < 64) mine[thread] += mine[thread + 64];
    __syncthreads();
    last_warp(mine);
    if (thread == 0) out[blockIdx.x] = mine[0];
}

__global__ void global_unrolled(int* data, int* out, unsigned n) {
    int* mine = data + blockIdx.x * blockDim.x;
    if (position(1) >= n) return;
    unrolled_levels(mine);
    last_warp(mine);
    if (threadIdx.x == 0) out[blockIdx.x] = mine[0];
}

constexpr int kShared = 128;  // threads of the kernels with shared memory

__global__ void shared_unrolled(int* data, int* out, unsigned n) {
    __shared__ int sums[kShared];
    if (position(1) >= n) return;
    const int* mine = data + blockIdx.x * blockDim.x;
    sums[threadIdx.x] = mine[threadIdx.x];
    __syncthreads();
    unrolled_levels(sums);
    last_warp(sums);
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

/// Elements of four chunks, of which the last may not all be there.
__device__ int four(const int* data, unsigned n) {
    const unsigned i = position(4);
    if (i >= n) return 0;
    const int first = data[i];
    int second = 0, third = 0, fourth = 0;
    if (i + blockDim.x < n) second = data[i + blockDim.x];
    if (i + 2 * blockDim.x < n) third = data[i + 2 * blockDim.x];
    if (i + 3 * blockDim.x < n) fourth = data[i + 3 * blockDim.x];
    return first + second + third + fourth;
}

__global__ void global_four(int* data, int* out, unsigned n) {
    int* mine = data + blockIdx.x * blockDim.x * 4;
    if (position(4) < n) data[position(4)] = four(data, n);
    __syncthreads();
    unrolled_levels(mine);
    last_warp(mine);
    if (threadIdx.x == 0) out[blockIdx.x] = mine[0];
}

__global__ void shared_four(int* data, int* out, unsigned n) {
    __shared__ int sums[kShared];
    sums[threadIdx.x] = four(data, n);
    __syncthreads();
    unrolled_levels(sums);
    last_warp(sums);
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

struct Choice {
    const char* name;
    Kernel kernel;
    int chunks;  // of a block
};

const Choice kChoices[] = {{"neighbours", neighbours, 1},
                           {"neighbours_packed", neighbours_packed, 1},
                           {"halves", halves, 1},
                           {"two_chunks", chunks_halves<2>, 2},
                           {"four_chunks", chunks_halves<4>, 4},
                           {"eight_chunks", chunks_halves<8>, 8},
                           {"chunks_last_warp", chunks_last_warp, 8},
                           {"chunks_unrolled", chunks_unrolled, 8},
                           {"chunks_known_size", chunks_known_size<512>, 8},
                           {"global_unrolled", global_unrolled, 1},
                           {"shared_unrolled", shared_unrolled, 1},
                           {"global_four", global_four, 4},
                           {"shared_four", shared_four, 4}};

}  // namespace

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "halves", 1 << 16);
    const int threads = static_cast<int>(options.args.number("threads", 512));
    for (const Choice& choice : kChoices) {
        if (!options.is(choice.name)) continue;
        std::vector<int> data(static_cast<std::size_t>(options.n));
        bench::Random random(11);
        for (int& value : data) value = static_cast<int>(random.below(256));
        const auto share = static_cast<std::size_t>(threads * choice.chunks);
        const unsigned blocks = row::blocks(options.n, static_cast<long>(share));
        row::Buffer<int> in(data), out(blocks);
        choice.kernel<<<blocks, static_cast<unsigned>(threads)>>>(in.get(), out.get(), static_cast<unsigned>(options.n));
        bench::finish();
        std::vector<int> want(blocks);
        for (std::size_t i = 0; i < data.size(); ++i) want[i / share] += data[i];
        app.check(out.download(), want, 0);
        return app.finish();
    }
    options.unknown("the kernels that book_sums.cu lists in kChoices");
}
