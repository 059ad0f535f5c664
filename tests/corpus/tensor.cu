// SPDX-License-Identifier: Apache-2.0
// Tensor cores: wmma and every mma.sync shape that matters, ldmatrix. Inputs are small whole numbers, so that sums are
// exact in every accumulator and in any order; the last kernel takes arbitrary numbers and allows for rounding.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "corpus.h"

using namespace corpus;
using u32 = unsigned;

__global__ void wmma_half(const __half* a, const __half* b, float* c32, __half* c16) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> wide;
  fragment<accumulator, 16, 16, 16, __half> narrow;
  load_matrix_sync(fa, a, 16);
  load_matrix_sync(fb, b, 16);
  fill_fragment(wide, 1.0f);
  fill_fragment(narrow, __float2half(2.0f));
  mma_sync(wide, fa, fb, wide);
  mma_sync(narrow, fa, fb, narrow);
  store_matrix_sync(c32, wide, 16, mem_row_major);
  store_matrix_sync(c16, narrow, 16, mem_row_major);
}

__global__ void wmma_half_layouts(const __half* a, const __half* b, float* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 32, 8, 16, __half, col_major> fa;
  fragment<matrix_b, 32, 8, 16, __half, row_major> fb;
  fragment<accumulator, 32, 8, 16, float> sum;
  fill_fragment(sum, 0.0f);
  load_matrix_sync(fa, a, 32);
  load_matrix_sync(fb, b, 8);
  mma_sync(sum, fa, fb, sum);
  store_matrix_sync(c, sum, 8, mem_row_major);
}

__global__ void wmma_bytes(const signed char* a, const signed char* b, int* c) {
#if __CUDA_ARCH__ >= 720
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, signed char, row_major> fa;
  fragment<matrix_b, 16, 16, 16, signed char, col_major> fb;
  fragment<accumulator, 16, 16, 16, int> sum;
  load_matrix_sync(fa, a, 16);
  load_matrix_sync(fb, b, 16);
  fill_fragment(sum, 5);
  mma_sync(sum, fa, fb, sum);
  store_matrix_sync(c, sum, 16, mem_row_major);
#endif
}

// Raw fragments: every lane loads its registers in order and stores its results; the host knows the layouts.
template <int A, int B, int C, class Body>
__device__ void with_fragments(const u32* a, const u32* b, u32* c, Body body) {
  u32 ra[A], rb[B], rc[C];
  for (int i = 0; i < A; ++i) ra[i] = a[A * threadIdx.x + i];
  for (int i = 0; i < B; ++i) rb[i] = b[B * threadIdx.x + i];
  for (int i = 0; i < C; ++i) rc[i] = 0;
  body(ra, rb, rc);
  for (int i = 0; i < C; ++i) c[C * threadIdx.x + i] = rc[i];
}

#define MMA_4_2_4(TEXT)                                             \
  asm(TEXT " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])              \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define MMA_2_1_4(TEXT)                                    \
  asm(TEXT " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" \
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])     \
      : "r"(a[0]), "r"(a[1]), "r"(b[0]))
#define MMA_1_1_2(TEXT) asm(TEXT " {%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(c[0]), "+r"(c[1]) : "r"(a[0]), "r"(b[0]))
#define FRAGMENTS(A, B, C, MMA) with_fragments<A, B, C>(fa, fb, out, [](u32* a, u32* b, u32* c) { MMA; })

__global__ void mma_m16n8k8_half(const u32* fa, const u32* fb, u32* out) {
#if __CUDA_ARCH__ >= 750
  FRAGMENTS(2, 1, 4, MMA_2_1_4("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"));
#endif
}
__global__ void mma_m16n8k16_half(const u32* fa, const u32* fb, u32* out) {
#if __CUDA_ARCH__ >= 800
  FRAGMENTS(4, 2, 4, MMA_4_2_4("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"));
#endif
}
__global__ void mma_m16n8k16_brain(const u32* fa, const u32* fb, u32* out) {
#if __CUDA_ARCH__ >= 800
  FRAGMENTS(4, 2, 4, MMA_4_2_4("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"));
#endif
}
__global__ void mma_m16n8k8_tf32(const u32* fa, const u32* fb, u32* out) {
#if __CUDA_ARCH__ >= 800
  FRAGMENTS(4, 2, 4, MMA_4_2_4("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"));
#endif
}
__global__ void mma_m8n8k16_bytes(const u32* fa, const u32* fb, u32* out) {
#if __CUDA_ARCH__ >= 750
  FRAGMENTS(1, 1, 2, MMA_1_1_2("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32"));
#endif
}
__global__ void mma_m16n8k32_bytes(const u32* fa, const u32* fb, u32* out) {
#if __CUDA_ARCH__ >= 800
  FRAGMENTS(4, 2, 4, MMA_4_2_4("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"));
#endif
}
__global__ void mma_m8n8k32_nibbles(const u32* fa, const u32* fb, u32* out) {
#if __CUDA_ARCH__ >= 750
  FRAGMENTS(1, 1, 2, MMA_1_1_2("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32"));
#endif
}
__global__ void mma_m8n8k128_bits(const u32* fa, const u32* fb, u32* out) {
#if __CUDA_ARCH__ >= 750
  FRAGMENTS(1, 1, 2, MMA_1_1_2("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc"));
#endif
}

__global__ void mma_double(const double* a, const double* b, double* c) {
#if __CUDA_ARCH__ >= 800
  double c0 = 1, c1 = 2;
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(c0), "+d"(c1)
      : "d"(a[threadIdx.x]), "d"(b[threadIdx.x]));
  c[2 * threadIdx.x] = c0, c[2 * threadIdx.x + 1] = c1;
#endif
}

