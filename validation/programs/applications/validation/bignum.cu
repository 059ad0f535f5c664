// SPDX-License-Identifier: Apache-2.0
//
// Products of numbers of 256 bits, in chains of multiply-add with carry, folded modulo 2^255 - 19 again and again.
#include "../app.h"

constexpr int kWords = 8;

#ifdef __CUDA_ARCH__
__device__ inline void row_of(uint32_t* sum, const uint32_t* a, uint32_t b) {
    asm("mad.lo.cc.u32 %0, %9, %17, %0;\n\tmadc.lo.cc.u32 %1, %10, %17, %1;\n\tmadc.lo.cc.u32 %2, %11, %17, %2;\n\t"
        "madc.lo.cc.u32 %3, %12, %17, %3;\n\tmadc.lo.cc.u32 %4, %13, %17, %4;\n\tmadc.lo.cc.u32 %5, %14, %17, %5;\n\t"
        "madc.lo.cc.u32 %6, %15, %17, %6;\n\tmadc.lo.cc.u32 %7, %16, %17, %7;\n\taddc.u32 %8, %8, 0;"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3]), "+r"(sum[4]), "+r"(sum[5]), "+r"(sum[6]), "+r"(sum[7]), "+r"(sum[8])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b));
    asm("mad.hi.cc.u32 %0, %8, %16, %0;\n\tmadc.hi.cc.u32 %1, %9, %16, %1;\n\tmadc.hi.cc.u32 %2, %10, %16, %2;\n\t"
        "madc.hi.cc.u32 %3, %11, %16, %3;\n\tmadc.hi.cc.u32 %4, %12, %16, %4;\n\tmadc.hi.cc.u32 %5, %13, %16, %5;\n\t"
        "madc.hi.cc.u32 %6, %14, %16, %6;\n\tmadc.hi.u32 %7, %15, %16, %7;"
        : "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3]), "+r"(sum[4]), "+r"(sum[5]), "+r"(sum[6]), "+r"(sum[7]), "+r"(sum[8])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]), "r"(b));
}
#else
inline void row_of(uint32_t* sum, const uint32_t* a, uint32_t b) {
    uint64_t carry = 0;
    for (int i = 0; i < kWords; ++i) {
        carry += static_cast<uint64_t>(a[i]) * b + sum[i];
        sum[i] = static_cast<uint32_t>(carry), carry >>= 32;
    }
    sum[kWords] += static_cast<uint32_t>(carry);
}
#endif

/// a = a * b mod 2^256 - 38, which 2^255 - 19 divides; not reduced further.
__host__ __device__ inline void multiply(uint32_t* a, const uint32_t* b) {
    uint32_t product[2 * kWords + 1] = {};
#pragma unroll
    for (int i = 0; i < kWords; ++i) row_of(product + i, a, b[i]);
    uint64_t carry = 0;
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
        carry += static_cast<uint64_t>(product[kWords + i]) * 38 + product[i];
        a[i] = static_cast<uint32_t>(carry), carry >>= 32;
    }
    carry *= 38;
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
        carry += a[i];
        a[i] = static_cast<uint32_t>(carry), carry >>= 32;
    }
}

__global__ void __launch_bounds__(128) powers(const uint32_t* in, uint32_t* out, int n, int times) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    uint32_t base[kWords], value[kWords];
    for (int k = 0; k < kWords; ++k) base[k] = value[k] = in[k * n + i];
    for (int t = 0; t < times; ++t) multiply(value, base);
    for (int k = 0; k < kWords; ++k) out[k * n + i] = value[k];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(4096, 40960), times = 12;
    const auto n = static_cast<std::size_t>(count);
    auto in = app::integers(kWords * n, 3, 0xffffffffu);
    app::Buffer<uint32_t> from(in), to(in.size());
    powers<<<app::blocks(count, 128), 128>>>(from.get(), to.get(), count, times);
    bench::finish();
    std::vector<uint32_t> want(in.size());
    for (std::size_t i = 0; i < n; ++i) {
        uint32_t base[kWords], value[kWords];
        for (std::size_t k = 0; k < kWords; ++k) base[k] = value[k] = in[k * n + i];
        for (int t = 0; t < times; ++t) multiply(value, base);
        for (std::size_t k = 0; k < kWords; ++k) want[k * n + i] = value[k];
    }
    app.check(to.download(), want, 0);
    return app.finish();
}
