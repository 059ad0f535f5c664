// SPDX-License-Identifier: Apache-2.0
//
// What copies leave in the L2: copies_in_l2_h200.txt in validation/measured/outputs.tar.xz. copies_in_l2 STEP... does the steps in order, each with an
// array of its own, and then prints for the array of each step which part of it comes from DRAM. A step is a letter and MiB: h copy from pageable memory, p from pinned memory, a the
// same in a stream, m cudaMemset, d copy on the device from an array that is not measured, w stores of a kernel, r loads of a kernel;
// H, P: the array of the first step is copied to again; D: it is copied to the host; F: loads of a kernel, from an array that is not measured.
// One thread loads lines that are evenly spaced, and takes the time of each. Separately for each sixteenth of an array.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace {

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "copies_in_l2: %s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

constexpr int kParts = 16, kLines = 16;  // lines of each part
constexpr unsigned kDram = 500;          // cycles

__global__ void store(uint4* data, size_t count) {
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x)
        data[i] = make_uint4(1, 2, 3, 4);
}

__global__ void load(const uint4* data, size_t count, unsigned* never) {
    unsigned all = 0;
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x) {
        const uint4 value = __ldcg(data + i);
        all |= value.x | value.y;
    }
    if (all == 0x1234567) *never = all;
}

__device__ unsigned loaded(const unsigned* at) {
    unsigned value;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

// A first load of each part, whose translation may be missing, is of another line. The second clock is read behind a store that waits for
// the loaded word.
__global__ void look(const unsigned* data, size_t bytes, unsigned* cycles) {
    __shared__ volatile unsigned seen;
    const size_t part = bytes / kParts;
    for (int p = 0; p < kParts; ++p) {
        seen = loaded(data + p * part / 4);
#pragma unroll 1
        for (int i = 0; i < kLines; ++i) {
            const unsigned* at = data + (p * part + (2 * i + 1) * part / (2 * kLines)) / 128 * 32;
            const unsigned before = clock();
            seen = loaded(at);
            cycles[p * kLines + i] = clock() - before;
        }
    }
}

struct Step {
    char kind;
    size_t bytes;
    unsigned* data;
};

}  // namespace

int main(int argc, char** argv) {
    std::vector<Step> steps;
    unsigned* cycles;
    check(cudaMalloc(&cycles, kParts * kLines * sizeof(unsigned)), "cudaMalloc");
    size_t most = 0;
    for (int i = 1; i < argc; ++i) {
        Step step{argv[i][0], static_cast<size_t>(std::atof(argv[i] + 1) * (1 << 20)), nullptr};
        const bool again = std::string("HPD").find(step.kind) != std::string::npos;
        if (again && !steps.empty()) step.data = steps[0].data;
        else check(cudaMalloc(&step.data, step.bytes), "cudaMalloc");
        most = std::max(most, step.bytes);
        steps.push_back(step);
    }
    std::vector<char> pageable(most, 1);
    char* pinned;
    unsigned* source;
    check(cudaMallocHost(&pinned, most), "cudaMallocHost");
    check(cudaMalloc(&source, most), "cudaMalloc");
    cudaStream_t stream;
    check(cudaStreamCreate(&stream), "cudaStreamCreate");
    for (const Step& step : steps) {
        const size_t n = step.bytes;
        switch (step.kind) {
            case 'h': case 'H': check(cudaMemcpy(step.data, pageable.data(), n, cudaMemcpyHostToDevice), "copy"); break;
            case 'p': case 'P': check(cudaMemcpy(step.data, pinned, n, cudaMemcpyHostToDevice), "copy"); break;
            case 'a':
                check(cudaMemcpyAsync(step.data, pinned, n, cudaMemcpyHostToDevice, stream), "copy");
                check(cudaStreamSynchronize(stream), "copy");
                break;
            case 'm': check(cudaMemset(step.data, 0, n), "memset"); break;
            case 'd': check(cudaMemcpy(step.data, source, n, cudaMemcpyDeviceToDevice), "copy"); break;
            case 'D': check(cudaMemcpy(pageable.data(), step.data, n, cudaMemcpyDeviceToHost), "copy"); break;
            case 'w': store<<<264, 1024>>>(reinterpret_cast<uint4*>(step.data), n / 16); break;
            case 'r': case 'F': load<<<264, 1024>>>(reinterpret_cast<uint4*>(step.data), n / 16, cycles); break;
            default: std::fprintf(stderr, "copies_in_l2: unknown step %c\n", step.kind); return 2;
        }
        check(cudaDeviceSynchronize(), "step");
    }
    for (int i = 1; i < argc; ++i) std::printf("%s%s", i > 1 ? " " : "", argv[i]);
    for (size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[i];
        if (std::string("HPDF").find(step.kind) != std::string::npos) continue;
        look<<<1, 1>>>(step.data, step.bytes, cycles);
        std::vector<unsigned> times(kParts * kLines);
        check(cudaMemcpy(times.data(), cycles, times.size() * sizeof(unsigned), cudaMemcpyDeviceToHost), "times");
        int all = 0;
        std::string parts;
        for (int p = 0; p < kParts; ++p) {
            int missed = 0;
            for (int l = 0; l < kLines; ++l) missed += times[static_cast<size_t>(p * kLines + l)] >= kDram;
            all += missed;
            parts += "0123456789abcdefg"[missed];
        }
        std::printf(" | %s %.2f %s", argv[i + 1], all / double(kParts * kLines), parts.c_str());
    }
    std::printf("\n");
}