__global__ void ldmatrix(const u32* in, u32* out) {
#if __CUDA_ARCH__ >= 750
  __shared__ __align__(16) u32 tile[256];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = in[i];
  __syncthreads();
  const u32 address = static_cast<u32>(__cvta_generic_to_shared(tile + 4 * ((threadIdx.x * 5) & 31)));
  u32* r = out + 8 * threadIdx.x;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(address));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[1]), "=r"(r[2]) : "r"(address));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6])
               : "r"(address));
  r[7] = 0;
#endif
}

// A whole tile product with arbitrary numbers.
__global__ void wmma_tiles(const __half* a, const __half* b, float* c, int n) {
  using namespace nvcuda::wmma;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, row_major> fb;
    load_matrix_sync(fa, a + blockIdx.y * 16 * n + k, n);
    load_matrix_sync(fb, b + k * n + blockIdx.x * 16, n);
    mma_sync(sum, fa, fb, sum);
  }
  store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, sum, n, mem_row_major);
}

struct Matrix {
  int rows, columns;
  std::vector<int> v;
  int at(int r, int c) const { return v[r * columns + c]; }
};
static Matrix random_matrix(Random& random, int rows, int columns, int low, int high) {
  Matrix m{rows, columns, {}};
  for (int i = 0; i < rows * columns; ++i) m.v.push_back(low + static_cast<int>(random.bits() % (high - low + 1)));
  return m;
}
static int dot(const Matrix& a, const Matrix& b, int r, int c) {
  int sum = 0;
  for (int k = 0; k < a.columns; ++k) sum += a.at(r, k) * b.at(k, c);
  return sum;
}
static std::vector<__half> halves(const Matrix& m, bool transposed) {
  std::vector<__half> h;
  for (int i = 0; i < (transposed ? m.columns : m.rows); ++i)
    for (int j = 0; j < (transposed ? m.rows : m.columns); ++j)
      h.push_back(__float2half(static_cast<float>(transposed ? m.at(j, i) : m.at(i, j))));
  return h;
}

/// How one element is stored, and how wide it is.
struct Element {
  int bits;
  u32 (*encode)(int);
};
static u32 encode_half(int x) {
  const __half h = __float2half(static_cast<float>(x));
  unsigned short bits;
  std::memcpy(&bits, &h, 2);
  return bits;
}
static u32 encode_float(int x) {
  const float f = static_cast<float>(x);
  u32 bits;
  std::memcpy(&bits, &f, 4);
  return bits;
}
static u32 encode_brain(int x) { return encode_float(x) >> 16; }
static u32 encode_integer(int x) { return static_cast<u32>(x); }

