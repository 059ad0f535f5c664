// SPDX-License-Identifier: Apache-2.0
//
// The real kernels of Volkov's chapter 3 over occupancy (limited by shared memory): vector add, permutation with a trivial
// and a random order, vector abs with all elements positive or negative, Black-Scholes with exact and fast functions.
// `volkov3.<kernel>.w<warps per SM>`: GB/s counted as he counts it (12 bytes per element for add and permute, 4 or 8 for
// abs, 20 per option), by events, best of `rounds`.
#include "bandwidth.h"

namespace {

struct Arrays {
    float* a;
    float* b;
    float* c;
    float* d;
    float* e;
    const int* order;
};

__global__ void add(Arrays s) {
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
    s.c[i] = s.a[i] + s.b[i];
}

__global__ void permute(Arrays s) {
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
    s.c[i] = s.a[s.order[i]];
}

__global__ void vabs(Arrays s) {
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
    float b = s.a[i];
    if (b < 0) s.a[i] = -b;
}

template <bool Fast>
__device__ float normal_cdf(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float power = Fast ? __expf(-0.5f * d * d) : expf(-0.5f * d * d);
    float cdf = 0.39894228f * power *
                (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - cdf : cdf;
}

template <bool Fast>
__global__ void black_scholes(Arrays s) {
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
    float root = Fast ? __fsqrt_rn(s.c[i]) : sqrtf(s.c[i]);
    float ratio = Fast ? __fdividef(s.a[i], s.b[i]) : s.a[i] / s.b[i];
    float upper = (Fast ? __logf(ratio) : logf(ratio)) + 0.065f * s.c[i];
    float d1 = Fast ? __fdividef(upper, 0.3f * root) : upper / (0.3f * root);
    float n1 = normal_cdf<Fast>(d1);
    float n2 = normal_cdf<Fast>(d1 - 0.3f * root);
    float discount = s.b[i] * (Fast ? __expf(-0.02f * s.c[i]) : expf(-0.02f * s.c[i]));
    s.d[i] = s.a[i] * n1 - discount * n2;
    s.e[i] = discount * (1.0f - n2) - s.a[i] * (1.0f - n1);
}

struct Case {
    const char* name;
    void (*kernel)(Arrays);
    double bytes;
    float fill;
    bool random;
};

// -1 when shared memory cannot limit the SM to that many blocks.
int room_for(void (*kernel)(Arrays), int blocks, int threads, const cudaDeviceProp& device) {
    int most = static_cast<int>(device.sharedMemPerBlockOptin);
    CUDA_OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    for (int room = 0; room <= most; room += 256) {
        int fit = 0;
        CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, static_cast<std::size_t>(room)));
        if (fit == blocks) return room;
        if (fit < blocks) return -1;
    }
    return -1;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    cudaDeviceProp device = bench::device();
    auto n = static_cast<std::size_t>(args.number("n", 1 << 18, 1 << 26));
    bench::Buffer<float> a(n), b(n), c(n), d(n), e(n);
    bench::Buffer<int> order(n);
    int rounds = static_cast<int>(args.number("rounds", 3));  // the first one's code comes from DRAM
    const Case cases[] = {{"add", add, 12, 1, false},
                          {"permute.trivial", permute, 12, 1, false},
                          {"permute.random", permute, 12, 1, true},
                          {"vabs.positive", vabs, 4, 1, false},
                          {"vabs.negative", vabs, 8, -1, false},
                          {"blackscholes.exact", black_scholes<false>, 20, 2, false},
                          {"blackscholes.fast", black_scholes<true>, 20, 2, false}};
    std::vector<float> host(n);
    std::vector<int> places(n);
    for (const Case& one : cases) {
        bench::Random random(31);
        for (std::size_t i = 0; i < n; ++i) {
            host[i] = one.fill;
            places[i] = one.random ? static_cast<int>(random.below(static_cast<uint32_t>(n))) : static_cast<int>(i);
        }
        b.upload(host);
        c.upload(host);
        order.upload(places);
        Arrays arrays{a.get(), b.get(), c.get(), d.get(), e.get(), order.get()};
        for (long warps : args.list("warps", "8,32", "4,8,12,16,20,24,32,40,48,56,64")) {
            int threads = warps % 8 == 0 ? 256 : 128;
            int blocks = static_cast<int>(warps) * 32 / threads;
            int room = room_for(one.kernel, blocks, threads, device);
            if (room < 0) continue;
            double best = 1e30;
            for (int round = 0; round < rounds; ++round) {
                a.upload(host);  // vabs changes it
                best = std::min(best, bandwidth::milliseconds([&] {
                                    one.kernel<<<static_cast<unsigned>(n / static_cast<std::size_t>(threads)),
                                                 static_cast<unsigned>(threads), static_cast<std::size_t>(room)>>>(arrays);
                                }));
            }
            bench::emit(std::string("volkov3.") + one.name + ".w" + std::to_string(warps),
                        one.bytes * static_cast<double>(n) / best * 1e-6, "GB/s");
        }
    }
    return 0;
}
