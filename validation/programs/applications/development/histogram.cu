// SPDX-License-Identifier: Apache-2.0
//
// 256-bin histogram of bytes with skewed values: atomics in shared memory, then atomics in global memory only.
#include "../app.h"

__global__ void histogram_shared(const uint32_t* data, uint32_t* bins, int words) {
    __shared__ uint32_t local[256];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    int step = static_cast<int>(gridDim.x * blockDim.x);
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < words; i += step) {
        uint32_t four = data[i];
        for (int byte = 0; byte < 4; ++byte) atomicAdd(&local[four >> 8 * byte & 255], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

__global__ void histogram_global(const uint32_t* data, uint32_t* bins, int words) {
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= words) return;
    uint32_t four = data[i];
    for (int byte = 0; byte < 4; ++byte) atomicAdd(&bins[four >> 8 * byte & 255], 1u);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int words = app.size(1 << 16, 1 << 20);
    std::vector<uint32_t> data(static_cast<std::size_t>(words));
    bench::Random random(10);
    std::vector<uint32_t> want(256, 0);
    for (uint32_t& word : data) {
        for (int byte = 0; byte < 4; ++byte) {
            uint32_t value = random.below(16) * random.below(17);  // products: some bins are far fuller than others
            word = word << 8 | (value & 255);
        }
        for (int byte = 0; byte < 4; ++byte) ++want[word >> 8 * byte & 255];
    }
    app::Buffer<uint32_t> in(data), bins(256);
    bins.clear();
    histogram_shared<<<132, 256>>>(in.get(), bins.get(), words);
    bench::finish();
    app.check(bins.download(), want, 0);
    bins.clear();
    histogram_global<<<app::blocks(words, 256), 256>>>(in.get(), bins.get(), words);
    bench::finish();
    app.check(bins.download(), want, 0);
    return app.finish();
}