/// A fragments of the PTX ISA for 8 or 16 rows: lane l holds row l/4 (and l/4+8), and runs of consecutive columns.
static std::vector<u32> fragments(const Matrix& m, Element element, bool is_a) {
  const int per = 32 / element.bits, depth = is_a ? m.columns : m.rows, lines = is_a ? m.rows : m.columns;
  std::vector<u32> words;
  for (int lane = 0; lane < 32; ++lane)
    for (int k0 = 0; k0 < depth; k0 += 4 * per)
      for (int line = lane / 4; line < lines; line += 8) {
        u32 word = 0;
        for (int e = 0; e < per; ++e) {
          const int k = k0 + lane % 4 * per + e;
          const u32 bits = element.encode(is_a ? m.at(line, k) : m.at(k, line));
          word |= (element.bits == 32 ? bits : bits & ((1u << element.bits) - 1)) << element.bits * e;
        }
        words.push_back(word);
      }
  return words;
}

static void raw(const char* name, int needs, void (*kernel)(const u32*, const u32*, u32*), const Matrix& a,
                const Matrix& b, Element element, u32 (*result)(int), bool differing_bits = false) {
  if (architecture() < needs) return skipped(name, needs);
  std::vector<u32> want;
  for (int lane = 0; lane < 32; ++lane)
    for (int row = lane / 4; row < a.rows; row += 8)
      for (int e = 0; e < 2; ++e) {
        int sum = 0;
        const int column = lane % 4 * 2 + e;
        for (int k = 0; k < a.columns; ++k)
          sum += differing_bits ? a.at(row, k) ^ b.at(k, column) : a.at(row, k) * b.at(k, column);
        want.push_back(result(sum));
      }
  Buffer<u32> fa(fragments(a, element, true)), fb(fragments(b, element, false)), out(want.size());
  kernel<<<1, 32>>>(fa, fb, out);
  check(name, out, want);
}

static void whole_tiles(Random& random) {
  const Matrix a = random_matrix(random, 16, 16, -4, 4), b = random_matrix(random, 16, 16, -4, 4);
  std::vector<float> wide(256);
  std::vector<unsigned short> narrow(256);
  std::vector<int> bytes(256);
  for (int i = 0; i < 256; ++i) {
    const int sum = dot(a, b, i / 16, i % 16);
    wide[i] = static_cast<float>(sum + 1), bytes[i] = sum + 5;
    narrow[i] = static_cast<unsigned short>(encode_half(sum + 2));
  }
  Buffer<__half> da(halves(a, false)), db(halves(b, true));
  Buffer<float> c32(256);
  Buffer<unsigned short> c16(256);
  wmma_half<<<1, 32>>>(da, db, c32, reinterpret_cast<__half*>(static_cast<unsigned short*>(c16)));
  check("wmma_half", c32, wide);
  check("wmma_half_narrow", c16, narrow);

  const Matrix tall = random_matrix(random, 32, 16, -4, 4), slim = random_matrix(random, 16, 8, -4, 4);
  std::vector<float> product(256);
  for (int i = 0; i < 256; ++i) product[i] = static_cast<float>(dot(tall, slim, i / 8, i % 8));
  Buffer<__half> dtall(halves(tall, true)), dslim(halves(slim, false));
  Buffer<float> dproduct(256);
  wmma_half_layouts<<<1, 32>>>(dtall, dslim, dproduct);
  check("wmma_half_layouts", dproduct, product);

  if (architecture() < 72) return skipped("wmma_bytes", 72);
  std::vector<signed char> ba, bb;
  for (int i = 0; i < 256; ++i)
    ba.push_back(static_cast<signed char>(a.v[i])), bb.push_back(static_cast<signed char>(b.at(i % 16, i / 16)));
  Buffer<signed char> dba(ba), dbb(bb);
  Buffer<int> dbytes(256);
  wmma_bytes<<<1, 32>>>(dba, dbb, dbytes);
  check("wmma_bytes", dbytes, bytes);
}

