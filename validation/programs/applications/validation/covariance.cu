// SPDX-License-Identifier: Apache-2.0
//
// Covariance of columns (as PolyBench's): a thread for each column's mean, then centred data, then a thread for each row
// of the triangle, whose work shrinks from row to row.
#include "../app.h"

__global__ void means(const float* data, float* mean, int points, int columns) {
    const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (j >= columns) return;
    float sum = 0;
    for (int i = 0; i < points; ++i) sum += data[i * columns + j];
    mean[j] = sum / static_cast<float>(points);
}

__global__ void centre(float* data, const float* mean, int points, int columns) {
    const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), i = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (i < points && j < columns) data[i * columns + j] -= mean[j];
}

__global__ void triangle(const float* data, float* out, int points, int columns) {
    const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (j >= columns) return;
    for (int k = j; k < columns; ++k) {
        float sum = 0;
        for (int i = 0; i < points; ++i) sum += data[i * columns + j] * data[i * columns + k];
        out[j * columns + k] = out[k * columns + j] = sum / static_cast<float>(points - 1);
    }
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int columns = app.size(96, 224), points = columns;
    const auto n = static_cast<std::size_t>(columns), m = static_cast<std::size_t>(points);
    auto in = app::floats(n * m, 9);
    app::Buffer<float> data(in), mean(n), out(n * n);
    means<<<app::blocks(columns, 256), 256>>>(data.get(), mean.get(), points, columns);
    bench::finish();
    centre<<<dim3(app::blocks(columns, 32), app::blocks(points, 8)), dim3(32, 8)>>>(data.get(), mean.get(), points, columns);
    bench::finish();
    triangle<<<app::blocks(columns, 64), 64>>>(data.get(), out.get(), points, columns);
    bench::finish();
    std::vector<double> centred(n * m);
    for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t i = 0; i < m; ++i) sum += in[i * n + j];
        for (std::size_t i = 0; i < m; ++i) centred[i * n + j] = in[i * n + j] - sum / static_cast<double>(m);
    }
    std::vector<float> want(n * n);
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k) {
            double sum = 0;
            for (std::size_t i = 0; i < m; ++i) sum += centred[i * n + j] * centred[i * n + k];
            want[j * n + k] = static_cast<float>(sum / static_cast<double>(m - 1));
        }
    app.check(out.download(), want, 1e-4);
    return app.finish();
}
