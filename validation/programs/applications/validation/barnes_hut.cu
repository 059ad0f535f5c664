// SPDX-License-Identifier: Apache-2.0
//
// Forces by a quadtree that is walked without a stack: a warp opens a node if one of its bodies is too near to it, so that
// all lanes read the same node.
#include "../app.h"

#include <functional>

struct Node {
    float x, y, mass, size;
    int next, skip;  // First child or the following node, and the node behind the subtree; -1 ends.
};

__host__ __device__ inline bool far(const Node& node, float x, float y) {
    const float dx = node.x - x, dy = node.y - y;
    return dx * dx + dy * dy > node.size * node.size * 4.0f;
}

__host__ __device__ inline void pull(const Node& node, float x, float y, float& fx, float& fy) {
    const float dx = node.x - x, dy = node.y - y, r2 = dx * dx + dy * dy + 1e-4f;
    const float inverse = 1.0f / sqrtf(r2), strength = node.mass * inverse * inverse * inverse;
    fx += strength * dx, fy += strength * dy;
}

__global__ void __launch_bounds__(128) barnes_hut(const Node* nodes, const float2* bodies, float2* forces, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const float x = bodies[i].x, y = bodies[i].y;
    float fx = 0, fy = 0;
    for (int at = 0; at >= 0;) {
        const Node node = nodes[at];
        const bool leaf = node.size == 0.0f;
        if (leaf || __all_sync(0xffffffffu, far(node, x, y))) {
            pull(node, x, y, fx, fy);
            at = node.skip;
        } else {
            at = node.next;
        }
    }
    forces[i] = make_float2(fx, fy);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(1024, 8192);
    auto random = app::floats(2 * static_cast<std::size_t>(n), 31, 0.0f, 1.0f);
    std::vector<float2> bodies(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i] = make_float2(random[2 * i] * random[2 * i], random[2 * i + 1]);
    // Quarters in turn, which also puts bodies that are near each other side by side.
    std::vector<Node> nodes;
    std::function<int(std::size_t, std::size_t, float, float, float)> build = [&](std::size_t from, std::size_t to, float x0, float y0, float size) {
        const std::size_t own = nodes.size();
        nodes.push_back({});
        Node sum{};
        if (to - from == 1 || size < 1e-4f) {
            for (std::size_t i = from; i < to; ++i) sum.x += bodies[i].x, sum.y += bodies[i].y, sum.mass += 1.0f;
            sum.x /= sum.mass, sum.y /= sum.mass;
        } else {
            const float half = size / 2;
            auto first = bodies.begin() + static_cast<long>(from), last = bodies.begin() + static_cast<long>(to);
            auto middle = std::partition(first, last, [&](float2 b) { return b.y < y0 + half; });
            auto lower = std::partition(first, middle, [&](float2 b) { return b.x < x0 + half; });
            auto upper = std::partition(middle, last, [&](float2 b) { return b.x < x0 + half; });
            const decltype(first) ends[] = {first, lower, middle, upper, last};
            for (int q = 0; q < 4; ++q) {
                if (ends[q] == ends[q + 1]) continue;
                const int child = build(static_cast<std::size_t>(ends[q] - bodies.begin()), static_cast<std::size_t>(ends[q + 1] - bodies.begin()),
                                        x0 + (q % 2 == 1 ? half : 0), y0 + (q / 2 == 1 ? half : 0), half);
                const Node& c = nodes[static_cast<std::size_t>(child)];
                sum.x += c.x * c.mass, sum.y += c.y * c.mass, sum.mass += c.mass;
            }
            sum.x /= sum.mass, sum.y /= sum.mass, sum.size = size;
        }
        sum.next = static_cast<int>(own) + 1;
        sum.skip = static_cast<int>(nodes.size());
        nodes[own] = sum;
        return static_cast<int>(own);
    };
    build(0, bodies.size(), 0, 0, 1);
    for (Node& node : nodes) node.skip = node.skip == static_cast<int>(nodes.size()) ? -1 : node.skip;
    app::Buffer<Node> tree(nodes);
    app::Buffer<float2> in(bodies), out(bodies.size());
    barnes_hut<<<app::blocks(n, 128), 128>>>(tree.get(), in.get(), out.get(), n);
    bench::finish();
    std::vector<float> want(2 * bodies.size()), got(want.size());
    for (std::size_t warp = 0; warp < bodies.size(); warp += 32)
        for (int at = 0; at >= 0;) {
            const Node& node = nodes[static_cast<std::size_t>(at)];
            bool all = true;
            for (std::size_t i = warp; i < warp + 32; ++i) all = all && far(node, bodies[i].x, bodies[i].y);
            if (node.size == 0.0f || all)
                for (std::size_t i = warp; i < warp + 32; ++i) pull(node, bodies[i].x, bodies[i].y, want[2 * i], want[2 * i + 1]);
            at = node.size == 0.0f || all ? node.skip : node.next;
        }
    auto forces = out.download();
    for (std::size_t i = 0; i < bodies.size(); ++i) got[2 * i] = forces[i].x, got[2 * i + 1] = forces[i].y;
    app.check(got, want, 1e-3);
    return app.finish();
}
