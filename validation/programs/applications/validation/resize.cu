// SPDX-License-Identifier: Apache-2.0
//
// An image of bytes for red, green, blue and alpha, turned and scaled with bilinear interpolation, then its edges found in grey.
#include "../app.h"

__host__ __device__ inline float mix(float a, float b, float t) { return a + (b - a) * t; }

__global__ void resize(const uchar4* in, uchar4* out, int n, float c, float s) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= n || y >= n) return;
    const float u = fminf(fmaxf(c * x - s * y + 0.2f * n, 0.0f), n - 1.001f), v = fminf(fmaxf(s * x + c * y, 0.0f), n - 1.001f);
    const int iu = static_cast<int>(u), iv = static_cast<int>(v);
    const float fu = u - iu, fv = v - iv;
    const uchar4 a = in[iv * n + iu], b = in[iv * n + iu + 1], d = in[(iv + 1) * n + iu], e = in[(iv + 1) * n + iu + 1];
    auto channel = [&](unsigned char p, unsigned char q, unsigned char r, unsigned char t) {
        return static_cast<unsigned char>(mix(mix(p, q, fu), mix(r, t, fu), fv) + 0.5f);
    };
    out[y * n + x] = make_uchar4(channel(a.x, b.x, d.x, e.x), channel(a.y, b.y, d.y, e.y), channel(a.z, b.z, d.z, e.z), channel(a.w, b.w, d.w, e.w));
}

__global__ void edges(const uchar4* in, unsigned char* out, int n) {
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    if (x >= n || y >= n) return;
    auto grey = [&](int yy, int xx) {
        const uchar4 p = in[min(max(yy, 0), n - 1) * n + min(max(xx, 0), n - 1)];
        return (77 * p.x + 151 * p.y + 28 * p.z) >> 8;
    };
    const int gx = grey(y - 1, x + 1) + 2 * grey(y, x + 1) + grey(y + 1, x + 1) - grey(y - 1, x - 1) - 2 * grey(y, x - 1) - grey(y + 1, x - 1);
    const int gy = grey(y + 1, x - 1) + 2 * grey(y + 1, x) + grey(y + 1, x + 1) - grey(y - 1, x - 1) - 2 * grey(y - 1, x) - grey(y - 1, x + 1);
    out[y * n + x] = static_cast<unsigned char>(min((abs(gx) + abs(gy)) >> 1, 255));
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int n = app.size(320, 1280);
    auto image = app::integers(static_cast<std::size_t>(n) * n, 1, 0xffffffffu);
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) image[y * n + x] = (image[y * n + x] & 0x0f0f0f0fu) + 0x01010101u * static_cast<uint32_t>((x / 9 + y / 7) % 15 * 16);
    app::Buffer<uint32_t> di(image), turned(image.size());
    app::Buffer<unsigned char> out(image.size());
    const dim3 grid(app::blocks(n, 32), app::blocks(n, 8)), block(32, 8);
    resize<<<grid, block>>>(reinterpret_cast<uchar4*>(di.get()), reinterpret_cast<uchar4*>(turned.get()), n, 0.9f, 0.15f);
    bench::finish();
    edges<<<grid, block>>>(reinterpret_cast<uchar4*>(turned.get()), out.get(), n);
    bench::finish();
    auto got = turned.download();
    auto found = out.download();
    std::vector<int> have, want;
    auto grey = [&](int y, int x) {
        const uint32_t p = got[std::min(std::max(y, 0), n - 1) * n + std::min(std::max(x, 0), n - 1)];
        return static_cast<int>(77 * (p & 255) + 151 * (p >> 8 & 255) + 28 * (p >> 16 & 255)) >> 8;
    };
    for (int i = 0; i < n * n; i += 13) {
        const int x = i % n, y = i / n;
        const float u = std::min(std::max(0.9f * x - 0.15f * y + 0.2f * n, 0.0f), n - 1.001f), v = std::min(std::max(0.15f * x + 0.9f * y, 0.0f), n - 1.001f);
        const int iu = static_cast<int>(u), iv = static_cast<int>(v);
        for (int shift = 0; shift < 32; shift += 8) {
            auto at = [&](int yy, int xx) { return static_cast<float>(image[yy * n + xx] >> shift & 255); };
            const float value = mix(mix(at(iv, iu), at(iv, iu + 1), u - iu), mix(at(iv + 1, iu), at(iv + 1, iu + 1), u - iu), v - iv);
            const int difference = static_cast<int>(got[i] >> shift & 255) - static_cast<int>(value + 0.5f);
            have.push_back(std::abs(difference) <= 1 ? 0 : difference);
            want.push_back(0);
        }
        const int gx = grey(y - 1, x + 1) + 2 * grey(y, x + 1) + grey(y + 1, x + 1) - grey(y - 1, x - 1) - 2 * grey(y, x - 1) - grey(y + 1, x - 1);
        const int gy = grey(y + 1, x - 1) + 2 * grey(y + 1, x) + grey(y + 1, x + 1) - grey(y - 1, x - 1) - 2 * grey(y - 1, x) - grey(y - 1, x + 1);
        have.push_back(found[i]);
        want.push_back(std::min((std::abs(gx) + std::abs(gy)) >> 1, 255));
    }
    app.check(have, want, 0);
    return app.finish();
}
