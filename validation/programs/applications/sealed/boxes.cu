// SPDX-License-Identifier: Apache-2.0
//
// Rays against boxes: every ray tests all boxes in constant memory, then the hits walk a grid until they leave it.
#include "../app.h"

constexpr int kBoxes = 256, kGrid = 32;
__constant__ float box[kBoxes][6];

__global__ void nearest_box(const float* origins, const float* directions, float* at, int* which, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float o[3], inverse[3];
    for (int c = 0; c < 3; ++c) o[c] = origins[c * n + i], inverse[c] = 1.0f / directions[c * n + i];
    float best = 1e30f;
    int found = -1;
    for (int b = 0; b < kBoxes; ++b) {
        float enter = 0, leave = best;
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            const float a = (box[b][c] - o[c]) * inverse[c], z = (box[b][3 + c] - o[c]) * inverse[c];
            enter = fmaxf(enter, fminf(a, z));
            leave = fminf(leave, fmaxf(a, z));
        }
        if (enter < leave) best = enter, found = b;
    }
    at[i] = best;
    which[i] = found;
}

// From a cell on, one cell after another in the direction that the cell's number gives, until a mark or the border.
__global__ void walk(const uint8_t* cells, const int* which, int* steps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int count = 0;
    if (which[i] >= 0) {
        int x = which[i] % kGrid, y = which[i] * 7 % kGrid, z = i % kGrid;
        while (count < 200) {
            const int go = cells[(z * kGrid + y) * kGrid + x];
            if (go == 6) break;
            const int by = go % 2 == 0 ? 1 : -1;
            if (go / 2 == 0) x += by;
            else if (go / 2 == 1) y += by;
            else z += by;
            if (x < 0 || y < 0 || z < 0 || x >= kGrid || y >= kGrid || z >= kGrid) break;
            ++count;
        }
    }
    steps[i] = count;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(16384, 262144);
    const auto count = static_cast<std::size_t>(n);
    const auto corners = app::floats(kBoxes * 3, 89, -8, 8), sizes = app::floats(kBoxes * 3, 90, 0.1f, 1.0f);
    const auto origins = app::floats(count * 3, 91, -10, 10);
    auto directions = app::floats(count * 3, 92);
    for (float& d : directions) d = d < 0 ? d - 0.05f : d + 0.05f;
    const auto numbers = app::integers(kGrid * kGrid * kGrid, 93, 7);
    const std::vector<uint8_t> cells(numbers.begin(), numbers.end());
    std::vector<float> all(kBoxes * 6);
    for (int b = 0; b < kBoxes; ++b)
        for (int c = 0; c < 3; ++c) all[b * 6 + c] = corners[b * 3 + c], all[b * 6 + 3 + c] = corners[b * 3 + c] + sizes[b * 3 + c];
    CUDA_OK(cudaMemcpyToSymbol(box, all.data(), all.size() * sizeof(float)));
    app::Buffer<float> o(origins), d(directions), at(n);
    app::Buffer<int> which(n), steps(n);
    app::Buffer<uint8_t> grid(cells);
    nearest_box<<<app::blocks(n, 128), 128>>>(o.get(), d.get(), at.get(), which.get(), n);
    walk<<<app::blocks(n, 128), 128>>>(grid.get(), which.get(), steps.get(), n);
    bench::finish();
    const auto hit = which.download();
    const auto where = at.download();
    std::vector<float> want(n);
    std::vector<int> counts(n);
    for (int i = 0; i < n; ++i) {
        double best = 1e30;
        for (int b = 0; b < kBoxes; ++b) {
            double enter = 0, leave = best;
            for (int c = 0; c < 3; ++c) {
                const double a = (double(all[b * 6 + c]) - origins[c * count + i]) / directions[c * count + i];
                const double z = (double(all[b * 6 + 3 + c]) - origins[c * count + i]) / directions[c * count + i];
                enter = std::max(enter, std::min(a, z));
                leave = std::min(leave, std::max(a, z));
            }
            if (enter < leave) best = enter;
        }
        // A ray that just touches a box may be decided either way in single precision.
        want[i] = (where[i] > 1e29f) != (best > 1e29) ? where[i] : static_cast<float>(best);
        if (hit[i] < 0) continue;
        int x = hit[i] % kGrid, y = hit[i] * 7 % kGrid, z = i % kGrid;
        while (counts[i] < 200) {
            const int go = cells[(z * kGrid + y) * kGrid + x];
            if (go == 6) break;
            (go / 2 == 0 ? x : go / 2 == 1 ? y : z) += go % 2 == 0 ? 1 : -1;
            if (x < 0 || y < 0 || z < 0 || x >= kGrid || y >= kGrid || z >= kGrid) break;
            ++counts[i];
        }
    }
    std::size_t far = 0;
    for (int i = 0; i < n; ++i) far += std::fabs(want[i] - where[i]) > 1e-3f * std::max(1.0f, std::fabs(want[i]));
    app.check(std::vector<int>{far <= count / 1000 ? 0 : 1}, std::vector<int>{0}, 0);
    app.check(steps.download(), counts, 0);
    return app.finish();
}