static void shapes(Random& random) {
  const auto m = [&](int rows, int columns, int low, int high) {
    return random_matrix(random, rows, columns, low, high);
  };
  const Element half{16, encode_half}, brain{16, encode_brain}, tf32{32, encode_float}, byte{8, encode_integer},
      nibble{4, encode_integer}, bit{1, encode_integer};
  raw("mma_m16n8k8_half", 75, mma_m16n8k8_half, m(16, 8, -8, 8), m(8, 8, -8, 8), half, encode_float);
  raw("mma_m16n8k16_half", 80, mma_m16n8k16_half, m(16, 16, -8, 8), m(16, 8, -8, 8), half, encode_float);
  raw("mma_m16n8k16_brain", 80, mma_m16n8k16_brain, m(16, 16, -8, 8), m(16, 8, -8, 8), brain, encode_float);
  raw("mma_m16n8k8_tf32", 80, mma_m16n8k8_tf32, m(16, 8, -99, 99), m(8, 8, -99, 99), tf32, encode_float);
  raw("mma_m8n8k16_bytes", 75, mma_m8n8k16_bytes, m(8, 16, -128, 127), m(16, 8, -128, 127), byte, encode_integer);
  raw("mma_m16n8k32_bytes", 80, mma_m16n8k32_bytes, m(16, 32, -128, 127), m(32, 8, -128, 127), byte, encode_integer);
  raw("mma_m8n8k32_nibbles", 75, mma_m8n8k32_nibbles, m(8, 32, -8, 7), m(32, 8, -8, 7), nibble, encode_integer);
  raw("mma_m8n8k128_bits", 75, mma_m8n8k128_bits, m(8, 128, 0, 1), m(128, 8, 0, 1), bit, encode_integer, true);
}

static void doubles_and_ldmatrix(Random& random) {
  const Matrix a = random_matrix(random, 8, 4, -999, 999), b = random_matrix(random, 4, 8, -999, 999);
  std::vector<double> fa(32), fb(32), want(64);
  for (int lane = 0; lane < 32; ++lane) {
    fa[lane] = a.at(lane / 4, lane % 4), fb[lane] = b.at(lane % 4, lane / 4);
    for (int e = 0; e < 2; ++e) want[2 * lane + e] = dot(a, b, lane / 4, lane % 4 * 2 + e) + 1 + e;
  }
  if (architecture() >= 80) {
    Buffer<double> da(fa), db(fb), dc(64);
    mma_double<<<1, 32>>>(da, db, dc);
    check("mma_double", dc, want);
  } else {
    skipped("mma_double", 80);
  }

  if (architecture() < 75) return skipped("ldmatrix", 75);
  const auto in = random.words(256);
  const auto* cells = reinterpret_cast<const unsigned short*>(in.data());
  const auto row_of = [](int matrix, int row) { return ((8 * matrix + row) * 5 & 31) * 8; };
  std::vector<u32> loaded(256, 0);
  for (int lane = 0; lane < 32; ++lane) {
    u32* r = &loaded[8 * lane];
    const auto plain = [&](int matrix) {
      const unsigned short* cell = cells + row_of(matrix, lane / 4) + lane % 4 * 2;
      return static_cast<u32>(cell[1]) << 16 | cell[0];
    };
    const auto turned = [&](int matrix) {
      const int row = lane % 4 * 2, column = lane / 4;
      return static_cast<u32>(cells[row_of(matrix, row + 1) + column]) << 16 | cells[row_of(matrix, row) + column];
    };
    r[0] = plain(0), r[1] = plain(0), r[2] = plain(1);
    for (int k = 0; k < 4; ++k) r[3 + k] = turned(k);
  }
  Buffer<u32> din(in), out(256);
  ldmatrix<<<1, 32>>>(din, out);
  check("ldmatrix", out, loaded);
}

static void arbitrary(Random& random) {
  const int n = 32;
  std::vector<__half> a, b;
  std::vector<float> want(n * n);
  for (int i = 0; i < n * n; ++i)
    a.push_back(__float2half(random.between(-2, 2))), b.push_back(__float2half(random.between(-2, 2)));
  for (int i = 0; i < n * n; ++i) {
    double sum = 0;
    for (int k = 0; k < n; ++k)
      sum += static_cast<double>(__half2float(a[i / n * n + k])) * __half2float(b[k * n + i % n]);
    want[i] = static_cast<float>(sum);
  }
  Buffer<__half> da(a), db(b);
  Buffer<float> c(n * n);
  wmma_tiles<<<dim3(2, 2), 32>>>(da, db, c, n);
  check("wmma_tiles", c, want, {1e-5, 1e-4});
}

int main() {
  Random random(9);
  whole_tiles(random);
  shapes(random);
  doubles_and_ldmatrix(random);
  arbitrary(random);
  return finish();
}
