// SPDX-License-Identifier: Apache-2.0
//
// Sequences of numbers that are computed rather than read. quasirandom: three dimensions, a XOR of the table's words (in
// constant memory) for the bits of the point's number; inverse_normal: a rational function in the middle, logarithms in
// the tails; sobol: Gray code order, a hundred dimensions, direction words in shared memory.
#include <cmath>

#include "row.h"

constexpr int kDimensions = 3, kBits = 31, kSobolBits = 32;
__constant__ unsigned table[kDimensions][kBits];

__global__ void quasirandom(float* out, unsigned seed, unsigned n) {
    const unsigned* const words = table[threadIdx.y];
    const unsigned step = gridDim.x * blockDim.x;
    for (unsigned point = blockIdx.x * blockDim.x + threadIdx.x; point < n; point += step) {
        unsigned result = 0, number = seed + point;
        for (int bit = 0; bit < kBits; ++bit, number >>= 1)
            if (number & 1) result ^= words[bit];
        out[threadIdx.y * n + point] = static_cast<float>(result + 1) * (1.0f / 2147483649.0f);
    }
}

/// Moro's approximation of the inverse of the normal distribution.
__device__ float inverse(unsigned number) {
    const bool upper = number >= 0x80000000u;
    if (upper) number = 0xffffffffu - number;
    const float scale = 1.0f / 4294967295.0f, p = static_cast<float>(number) * scale + 0.5f * scale, middle = p - 0.5f;
    float z;
    if (middle > -0.42f) {
        z = middle * middle;
        z = middle * (((-25.44106049637f * z + 41.39119773534f) * z - 18.61500062529f) * z + 2.50662823884f) /
            ((((3.13082909833f * z - 21.06224101826f) * z + 23.08336743743f) * z - 8.47351093090f) * z + 1.0f);
    } else {
        z = __logf(-__logf(p));
        z = -(0.337475482272615f +
              z * (0.976169019091719f +
                   z * (0.160797971491821f +
                        z * (2.76438810333863E-02f +
                             z * (3.8405729373609E-03f +
                                  z * (3.951896511919E-04f +
                                       z * (3.21767881768E-05f + z * (2.888167364E-07f + z * 3.960315187E-07f))))))));
    }
    return upper ? -z : z;
}

__global__ void inverse_normal(float* out, unsigned n) {
    const unsigned step = gridDim.x * blockDim.x, distance = 0xffffffffu / (n + 1);
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) out[i] = inverse((i + 1) * distance);
}

__global__ void sobol(const unsigned* directions, float* out, unsigned n) {
    __shared__ unsigned words[kSobolBits];
    directions += kSobolBits * blockIdx.y;
    out += n * blockIdx.y;
    if (threadIdx.x < kSobolBits) words[threadIdx.x] = directions[threadIdx.x];
    row::sync();
    const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    const int low = __ffs(static_cast<int>(step)) - 1;
    unsigned gray = first ^ first >> 1, value = 0;
    for (int bit = 0; bit < low; ++bit, gray >>= 1) value ^= (0u - (gray & 1)) & words[bit];
    const float scale = 2.3283064365387e-10f;
    if (first < n) out[first] = static_cast<float>(value) * scale;
    const unsigned always = words[low - 1], mask = step - 1;
    for (unsigned i = first + step; i < n; i += step) {
        value ^= always ^ words[__ffs(static_cast<int>(~((i - step) | mask))) - 1];
        out[i] = static_cast<float>(value) * scale;
    }
}

namespace {

void run_quasirandom(row::App& app, unsigned n) {
    auto words = app::integers(kBits * kDimensions, 14, 1u << kBits);
    CUDA_OK(cudaMemcpyToSymbol(table, words.data(), sizeof table));
    row::Buffer<float> out(std::size_t{n} * kDimensions);
    quasirandom<<<128, dim3(128, kDimensions)>>>(out.get(), 0, n);
    bench::finish();
    std::vector<float> want(out.size());
    for (unsigned dimension = 0; dimension < kDimensions; ++dimension)
        for (unsigned point = 0; point < n; ++point) {
            unsigned result = 0;
            for (unsigned bit = 0; bit < kBits; ++bit)
                if (point >> bit & 1) result ^= words[dimension * kBits + bit];
            want[std::size_t{dimension} * n + point] = static_cast<float>(result + 1) * (1.0f / 2147483649.0f);
        }
    app.check(out.download(), want, 1e-6);
}

void run_inverse(row::App& app, unsigned n) {
    row::Buffer<float> out(n);
    inverse_normal<<<128, 128>>>(out.get(), n);
    bench::finish();
    std::vector<float> probabilities, want;
    auto got = out.download();
    for (std::size_t i = 0; i < n; ++i) {  // the distribution of what it returned is the number it got
        probabilities.push_back(static_cast<float>(0.5 * std::erfc(-static_cast<double>(got[i]) / std::sqrt(2.0))));
        want.push_back(static_cast<float>((static_cast<double>(i + 1) * (0xffffffffu / (n + 1))) / 4294967296.0));
    }
    app.check(probabilities, want, 1e-5);
}

void run_sobol(row::App& app, unsigned n) {
    const unsigned dimensions = 100, threads = 64;
    auto directions = app::integers(std::size_t{dimensions} * kSobolBits, 15, 0xffffffffu);
    row::Buffer<unsigned> in(directions);
    row::Buffer<float> out(std::size_t{n} * dimensions);
    sobol<<<dim3(512, dimensions), threads>>>(in.get(), out.get(), n);
    bench::finish();
    std::vector<float> want(out.size());
    for (unsigned dimension = 0; dimension < dimensions; ++dimension)
        for (unsigned i = 0; i < n; ++i) {
            unsigned value = 0;
            for (unsigned bit = 0; bit < kSobolBits; ++bit)
                if ((i ^ i >> 1) >> bit & 1) value ^= directions[dimension * kSobolBits + bit];
            want[std::size_t{dimension} * n + i] = static_cast<float>(value) * 2.3283064365387e-10f;
        }
    app.check(out.download(), want, 1e-6);
}

}  // namespace

int main(int argc, char** argv) {
    row::App app(argc, argv);
    row::Options options(argc, argv, "quasirandom", 0);
    const auto size = [&](unsigned usual) { return options.n == 0 ? usual : static_cast<unsigned>(options.n); };
    if (options.is("quasirandom"))
        run_quasirandom(app, size(1 << 20));
    else if (options.is("inverse_normal"))
        run_inverse(app, size(3 << 20));
    else if (options.is("sobol"))
        run_sobol(app, size(100000));
    else
        options.unknown("quasirandom, inverse_normal, sobol");
    return app.finish();
}
