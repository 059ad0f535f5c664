// SPDX-License-Identifier: Apache-2.0
//
// Textures: an image turned by an angle with the filter of a texture, rows of a sparse matrix with the vector read through
// a texture of linear memory (as SHOC's), and a surface that is smoothed into another.
#include "../app.h"

constexpr int kElements = 12;

__global__ void rotate(cudaTextureObject_t image, float* out, int width, int height, float c, float s) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= width || y >= height) return;
    const float u = static_cast<float>(x) - 0.5f * static_cast<float>(width), v = static_cast<float>(y) - 0.5f * static_cast<float>(height);
    out[y * width + x] = tex2D<float>(image, u * c - v * s + 0.5f * static_cast<float>(width), u * s + v * c + 0.5f * static_cast<float>(height));
}

__global__ void sparse_rows(const float* values, const int* columns, cudaTextureObject_t vector, float* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < kElements; ++k) sum += values[k * n + i] * tex1Dfetch<float>(vector, columns[k * n + i]);
    out[i] = sum;
}

__global__ void smooth(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x < 1 || y < 1 || x + 1 >= width || y + 1 >= height) return;
    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) sum += surf2Dread<float>(from, (x + dx) * 4, y + dy);
    surf2Dwrite(sum / 9.0f, to, x * 4, y);
}

class Image {
public:
    Image(int width, int height, unsigned flags) {
        const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
        CUDA_OK(cudaMallocArray(&array_, &format, static_cast<std::size_t>(width), static_cast<std::size_t>(height), flags));
        resource_.resType = cudaResourceTypeArray, resource_.res.array.array = array_;
        row_ = static_cast<std::size_t>(width) * 4, height_ = static_cast<std::size_t>(height);
    }
    ~Image() { cudaFreeArray(array_); }
    void upload(const std::vector<float>& from) { CUDA_OK(cudaMemcpy2DToArray(array_, 0, 0, from.data(), row_, row_, height_, cudaMemcpyHostToDevice)); }
    std::vector<float> download() const {
        std::vector<float> to(row_ / 4 * height_);
        CUDA_OK(cudaMemcpy2DFromArray(to.data(), row_, array_, 0, 0, row_, height_, cudaMemcpyDeviceToHost));
        return to;
    }
    const cudaResourceDesc& resource() const { return resource_; }

private:
    cudaArray_t array_ = nullptr;
    cudaResourceDesc resource_{};
    std::size_t row_ = 0, height_ = 0;
};

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int width = app.size(320, 1280), height = width * 3 / 4, n = width * height / 4;
    const auto pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height), rows = static_cast<std::size_t>(n);
    const auto picture = app::floats(pixels, 1);
    const dim3 grid(app::blocks(width, 32), app::blocks(height, 8)), block(32, 8);

    Image image(width, height, cudaArrayDefault);
    image.upload(picture);
    cudaTextureDesc filter{};
    filter.addressMode[0] = filter.addressMode[1] = cudaAddressModeClamp;
    filter.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t turned;
    CUDA_OK(cudaCreateTextureObject(&turned, &image.resource(), &filter, nullptr));
    app::Buffer<float> out(pixels);
    const float c = std::cos(0.4f), s = std::sin(0.4f);
    rotate<<<grid, block>>>(turned, out.get(), width, height, c, s);
    bench::finish();

    auto values = app::floats(kElements * rows, 2), vector = app::floats(rows, 3);
    bench::Random random(4);
    std::vector<int> columns(kElements * rows);
    for (std::size_t i = 0; i < columns.size(); ++i)
        columns[i] = static_cast<int>((i % rows + (random.below(4) == 0 ? random.below(static_cast<uint32_t>(n)) : random.below(32))) % rows);
    app::Buffer<float> v(values), x(vector), product(rows);
    app::Buffer<int> col(columns);
    cudaResourceDesc memory{};
    memory.resType = cudaResourceTypeLinear;
    memory.res.linear.devPtr = x.get(), memory.res.linear.sizeInBytes = rows * 4, memory.res.linear.desc = cudaCreateChannelDesc<float>();
    cudaTextureDesc plain{};
    cudaTextureObject_t fetched;
    CUDA_OK(cudaCreateTextureObject(&fetched, &memory, &plain, nullptr));
    sparse_rows<<<app::blocks(n, 256), 256>>>(v.get(), col.get(), fetched, product.get(), n);
    bench::finish();

    Image from(width, height, cudaArraySurfaceLoadStore), to(width, height, cudaArraySurfaceLoadStore);
    from.upload(picture), to.upload(picture);
    cudaSurfaceObject_t read, written;
    CUDA_OK(cudaCreateSurfaceObject(&read, &from.resource()));
    CUDA_OK(cudaCreateSurfaceObject(&written, &to.resource()));
    smooth<<<grid, block>>>(read, written, width, height);
    bench::finish();

    std::vector<float> want(pixels), smoothed = picture, sums(rows);
    auto texel = [&](int i, int j) { return picture[static_cast<std::size_t>(std::min(std::max(j, 0), height - 1) * width + std::min(std::max(i, 0), width - 1))]; };
    for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i) {
            const float a = static_cast<float>(i) - 0.5f * static_cast<float>(width), b = static_cast<float>(j) - 0.5f * static_cast<float>(height);
            const float tx = a * c - b * s + 0.5f * static_cast<float>(width) - 0.5f, ty = a * s + b * c + 0.5f * static_cast<float>(height) - 0.5f;
            const int ix = static_cast<int>(std::floor(tx)), iy = static_cast<int>(std::floor(ty));
            const float fx = tx - static_cast<float>(ix), fy = ty - static_cast<float>(iy);
            want[static_cast<std::size_t>(j * width + i)] = (texel(ix, iy) * (1 - fx) + texel(ix + 1, iy) * fx) * (1 - fy) + (texel(ix, iy + 1) * (1 - fx) + texel(ix + 1, iy + 1) * fx) * fy;
            if (i < 1 || j < 1 || i + 1 >= width || j + 1 >= height) continue;
            float sum = 0;
            for (int k = 0; k < 9; ++k) sum += texel(i + k % 3 - 1, j + k / 3 - 1);
            smoothed[static_cast<std::size_t>(j * width + i)] = sum / 9.0f;
        }
    for (std::size_t i = 0; i < columns.size(); ++i) sums[i % rows] += values[i] * vector[static_cast<std::size_t>(columns[i])];
    app.check(out.download(), want, 0.02);  // a filter's weights have eight bits
    app.check(product.download(), sums, 1e-5);
    app.check(to.download(), smoothed, 1e-5);
    return app.finish();
}
