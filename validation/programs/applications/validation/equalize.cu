// SPDX-License-Identifier: Apache-2.0
//
// Colours to grey, a histogram by lanes of equal value, its prefix sums, and the picture spread over all greys.
#include "../app.h"

__global__ void grey(const uchar4* in, uint8_t* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uchar4 p = in[i];
    out[i] = static_cast<uint8_t>((p.x * 77 + p.y * 151 + p.z * 28) >> 8);
}

__global__ void count(const uint8_t* in, uint32_t* bins, int n) {
    __shared__ uint32_t own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const uint32_t v = in[i];
        const unsigned same = __match_any_sync(__activemask(), v);
        if ((same & ((1u << threadIdx.x % 32) - 1)) == 0) atomicAdd(&own[v], static_cast<uint32_t>(__popc(same)));
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void prefix(const uint32_t* bins, uint8_t* map, int n) {
    __shared__ uint32_t sum[256];
    const int t = threadIdx.x;
    sum[t] = bins[t];
    __syncthreads();
    for (int k = 1; k < 256; k *= 2) {
        const uint32_t v = t >= k ? sum[t - k] : 0;
        __syncthreads();
        sum[t] += v;
        __syncthreads();
    }
    map[t] = static_cast<uint8_t>(255ull * sum[t] / static_cast<uint32_t>(n));
}

__global__ void apply(uint8_t* picture, const uint8_t* map, int n) {
    __shared__ uint8_t own[256];
    own[threadIdx.x] = map[threadIdx.x];
    __syncthreads();
    const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= n) return;
    uchar4 p = *reinterpret_cast<uchar4*>(picture + i);
    p = make_uchar4(own[p.x], own[p.y], own[p.z], own[p.w]);
    *reinterpret_cast<uchar4*>(picture + i) = p;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1 << 17, 1 << 21);
    auto random = app::integers(static_cast<std::size_t>(n), 10, 0x7fffffff);
    for (std::size_t i = 0; i < random.size(); ++i) random[i] &= 0x7f3f7fu;
    app::Buffer<uint32_t> in(random), bins(256);
    app::Buffer<uint8_t> out(static_cast<std::size_t>(n)), map(256);
    bins.clear();
    grey<<<app::blocks(n, 256), 256>>>(reinterpret_cast<const uchar4*>(in.get()), out.get(), n);
    bench::finish();
    count<<<128, 256>>>(out.get(), bins.get(), n);
    bench::finish();
    prefix<<<1, 256>>>(bins.get(), map.get(), n);
    bench::finish();
    apply<<<app::blocks(n / 4, 256), 256>>>(out.get(), map.get(), n);
    bench::finish();
    std::vector<uint8_t> g(random.size());
    std::vector<uint64_t> h(256);
    for (std::size_t i = 0; i < g.size(); ++i) {
        const uint32_t p = random[i];
        g[i] = static_cast<uint8_t>(((p & 255) * 77 + (p >> 8 & 255) * 151 + (p >> 16 & 255) * 28) >> 8);
        ++h[g[i]];
    }
    for (std::size_t i = 1; i < 256; ++i) h[i] += h[i - 1];
    for (auto& v : g) v = static_cast<uint8_t>(255ull * h[v] / static_cast<uint32_t>(n));
    app.check(out.download(), g, 0);
    return app.finish();
}
