// SPDX-License-Identifier: Apache-2.0
//
// The sixteen nearest points of each query with a heap in local memory, whose places are not known to the compiler.
#include "../app.h"

constexpr int kNearest = 16;

struct Heap {
    float distance[kNearest];
    int index[kNearest];
};

__host__ __device__ inline void replace_top(Heap& heap, float distance, int index) {
    int at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= kNearest) break;
        if (child + 1 < kNearest && heap.distance[child + 1] > heap.distance[child]) ++child;
        if (heap.distance[child] <= distance) break;
        heap.distance[at] = heap.distance[child], heap.index[at] = heap.index[child];
        at = child;
    }
    heap.distance[at] = distance, heap.index[at] = index;
}

__host__ __device__ inline void search(const float2* points, int count, float2 q, Heap& heap) {
    for (int k = 0; k < kNearest; ++k) heap.distance[k] = 1e30f, heap.index[k] = -1;
    for (int i = 0; i < count; ++i) {
        const float dx = points[i].x - q.x, dy = points[i].y - q.y;
        const float distance = dx * dx + dy * dy;
        if (distance < heap.distance[0]) replace_top(heap, distance, i);
    }
}

__global__ void __launch_bounds__(64) knn(const float2* points, const float2* queries, float* out, int count, int asked) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= asked) return;
    Heap heap;
    search(points, count, queries[i], heap);
    for (int k = 0; k < kNearest; ++k) out[i * kNearest + k] = heap.distance[k];
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int asked = app.size(2048, 6000), count = app.size(256, 400);
    auto fp = app::floats(2 * static_cast<std::size_t>(count), 21), fq = app::floats(2 * static_cast<std::size_t>(asked), 22);
    std::vector<float2> points(static_cast<std::size_t>(count)), queries(static_cast<std::size_t>(asked));
    // Multiples of 2^-11, so that squares and their sums are exact.
    auto coarse = [](float v) { return std::floor(v * 2048.0f) / 2048.0f; };
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = make_float2(coarse(fp[2 * i]), coarse(fp[2 * i + 1]));
    for (std::size_t i = 0; i < queries.size(); ++i) queries[i] = make_float2(coarse(fq[2 * i]), coarse(fq[2 * i + 1]));
    app::Buffer<float2> p(points), q(queries);
    app::Buffer<float> out(queries.size() * kNearest);
    knn<<<app::blocks(asked, 64), 64>>>(p.get(), q.get(), out.get(), count, asked);
    bench::finish();
    std::vector<float> want(out.size());
    for (std::size_t i = 0; i < queries.size(); ++i) {
        Heap heap;
        search(points.data(), count, queries[i], heap);
        for (std::size_t k = 0; k < kNearest; ++k) want[i * kNearest + k] = heap.distance[k];
    }
    app.check(out.download(), want, 0);
    return app.finish();
}
