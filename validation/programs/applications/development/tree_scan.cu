// SPDX-License-Identifier: Apache-2.0
//
// Exclusive sums of pieces of 1024 numbers: up- and down-sweep through a tree in shared memory, without padding, so that accesses
// conflict and most lanes are off near the root.
#include "../app.h"

constexpr int kPiece = 1024;

__global__ void tree_scan(const int* in, int* out) {
    __shared__ int tree[kPiece];
    const int id = static_cast<int>(threadIdx.x);
    const int base = static_cast<int>(blockIdx.x) * kPiece;
    tree[2 * id] = in[base + 2 * id];
    tree[2 * id + 1] = in[base + 2 * id + 1];
    int offset = 1;
    for (int nodes = kPiece / 2; nodes > 0; nodes >>= 1) {
        __syncthreads();
        if (id < nodes) tree[offset * (2 * id + 2) - 1] += tree[offset * (2 * id + 1) - 1];
        offset *= 2;
    }
    if (id == 0) tree[kPiece - 1] = 0;
    for (int nodes = 1; nodes < kPiece; nodes *= 2) {
        offset >>= 1;
        __syncthreads();
        if (id < nodes) {
            const int left = offset * (2 * id + 1) - 1;
            const int right = offset * (2 * id + 2) - 1;
            const int value = tree[left];
            tree[left] = tree[right];
            tree[right] += value;
        }
    }
    __syncthreads();
    out[base + 2 * id] = tree[2 * id];
    out[base + 2 * id + 1] = tree[2 * id + 1];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 20, 1 << 22);  // a multiple of 1024
    const auto data = app::integers(static_cast<std::size_t>(n), 124, 16);
    app::Buffer<uint32_t> in(data);
    app::Buffer<int> out(data.size());
    tree_scan<<<static_cast<unsigned>(n / kPiece), kPiece / 2>>>(reinterpret_cast<const int*>(in.get()), out.get());
    bench::finish();
    std::vector<int> want(data.size());
    int sum = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
        if (i % kPiece == 0) sum = 0;
        want[i] = sum;
        sum += static_cast<int>(data[i]);
    }
    app.check(out.download(), want, 0);
    return app.finish();
}
