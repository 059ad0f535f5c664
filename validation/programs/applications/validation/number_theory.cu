// SPDX-License-Identifier: Apache-2.0
//
// Integers of 64 bits: powers modulo a prime by Montgomery's method, and the lengths of Collatz sequences, whose threads
// leave their loop at different turns.
#include "../app.h"

__host__ __device__ inline uint64_t high_product(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
#endif
}

__host__ __device__ inline uint64_t montgomery(uint64_t a, uint64_t b, uint64_t modulus, uint64_t inverse) {
    const uint64_t low = a * b, high = high_product(a, b);
    const uint64_t reduced = high_product(low * inverse, modulus);
    return high >= reduced ? high - reduced : high + modulus - reduced;
}

__host__ __device__ inline uint64_t power(uint64_t base, uint64_t exponent, uint64_t modulus, uint64_t inverse, uint64_t one) {
    uint64_t result = one;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) result = montgomery(result, base, modulus, inverse);
        base = montgomery(base, base, modulus, inverse);
    }
    return result;
}

__host__ __device__ inline uint32_t steps(uint64_t x) {
    uint32_t count = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x >> 1;
        ++count;
    }
    return count;
}

__global__ void modular_power(const uint64_t* bases, const uint64_t* exponents, uint64_t* out, int n, uint64_t modulus, uint64_t inverse, uint64_t one) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = power(bases[i], exponents[i], modulus, inverse, one);
}

__global__ void collatz(uint64_t first, uint32_t* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = steps(first + static_cast<uint64_t>(i));
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(4096, 40000);
    const auto n = static_cast<std::size_t>(count);
    const uint64_t modulus = 0xffffffffffffffc5ull, first = 0x100000001ull;
    uint64_t inverse = 1;
    for (int i = 0; i < 6; ++i) inverse *= 2 - modulus * inverse;
    const uint64_t one = static_cast<uint64_t>(0) - modulus;  // 2^64 mod modulus
    bench::Random random(11);
    std::vector<uint64_t> bases(n), exponents(n), want(n);
    for (std::size_t i = 0; i < n; ++i) {
        bases[i] = static_cast<uint64_t>(random.below(1u << 31)) << 32 | random.below(1u << 31);
        exponents[i] = static_cast<uint64_t>(random.below(1u << 16)) << 31 | random.below(1u << 31);
        want[i] = power(bases[i], exponents[i], modulus, inverse, one);
    }
    app::Buffer<uint64_t> b(bases), e(exponents), out(n);
    modular_power<<<app::blocks(count, 128), 128>>>(b.get(), e.get(), out.get(), count, modulus, inverse, one);
    bench::finish();
    app::Buffer<uint32_t> lengths(n);
    collatz<<<app::blocks(count, 256), 256>>>(first, lengths.get(), count);
    bench::finish();
    auto got = out.download();
    std::vector<uint32_t> same(n), all(n, 1), expected(n);
    for (std::size_t i = 0; i < n; ++i) {
        same[i] = got[i] == want[i];
        expected[i] = steps(first + i);
    }
    app.check(same, all, 0);
    app.check(lengths.download(), expected, 0);
    return app.finish();
}
