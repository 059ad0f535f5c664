// SPDX-License-Identifier: Apache-2.0
//
// One step of PageRank on a random graph, twice: pushed along the edges with float atomics, and pulled with a thread
// per vertex.
#include "../app.h"

__global__ void pagerank_push(const int* first, const int* target, const float* rank, float* next, int vertices) {
    const int v = static_cast<int>(threadIdx.x + blockDim.x * blockIdx.x);
    if (v >= vertices) return;
    const int begin = first[v], end = first[v + 1];
    if (begin == end) return;
    const float share = 0.85f * rank[v] / static_cast<float>(end - begin);
    for (int e = begin; e < end; ++e) atomicAdd(&next[target[e]], share);
}

__global__ void pagerank_pull(const int* first, const int* source, const int* degree, const float* rank, float* next,
                              int vertices) {
    const int v = static_cast<int>(threadIdx.x + blockDim.x * blockIdx.x);
    if (v >= vertices) return;
    float sum = 0;
    for (int e = first[v]; e < first[v + 1]; ++e) sum += rank[source[e]] / static_cast<float>(degree[source[e]]);
    next[v] = 0.85f * sum;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int vertices = app.size(1 << 14, 1 << 17);
    bench::Random random(13);
    std::vector<int> first(static_cast<std::size_t>(vertices) + 1), target;
    for (int v = 0; v < vertices; ++v) {
        const uint32_t degree = 1 + random.below(random.below(4) == 0 ? 24 : 8);
        for (uint32_t e = 0; e < degree; ++e) target.push_back(static_cast<int>(random.below(static_cast<uint32_t>(vertices))));
        first[static_cast<std::size_t>(v) + 1] = static_cast<int>(target.size());
    }
    std::vector<int> degree(static_cast<std::size_t>(vertices)), in(static_cast<std::size_t>(vertices) + 1), source(target.size());
    for (int t : target) ++in[static_cast<std::size_t>(t) + 1];
    for (std::size_t v = 1; v < in.size(); ++v) in[v] += in[v - 1];
    std::vector<int> at(in.begin(), in.end() - 1);
    std::vector<float> want(static_cast<std::size_t>(vertices)), rank = app::floats(static_cast<std::size_t>(vertices), 2, 0, 1);
    for (int v = 0; v < vertices; ++v) {
        degree[v] = first[v + 1] - first[v];
        for (int e = first[v]; e < first[v + 1]; ++e) {
            source[static_cast<std::size_t>(at[target[e]]++)] = v;
            want[static_cast<std::size_t>(target[e])] += 0.85f * rank[v] / static_cast<float>(degree[v]);
        }
    }
    app::Buffer<int> df(first), dt(target), di(in), ds(source), dd(degree);
    app::Buffer<float> dr(rank), dn(rank.size()), dp(rank.size());
    dn.clear();
    pagerank_push<<<app::blocks(vertices, 256), 256>>>(df.get(), dt.get(), dr.get(), dn.get(), vertices);
    pagerank_pull<<<app::blocks(vertices, 256), 256>>>(di.get(), ds.get(), dd.get(), dr.get(), dp.get(), vertices);
    bench::finish();
    app.check(dn.download(), want, 1e-4);
    app.check(dp.download(), want, 1e-4);
    return app.finish();
}
