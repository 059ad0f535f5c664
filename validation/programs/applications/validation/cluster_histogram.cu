// SPDX-License-Identifier: Apache-2.0
//
// A histogram too large for one block: clusters of four blocks hold a part of the bins each and count in each other's shared memory.
#include <cooperative_groups.h>

#include "../app.h"

namespace cg = cooperative_groups;
constexpr int kBlocks = 4, kPart = 4096;

__global__ void __cluster_dims__(kBlocks, 1, 1) __launch_bounds__(256) cluster_histogram(const uint4* values, unsigned* bins, int count) {
    __shared__ unsigned part[kPart];
    auto cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < kPart; i += blockDim.x) part[i] = 0;
    cluster.sync();
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += static_cast<int>(gridDim.x * blockDim.x)) {
        const uint4 four = values[i];
        for (unsigned value : {four.x, four.y, four.z, four.w}) atomicAdd(cluster.map_shared_rank(part, value / kPart) + value % kPart, 1);
    }
    cluster.sync();
    const unsigned* mine = cluster.map_shared_rank(part, cluster.block_rank());
    for (int i = threadIdx.x; i < kPart; i += blockDim.x)
        if (mine[i] != 0) atomicAdd(&bins[cluster.block_rank() * kPart + i], mine[i]);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(1 << 15, 1 << 19);
    const auto values = app::integers(4 * static_cast<std::size_t>(count), 1, kBlocks * kPart);
    app::Buffer<uint32_t> dv(values), bins(kBlocks * kPart);
    bins.clear();
    cluster_histogram<<<64, 256>>>(reinterpret_cast<uint4*>(dv.get()), bins.get(), count);
    bench::finish();
    std::vector<uint32_t> want(kBlocks * kPart);
    for (uint32_t value : values) ++want[value];
    app.check(bins.download(), want, 0);
    return app.finish();
}
