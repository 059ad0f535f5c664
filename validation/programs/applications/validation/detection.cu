// SPDX-License-Identifier: Apache-2.0
//
// The end of an object detector: features of boxes by bilinear sampling, overlaps of all pairs as bits, and the boxes that remain.
#include "../app.h"

constexpr int kBins = 7, kBlock = 64;

__host__ __device__ inline float sample(const float* plane, int side, float y, float x) {
    if (y < -1 || y > side || x < -1 || x > side) return 0;
    y = fmaxf(y, 0), x = fmaxf(x, 0);
    int y0 = static_cast<int>(y), x0 = static_cast<int>(x), y1 = y0 + 1, x1 = x0 + 1;
    if (y0 >= side - 1) y0 = y1 = side - 1, y = static_cast<float>(y0);
    if (x0 >= side - 1) x0 = x1 = side - 1, x = static_cast<float>(x0);
    const float fy = y - static_cast<float>(y0), fx = x - static_cast<float>(x0);
    return (1 - fy) * ((1 - fx) * plane[y0 * side + x0] + fx * plane[y0 * side + x1]) + fy * ((1 - fx) * plane[y1 * side + x0] + fx * plane[y1 * side + x1]);
}

__host__ __device__ inline float bin_mean(const float* plane, int side, float4 box, int by, int bx) {
    const float high = fmaxf(box.w - box.y, 1.0f) / kBins, wide = fmaxf(box.z - box.x, 1.0f) / kBins;
    float sum = 0;
    for (int iy = 0; iy < 2; ++iy)
        for (int ix = 0; ix < 2; ++ix)
            sum += sample(plane, side, box.y + (static_cast<float>(by) + (static_cast<float>(iy) + 0.5f) / 2) * high,
                          box.x + (static_cast<float>(bx) + (static_cast<float>(ix) + 0.5f) / 2) * wide);
    return sum / 4;
}

__global__ void roi_align(const float* features, const float4* boxes, float* out, int side, int channels, int total) {
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < total; i += static_cast<int>(gridDim.x * blockDim.x)) {
        const int bx = i % kBins, by = i / kBins % kBins, channel = i / (kBins * kBins) % channels, box = i / (kBins * kBins) / channels;
        out[i] = bin_mean(features + channel * side * side, side, boxes[box], by, bx);
    }
}

__host__ __device__ inline bool overlap(float4 a, float4 b) {
    const float wide = fmaxf(fminf(a.z, b.z) - fmaxf(a.x, b.x), 0.0f), high = fmaxf(fminf(a.w, b.w) - fmaxf(a.y, b.y), 0.0f), both = wide * high;
    return both > 0.5f * ((a.z - a.x) * (a.w - a.y) + (b.z - b.x) * (b.w - b.y) - both);
}

__global__ void __launch_bounds__(kBlock) overlaps(const float4* boxes, unsigned long long* bits, int count) {
    if (blockIdx.y > blockIdx.x) return;
    __shared__ float4 columns[kBlock];
    const int row = blockIdx.y * kBlock + threadIdx.x, column = blockIdx.x * kBlock;
    columns[threadIdx.x] = boxes[column + threadIdx.x];
    __syncthreads();
    const float4 mine = boxes[row];
    unsigned long long mask = 0;
    for (int i = blockIdx.x == blockIdx.y ? static_cast<int>(threadIdx.x) + 1 : 0; i < kBlock; ++i)
        if (overlap(mine, columns[i])) mask |= 1ull << i;
    bits[static_cast<std::size_t>(row) * gridDim.x + blockIdx.x] = mask;
}

// One warp: a lane keeps the words of what is gone.
__global__ void remaining(const unsigned long long* bits, int* kept, int* kept_count, int count) {
    extern __shared__ unsigned long long gone[];
    const int words = count / kBlock;
    for (int i = threadIdx.x; i < words; i += 32) gone[i] = 0;
    __syncwarp();
    int next = 0;
    for (int i = 0; i < count; ++i) {
        if (gone[i / kBlock] >> (i % kBlock) & 1) continue;
        if (threadIdx.x == 0) kept[next] = i;
        ++next;
        __syncwarp();
        for (int word = static_cast<int>(threadIdx.x) + i / kBlock / 32 * 32; word < words; word += 32)
            if (word >= i / kBlock) gone[word] |= bits[static_cast<std::size_t>(i) * words + word];
        __syncwarp();
    }
    if (threadIdx.x == 0) *kept_count = next;
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(256, 1024), side = 64, channels = 32;
    const auto features = app::floats(static_cast<std::size_t>(channels) * side * side, 1), place = app::floats(4 * static_cast<std::size_t>(count), 2, 0, 1);
    std::vector<float4> boxes;
    for (int i = 0; i < count; ++i) {
        const float x = std::floor(place[4 * i] * 12) * 5, y = std::floor(place[4 * i + 1] * 12) * 5;
        boxes.push_back(make_float4(x, y, x + 4 + 20 * place[4 * i + 2], y + 4 + 20 * place[4 * i + 3]));
    }
    app::Buffer<float> df(features), out(static_cast<std::size_t>(count) * channels * kBins * kBins);
    app::Buffer<float4> db(boxes);
    app::Buffer<unsigned long long> bits(static_cast<std::size_t>(count) * (count / kBlock));
    app::Buffer<int> kept(count), kept_count(1);
    bits.clear();
    roi_align<<<1056, 128>>>(df.get(), db.get(), out.get(), side, channels, static_cast<int>(out.size()));
    bench::finish();
    overlaps<<<dim3(count / kBlock, count / kBlock), kBlock>>>(db.get(), bits.get(), count);
    bench::finish();
    remaining<<<1, 32, count / kBlock * sizeof(unsigned long long)>>>(bits.get(), kept.get(), kept_count.get(), count);
    bench::finish();
    const auto result = out.download();
    std::vector<float> got, want;
    for (std::size_t i = 0; i < result.size(); i += 11) {
        const int at = static_cast<int>(i);
        got.push_back(result[i]);
        want.push_back(bin_mean(&features[at / (kBins * kBins) % channels * side * side], side, boxes[at / (kBins * kBins) / channels], at / kBins % kBins, at % kBins));
    }
    app.check(got, want, 1e-4);
    std::vector<int> have = kept.download(), stay;
    have.resize(kept_count.download()[0]);
    std::vector<bool> dropped(count);
    for (int i = 0; i < count; ++i) {
        if (dropped[i]) continue;
        stay.push_back(i);
        for (int j = i + 1; j < count; ++j)
            if (overlap(boxes[i], boxes[j])) dropped[j] = true;
    }
    app.check(have, stay, 0);
    return app.finish();
}
