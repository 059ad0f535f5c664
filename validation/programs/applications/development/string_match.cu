// SPDX-License-Identifier: Apache-2.0
//
// Counts a short pattern in text, one position per thread: byte loads, early exits, warp votes.
#include "../app.h"

__constant__ unsigned char pattern[8];

__global__ void string_match(const unsigned char* text, int n, uint32_t* count) {
    int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    bool found = i + 8 <= n;
    if (found) {
        for (int k = 0; k < 8; ++k) {
            if (text[i + k] != pattern[k]) {
                found = false;
                break;
            }
        }
    }
    unsigned mask = __ballot_sync(0xffffffffu, found);
    if (threadIdx.x % 32 == 0 && mask != 0) atomicAdd(count, static_cast<uint32_t>(__popc(mask)));
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    int n = app.size(1 << 19, 1 << 22);
    bench::Random random(29);
    std::vector<unsigned char> text(static_cast<std::size_t>(n));
    for (unsigned char& c : text) c = static_cast<unsigned char>('a' + random.below(2));
    unsigned char want[8] = {'a', 'b', 'b', 'a', 'b', 'a', 'a', 'b'};
    CUDA_OK(cudaMemcpyToSymbol(pattern, want, sizeof(want)));
    app::Buffer<unsigned char> device(text);
    app::Buffer<uint32_t> count(1);
    count.clear();
    string_match<<<app::blocks(n, 256), 256>>>(device.get(), n, count.get());
    bench::finish();
    uint32_t expected = 0;
    for (std::size_t i = 0; i + 8 <= text.size(); ++i) expected += std::equal(want, want + 8, &text[i]) ? 1 : 0;
    app.check(count.download(), {expected}, 0);
    return app.finish();
}
