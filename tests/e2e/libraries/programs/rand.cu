// SPDX-License-Identifier: Apache-2.0
// cuRAND: the device's generators give the numbers of the library's own host generators, and uniform numbers have the
// mean and variance of their distribution.
#include <curand.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

#define CHECK(call)                                                           \
  do {                                                                        \
    if (const int status = static_cast<int>(call); status != 0) {             \
      std::printf("%s:%d: " #call " gives %d\n", __FILE__, __LINE__, status); \
      std::exit(1);                                                           \
    }                                                                         \
  } while (0)

constexpr std::size_t kCount = 20000;

void compare(const char* name, curandRngType_t kind) {
  curandGenerator_t device, host;
  CHECK(curandCreateGenerator(&device, kind));
  CHECK(curandCreateGeneratorHost(&host, kind));
  if (kind != CURAND_RNG_QUASI_SOBOL32) {
    CHECK(curandSetPseudoRandomGeneratorSeed(device, 42));
    CHECK(curandSetPseudoRandomGeneratorSeed(host, 42));
  }
  std::vector<float> expected(kCount), got(kCount);
  float* memory = nullptr;
  CHECK(cudaMalloc(&memory, kCount * sizeof(float)));
  CHECK(curandGenerateUniform(device, memory, kCount));
  CHECK(curandGenerateUniform(host, expected.data(), kCount));
  CHECK(cudaMemcpy(got.data(), memory, kCount * sizeof(float), cudaMemcpyDeviceToHost));
  double mean = 0, square = 0;
  std::size_t different = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    different += got[i] != expected[i];
    mean += got[i];
    square += got[i] * got[i];
  }
  mean /= kCount;
  const double variance = square / kCount - mean * mean;
  const bool uniform = std::abs(mean - 0.5) < 0.01 && std::abs(variance - 1.0 / 12) < 0.005;
  std::printf("%s: %s\n", name, different == 0 && uniform ? "right" : "WRONG");
  if (different != 0) std::printf("%zu numbers differ; the first are %.9g and %.9g\n", different, got[0], expected[0]);
  CHECK(curandGenerateNormal(device, memory, kCount, 0, 1));
  CHECK(cudaMemcpy(got.data(), memory, kCount * sizeof(float), cudaMemcpyDeviceToHost));
  mean = square = 0;
  for (const float value : got) mean += value, square += value * value;
  std::printf("%s, normal: %s\n", name,
              std::abs(mean / kCount) < 0.03 && std::abs(square / kCount - 1) < 0.05 ? "right" : "WRONG");
  CHECK(curandDestroyGenerator(device));
  CHECK(curandDestroyGenerator(host));
}

}  // namespace

int main() {
  compare("Philox", CURAND_RNG_PSEUDO_PHILOX4_32_10);
  compare("XORWOW", CURAND_RNG_PSEUDO_XORWOW);
  compare("Sobol", CURAND_RNG_QUASI_SOBOL32);
  std::puts("done");
}
