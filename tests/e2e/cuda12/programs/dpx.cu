// SPDX-License-Identifier: Apache-2.0
// The toolkit's functions for integer minima and maxima (DPX): on sm_90 an instruction each, elsewhere several. The same
// functions compute on the host what the device should give.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kCount = 512;

__host__ __device__ void all(unsigned a, unsigned b, unsigned c, unsigned* out) {
  const int x = static_cast<int>(a), y = static_cast<int>(b), z = static_cast<int>(c);
  int n = 0;
  out[n++] = __viaddmax_s32(x, y, z);
  out[n++] = __viaddmin_s32(x, y, z);
  out[n++] = __viaddmax_u32(a, b, c);
  out[n++] = __viaddmin_u32(a, b, c);
  out[n++] = __viaddmax_s32_relu(x, y, z);
  out[n++] = __viaddmin_s32_relu(x, y, z);
  out[n++] = __viaddmax_s16x2(a, b, c);
  out[n++] = __viaddmin_s16x2(a, b, c);
  out[n++] = __viaddmax_u16x2(a, b, c);
  out[n++] = __viaddmin_u16x2(a, b, c);
  out[n++] = __viaddmax_s16x2_relu(a, b, c);
  out[n++] = __viaddmin_s16x2_relu(a, b, c);
  out[n++] = __vimax3_s32(x, y, z);
  out[n++] = __vimin3_s32(x, y, z);
  out[n++] = __vimax3_u32(a, b, c);
  out[n++] = __vimin3_u32(a, b, c);
  out[n++] = __vimax3_s32_relu(x, y, z);
  out[n++] = __vimin3_s32_relu(x, y, z);
  out[n++] = __vimax3_s16x2(a, b, c);
  out[n++] = __vimin3_u16x2(a, b, c);
  out[n++] = __vimax3_s16x2_relu(a, b, c);
  out[n++] = __vimax_s32_relu(x, y);
  out[n++] = __vimin_s32_relu(x, y);
  out[n++] = __vimax_s16x2_relu(a, b);
  out[n++] = __vimin_s16x2_relu(a, b);
  bool high = false, low = false;
  out[n++] = __vibmax_s16x2(a, b, &high, &low);
  out[n++] = (high ? 1 : 0) + (low ? 2 : 0);
  out[n++] = __vibmin_u16x2(a, b, &high, &low);
  out[n++] = (high ? 1 : 0) + (low ? 2 : 0);
  out[n++] = __vibmax_s32(x, y, &high) + (high ? 1 : 0);
  out[n++] = __vibmin_u32(a, b, &high) + (high ? 1 : 0);
  out[n++] = __viaddmax_s32(x, 5, 77) ^ __vimin_s32_relu(y, 1000) ^ __viaddmin_u16x2(c, 0x00050007, 0x12345678);
}
constexpr int kResults = 32;

__global__ void on_device(const unsigned* words, unsigned* out) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  all(words[3 * i], words[3 * i + 1], words[3 * i + 2], out + kResults * i);
}

int main() {
  std::vector<unsigned> words(3 * kCount), got(kResults * kCount);
  unsigned state = 1;
  for (unsigned& word : words) {
    state = state * 1664525 + 1013904223;
    // Many small and equal numbers, and those at the ends of the ranges.
    word = state >> 30 == 0 ? state >> 8 & 3 : state >> 30 == 1 ? 0x7fff8000u + (state >> 8 & 1) : state ^ state >> 13;
  }
  unsigned *in = nullptr, *out = nullptr;
  cudaMalloc(&in, words.size() * 4);
  cudaMalloc(&out, got.size() * 4);
  cudaMemcpy(in, words.data(), words.size() * 4, cudaMemcpyHostToDevice);
  on_device<<<kCount / 128, 128>>>(in, out);
  cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) {
    unsigned expected[kResults];
    all(words[3 * i], words[3 * i + 1], words[3 * i + 2], expected);
    for (int k = 0; k < kResults; ++k)
      if (got[kResults * i + k] != expected[k] && wrong++ < 10)
        std::printf("function %d of %08x %08x %08x: %08x, expected %08x\n", k, words[3 * i], words[3 * i + 1], words[3 * i + 2],
                    got[kResults * i + k], expected[k]);
  }
  std::printf("%s\n", wrong == 0 && cudaGetLastError() == cudaSuccess ? "PASS" : "FAIL");
  return wrong != 0;
}
