// SPDX-License-Identifier: Apache-2.0
// cuFFT against sums in double precision on the host: complex of 256 and of 100 points, in place and back, and real in
// two dimensions.
#include <cufft.h>

#include <cmath>
#include <complex>
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

using Complex = std::complex<double>;

Complex unit(int numerator, int points) { return std::polar(1.0, -2 * M_PI * (numerator % points) / points); }

float value_at(int i) { return static_cast<float>((i * 37 % 101) - 50) / 50; }

void say(const char* name, double worst) {
  std::printf("%s: %s (%.1g)\n", name, worst < 1e-6 ? "right" : "WRONG", worst);
}

/// The largest difference, relative to the root of the number of points times the largest value, which is 1.
void complex_points(const char* name, int points, int batch) {
  std::vector<std::complex<float>> host(points * batch);
  for (int i = 0; i < points * batch; ++i) host[i] = {value_at(i), value_at(i + 17)};
  const auto input = host;
  cufftComplex* device = nullptr;
  const std::size_t bytes = host.size() * sizeof(cufftComplex);
  CHECK(cudaMalloc(&device, bytes));
  CHECK(cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice));
  cufftHandle plan;
  CHECK(cufftPlan1d(&plan, points, CUFFT_C2C, batch));
  CHECK(cufftExecC2C(plan, device, device, CUFFT_FORWARD));
  CHECK(cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int b = 0; b < batch; ++b)
    for (int k = 0; k < points; ++k) {
      Complex sum = 0;
      for (int i = 0; i < points; ++i) sum += Complex(input[b * points + i]) * unit(i * k, points);
      worst = std::max(worst, std::abs(sum - Complex(host[b * points + k])) / std::sqrt(points));
    }
  say(name, worst);
  CHECK(cufftExecC2C(plan, device, device, CUFFT_INVERSE));
  CHECK(cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost));
  worst = 0;
  for (std::size_t i = 0; i < host.size(); ++i)
    worst = std::max(worst, std::abs(Complex(host[i]) / static_cast<double>(points) - Complex(input[i])));
  say("and back", worst);
  CHECK(cufftDestroy(plan));
  CHECK(cudaFree(device));
}

void real_plane(int rows, int columns) {
  std::vector<float> host(rows * columns);
  for (int i = 0; i < rows * columns; ++i) host[i] = value_at(i);
  const int half = columns / 2 + 1;
  std::vector<std::complex<float>> out(rows * half);
  float* input = nullptr;
  cufftComplex* output = nullptr;
  CHECK(cudaMalloc(&input, host.size() * sizeof(float)));
  CHECK(cudaMalloc(&output, out.size() * sizeof(cufftComplex)));
  CHECK(cudaMemcpy(input, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  cufftHandle plan;
  CHECK(cufftPlan2d(&plan, rows, columns, CUFFT_R2C));
  CHECK(cufftExecR2C(plan, input, output));
  CHECK(cudaMemcpy(out.data(), output, out.size() * sizeof(cufftComplex), cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int r = 0; r < rows; r += 5)
    for (int c = 0; c < half; c += 3) {
      Complex sum = 0;
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
          sum += static_cast<double>(host[i * columns + j]) * unit(i * r, rows) * unit(j * c, columns);
      worst = std::max(worst, std::abs(sum - Complex(out[r * half + c])) / std::sqrt(rows * columns));
    }
  say("real plane", worst);
  CHECK(cufftDestroy(plan));
}

}  // namespace

int main() {
  complex_points("256 points", 256, 4);
  complex_points("100 points", 100, 2);
  real_plane(32, 64);
  std::puts("done");
}
