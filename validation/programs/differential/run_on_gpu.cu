// SPDX-License-Identifier: Apache-2.0
// Runs every kernel of arithmetic.cu on the GPU and writes what came out: one line per operation with a hash, and the raw
// words, in the order of the kernels, to the file named by the second argument.
//   nvcc -arch=sm_90 -cudart static -DDIFFERENTIAL_HOST -o run_on_gpu run_on_gpu.cu
//   ./run_on_gpu hashes.txt raw.bin
#include <cstdio>
#include <vector>

#include "operands.h"
#include DIFFERENTIAL_KERNELS

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::FILE* hashes = std::fopen(argv[1], "w");
  std::FILE* raw = std::fopen(argv[2], "wb");
  using differential::kRows;
  for (const KernelEntry& entry : KERNELS) {
    const std::vector<std::uint64_t> in = differential::operands(entry.kind);
    std::vector<std::uint32_t> out(std::size_t{kRows} * entry.words);
    u64* device_in = nullptr;
    u32* device_out = nullptr;
    cudaMalloc(&device_in, in.size() * 8);
    cudaMalloc(&device_out, out.size() * 4);
    cudaMemcpy(device_in, in.data(), in.size() * 8, cudaMemcpyHostToDevice);
    cudaMemset(device_out, 0, out.size() * 4);
    entry.kernel<<<kRows / 256, 256>>>(device_in, device_out, kRows);
    const cudaError_t error = cudaMemcpy(out.data(), device_out, out.size() * 4, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
      std::fprintf(stderr, "%s: %s\n", entry.name, cudaGetErrorString(error));
      return 1;
    }
    for (const Operation& operation : entry.operations)
      std::fprintf(hashes, "%s %s %u %u %016llx\n", entry.name, operation.name, operation.first, operation.words,
                   static_cast<unsigned long long>(differential::hash_words(out.data() + std::size_t{kRows} * operation.first,
                                                                            std::size_t{kRows} * operation.words)));
    std::fwrite(out.data(), 4, out.size(), raw);
    cudaFree(device_in);
    cudaFree(device_out);
  }
  std::fclose(hashes);
  std::fclose(raw);
  return 0;
}
