// SPDX-License-Identifier: Apache-2.0
//
// Sums in double precision three ways: blocks that stay and stride over the array, with shuffles, of which the last to end
// adds up; the same with a compare-and-swap loop for each block's sum; and trees in volatile shared memory.
#include "../app.h"

constexpr int kThreads = 256;
__device__ unsigned arrived;

__device__ inline double block_sum(double value) {
    __shared__ double parts[kThreads / 32];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0;
    for (int w = 0; w < kThreads / 32; ++w) value += parts[w];
    return value;
}

__global__ void __launch_bounds__(kThreads) last_adds(const double* a, const double* b, double* parts, double* out, int n) {
    __shared__ bool last;
    double sum = 0;
    for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < n; i += static_cast<int>(gridDim.x * kThreads)) sum += a[i] * b[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    sum = 0;
    for (int i = threadIdx.x; i < static_cast<int>(gridDim.x); i += kThreads) sum += static_cast<volatile double*>(parts)[i];
    __syncthreads();
    sum = block_sum(sum);
    if (threadIdx.x == 0) *out = sum, arrived = 0;
}

__global__ void __launch_bounds__(kThreads) swap_adds(const double* a, const double* b, unsigned long long* out, int n) {
    const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    const double sum = block_sum(i < n ? a[i] * b[i] : 0.0);
    if (threadIdx.x != 0) return;
    unsigned long long seen = out[blockIdx.x % 64], expected;
    do {
        expected = seen;
        seen = atomicCAS(&out[blockIdx.x % 64], expected, static_cast<unsigned long long>(__double_as_longlong(sum + __longlong_as_double(static_cast<long long>(expected)))));
    } while (seen != expected);
}

__global__ void __launch_bounds__(kThreads) volatile_tree(const double* a, const double* b, double* out, int n) {
    __shared__ volatile double tree[kThreads];
    const int t = threadIdx.x, i = static_cast<int>(blockIdx.x * 2 * kThreads) + t;
    double sum = i < n ? a[i] * b[i] : 0.0;
    if (i + kThreads < n) sum += a[i + kThreads] * b[i + kThreads];
    tree[t] = sum;
    __syncthreads();
    for (int half = kThreads / 2; half >= 32; half /= 2) {
        if (t < half) tree[t] = sum = sum + tree[t + half];
        __syncthreads();
    }
    if (t < 32) {
        for (int half = 16; half > 0; half /= 2) {
            const double other = tree[t + half];
            __syncwarp();
            tree[t] = sum = sum + other;
            __syncwarp();
        }
    }
    if (t == 0) atomicAdd(out, sum);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(100000, 1200000), resident = 264;
    auto fa = app::floats(static_cast<std::size_t>(n), 91), fb = app::floats(static_cast<std::size_t>(n), 92);
    std::vector<double> da(fa.begin(), fa.end()), db(fb.begin(), fb.end());
    app::Buffer<double> a(da), b(db), parts(resident), out(1), tree(1);
    app::Buffer<unsigned long long> swapped(64);
    swapped.clear();
    tree.clear();
    last_adds<<<resident, kThreads>>>(a.get(), b.get(), parts.get(), out.get(), n);
    bench::finish();
    swap_adds<<<app::blocks(n, kThreads), kThreads>>>(a.get(), b.get(), swapped.get(), n);
    bench::finish();
    volatile_tree<<<app::blocks(n, 2 * kThreads), kThreads>>>(a.get(), b.get(), tree.get(), n);
    bench::finish();
    double want = 0, sum = 0;
    for (std::size_t i = 0; i < da.size(); ++i) want += da[i] * db[i];
    for (unsigned long long word : swapped.download()) {
        double value;
        std::memcpy(&value, &word, sizeof value);
        sum += value;
    }
    app.check(std::vector<double>{out.download()[0], sum, tree.download()[0]}, std::vector<double>(3, want), 1e-9);
    return app.finish();
}
