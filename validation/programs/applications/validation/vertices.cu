// SPDX-License-Identifier: Apache-2.0
//
// Structures of three floats, which no aligned access fits: normals of a mesh's faces added to its vertices, a transform, and
// inverses of 3x3 matrices that lie one after the other.
#include "../app.h"

struct Vector {
    float x, y, z;
};
struct Matrix {
    float of[9];
};

__host__ __device__ inline Vector normal(Vector a, Vector b, Vector c) {
    const float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
    return {uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx};
}

__host__ __device__ inline Matrix inverse(const Matrix& m) {
    const float* a = m.of;
    const float c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8], c2 = a[3] * a[7] - a[4] * a[6];
    const float d = 1.0f / (a[0] * c0 + a[1] * c1 + a[2] * c2);
    return {{c0 * d, (a[2] * a[7] - a[1] * a[8]) * d, (a[1] * a[5] - a[2] * a[4]) * d, c1 * d, (a[0] * a[8] - a[2] * a[6]) * d,
             (a[2] * a[3] - a[0] * a[5]) * d, c2 * d, (a[1] * a[6] - a[0] * a[7]) * d, (a[0] * a[4] - a[1] * a[3]) * d}};
}

__global__ void face_normals(const Vector* points, const int3* faces, Vector* sums, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const int3 f = faces[i];
    const Vector v = normal(points[f.x], points[f.y], points[f.z]);
    const int corners[3] = {f.x, f.y, f.z};
    for (int k = 0; k < 3; ++k) {
        atomicAdd(&sums[corners[k]].x, v.x);
        atomicAdd(&sums[corners[k]].y, v.y);
        atomicAdd(&sums[corners[k]].z, v.z);
    }
}

__global__ void transform(const Vector* points, const Vector* sums, Vector* out, Matrix m, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const Vector p = points[i], s = sums[i];
    const float length = 0.1f / sqrtf(s.x * s.x + s.y * s.y + s.z * s.z + 1e-6f);
    const float x = p.x + s.x * length, y = p.y + s.y * length, z = p.z + s.z * length;
    out[i] = {m.of[0] * x + m.of[1] * y + m.of[2] * z, m.of[3] * x + m.of[4] * y + m.of[5] * z, m.of[6] * x + m.of[7] * y + m.of[8] * z};
}

__global__ void invert(const Matrix* in, Matrix* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = inverse(in[i]);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int side = app.size(100, 400), n = side * side, faces = 2 * (side - 1) * (side - 1);
    const auto count = static_cast<std::size_t>(n);
    auto heights = app::floats(count, 61), random = app::floats(9 * count, 62);
    std::vector<Vector> points(count), sums(count);
    for (std::size_t i = 0; i < count; ++i)
        points[i] = {static_cast<float>(static_cast<int>(i) % side), static_cast<float>(static_cast<int>(i) / side), heights[i]};
    std::vector<int3> corners;
    for (int y = 0; y + 1 < side; ++y)
        for (int x = 0; x + 1 < side; ++x) {
            const int at = y * side + x;
            corners.push_back(make_int3(at, at + 1, at + side));
            corners.push_back(make_int3(at + 1, at + side + 1, at + side));
        }
    std::vector<Matrix> matrices(count);
    for (std::size_t i = 0; i < 9 * count; ++i) matrices[i / 9].of[i % 9] = random[i] + (i % 9 % 4 == 0 ? 3.0f : 0.0f);
    const Matrix turn = {{0.8f, -0.6f, 0.0f, 0.6f, 0.8f, 0.0f, 0.0f, 0.0f, 1.0f}};
    app::Buffer<Vector> p(points), s(count), moved(count);
    app::Buffer<int3> f(corners);
    app::Buffer<Matrix> m(matrices), inverted(count);
    s.clear();
    face_normals<<<app::blocks(faces, 256), 256>>>(p.get(), f.get(), s.get(), faces);
    bench::finish();
    transform<<<app::blocks(n, 256), 256>>>(p.get(), s.get(), moved.get(), turn, n);
    bench::finish();
    invert<<<app::blocks(n, 128), 128>>>(m.get(), inverted.get(), n);
    bench::finish();
    for (const int3& c : corners) {
        const int of[3] = {c.x, c.y, c.z};
        const Vector v = normal(points[static_cast<std::size_t>(c.x)], points[static_cast<std::size_t>(c.y)], points[static_cast<std::size_t>(c.z)]);
        for (int k : of) sums[static_cast<std::size_t>(k)].x += v.x, sums[static_cast<std::size_t>(k)].y += v.y, sums[static_cast<std::size_t>(k)].z += v.z;
    }
    std::vector<float> want, got, want_inverse, got_inverse;
    auto result = moved.download();
    auto matrix = inverted.download();
    for (std::size_t i = 0; i < count; ++i) {
        const float length = 0.1f / std::sqrt(sums[i].x * sums[i].x + sums[i].y * sums[i].y + sums[i].z * sums[i].z + 1e-6f);
        const float at[3] = {points[i].x + sums[i].x * length, points[i].y + sums[i].y * length, points[i].z + sums[i].z * length};
        for (int k = 0; k < 3; ++k) want.push_back(turn.of[3 * k] * at[0] + turn.of[3 * k + 1] * at[1] + turn.of[3 * k + 2] * at[2]);
        got.insert(got.end(), {result[i].x, result[i].y, result[i].z});
        const Matrix of = inverse(matrices[i]);
        want_inverse.insert(want_inverse.end(), of.of, of.of + 9);
        got_inverse.insert(got_inverse.end(), matrix[i].of, matrix[i].of + 9);
    }
    app.check(got, want, 1e-4);
    app.check(got_inverse, want_inverse, 1e-4);
    return app.finish();
}
