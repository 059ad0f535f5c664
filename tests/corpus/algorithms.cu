// SPDX-License-Identifier: Apache-2.0
// Whole small programs as people write them: streaming, tiling, scans, sorts, histograms, irregular work.
#include <algorithm>
#include <numeric>

#include "corpus.h"

using namespace corpus;

__global__ void vecadd(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void saxpy_strided(float alpha, const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = fmaf(alpha, x[i], y[i]);
}

__global__ void transpose(const float* in, float* out, int width) {
  __shared__ float tile[16][17];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  out[(blockIdx.x * 16 + threadIdx.y) * width + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][16], tb[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    ta[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum = fmaf(ta[threadIdx.y][k], tb[k][threadIdx.x], sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void reduce_sum(const int* in, int* out, int n) {
  extern __shared__ int partial[];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

__global__ void scan_block(const int* in, int* out) {
  __shared__ int buffer[2][128];
  int current = 0;
  buffer[0][threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (int step = 1; step < 128; step *= 2) {
    const int value = buffer[current][threadIdx.x];
    buffer[1 - current][threadIdx.x] = threadIdx.x >= step ? value + buffer[current][threadIdx.x - step] : value;
    current = 1 - current;
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = buffer[current][threadIdx.x];
}

__global__ void histogram(const unsigned* in, unsigned* bins, int n) {
  __shared__ unsigned local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i] & 63], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void bitonic_sort(unsigned* data) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  for (unsigned size = 2; size <= 256; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const unsigned other = threadIdx.x ^ stride;
      if (other > threadIdx.x) {
        const bool up = (threadIdx.x & size) == 0;
        const unsigned a = s[threadIdx.x], b = s[other];
        if ((a > b) == up) {
          s[threadIdx.x] = b;
          s[other] = a;
        }
      }
      __syncthreads();
    }
  data[threadIdx.x] = s[threadIdx.x];
}

__global__ void stencil5(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x <= 0 || y <= 0 || x >= width - 1 || y >= height - 1) return;
  const float* p = in + y * width + x;
  out[y * width + x] = fmaf(0.5f, p[0], 0.125f * ((p[-1] + p[1]) + (p[-width] + p[width])));
}

__global__ void spmv_csr(const int* offsets, const int* columns, const float* values, const float* x, float* y,
                         int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = offsets[row]; i < offsets[row + 1]; ++i) sum = fmaf(values[i], x[columns[i]], sum);
  y[row] = sum;
}

__global__ void mandelbrot(int* out, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float cr = fmaf(static_cast<float>(x), 0.046875f, -2.0f), ci = fmaf(static_cast<float>(y), 0.0625f, -1.0f);
  float zr = 0, zi = 0;
  int n = 0;
  while (n < 60 && fmaf(zr, zr, zi * zi) < 4.0f) {
    const float next = fmaf(zr, zr, fmaf(-zi, zi, cr));
    zi = fmaf(2.0f * zr, zi, ci);
    zr = next;
    ++n;
  }
  out[y * width + x] = n;
}

__global__ void crc32(const unsigned char* data, int length, unsigned* out) {
  unsigned crc = 0xffffffffu;
  const unsigned char* mine = data + (blockIdx.x * blockDim.x + threadIdx.x) * length;
  for (int i = 0; i < length; ++i) {
    crc ^= mine[i];
#pragma unroll
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = ~crc;
}

__global__ void pointer_chase(const unsigned* next, unsigned* out, int hops) {
  unsigned at = threadIdx.x;
  for (int i = 0; i < hops; ++i) at = next[at];
  out[threadIdx.x] = at;
}

static void streaming(Random& random) {
  const int n = 1000;
  const auto a = random.floats(n, -8, 8), b = random.floats(n, -8, 8);
  std::vector<float> sum(n), axpy(n);
  for (int i = 0; i < n; ++i) sum[i] = a[i] + b[i], axpy[i] = std::fma(1.75f, a[i], b[i]);
  Buffer<float> da(a), db(b), dc(n);
  vecadd<<<4, 256>>>(da, db, dc, n);
  check("vecadd", dc, sum);
  saxpy_strided<<<2, 96>>>(1.75f, da, db, n);
  check("saxpy_strided", db, axpy);
}

static void matrices(Random& random) {
  const int n = 32;
  const auto a = random.floats(n * n, -1, 1), b = random.floats(n * n, -1, 1);
  std::vector<float> turned(n * n), product(n * n), smooth(n * n, 0.0f);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      turned[j * n + i] = a[i * n + j];
      float sum = 0;
      for (int k = 0; k < n; ++k) sum = std::fma(a[i * n + k], b[k * n + j], sum);
      product[i * n + j] = sum;
      if (i > 0 && j > 0 && i < n - 1 && j < n - 1) {
        const float* p = &a[i * n + j];
        smooth[i * n + j] = std::fma(0.5f, p[0], 0.125f * ((p[-1] + p[1]) + (p[-n] + p[n])));
      }
    }
  Buffer<float> da(a), db(b), dt(n * n), dp(n * n), ds(n * n);
  transpose<<<dim3(2, 2), dim3(16, 16)>>>(da, dt, n);
  check("transpose", dt, turned);
  matmul_tiled<<<dim3(2, 2), dim3(16, 16)>>>(da, db, dp, n);
  check("matmul_tiled", dp, product);
  stencil5<<<dim3(4, 8), dim3(8, 4)>>>(da, ds, n, n);
  check("stencil5", ds, smooth);
}

static void blocks(Random& random) {
  const int n = 1024;
  std::vector<int> in(n), sums(3, 0), scans(n);
  for (int& x : in) x = static_cast<int>(random.bits() % 2001) - 1000;
  for (int i = 0; i < n; ++i) sums[i / 128 % 3] += in[i];
  for (int i = 0; i < n; ++i) scans[i] = in[i] + (i % 128 ? scans[i - 1] : 0);
  Buffer<int> din(in), dsum(3), dscan(n);
  reduce_sum<<<3, 128, 128 * sizeof(int)>>>(din, dsum, n);
  check("reduce_sum", dsum, sums);
  scan_block<<<8, 128>>>(din, dscan);
  check("scan_block", dscan, scans);

  const auto words = random.words(n);
  std::vector<unsigned> bins(64, 0), sorted(words.begin(), words.begin() + 256);
  for (unsigned w : words) ++bins[w & 63];
  Buffer<unsigned> dw(words), dbins(64), dsort(sorted);
  std::sort(sorted.begin(), sorted.end());
  histogram<<<3, 128>>>(dw, dbins, n);
  check("histogram", dbins, bins);
  bitonic_sort<<<1, 256>>>(dsort);
  check("bitonic_sort", dsort, sorted);
}

static void irregular(Random& random) {
  const int rows = 100;
  std::vector<int> offsets(1, 0), columns;
  for (int row = 0; row < rows; ++row) {
    for (unsigned k = random.bits() % 12; k > 0; --k) columns.push_back(static_cast<int>(random.bits() % rows));
    offsets.push_back(static_cast<int>(columns.size()));
  }
  const auto values = random.floats(columns.size(), -2, 2), x = random.floats(rows, -2, 2);
  std::vector<float> y(rows);
  for (int row = 0; row < rows; ++row)
    for (int i = offsets[row]; i < offsets[row + 1]; ++i) y[row] = std::fma(values[i], x[columns[i]], y[row]);
  Buffer<int> doffsets(offsets), dcolumns(columns);
  Buffer<float> dvalues(values), dx(x), dy(rows);
  spmv_csr<<<2, 64>>>(doffsets, dcolumns, dvalues, dx, dy, rows);
  check("spmv_csr", dy, y);

  const int width = 64, height = 32;
  std::vector<int> picture(width * height);
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const float cr = std::fma(static_cast<float>(i), 0.046875f, -2.0f),
                  ci = std::fma(static_cast<float>(j), 0.0625f, -1.0f);
      float zr = 0, zi = 0;
      int n = 0;
      for (; n < 60 && std::fma(zr, zr, zi * zi) < 4.0f; ++n) {
        const float next = std::fma(zr, zr, std::fma(-zi, zi, cr));
        zi = std::fma(2.0f * zr, zi, ci);
        zr = next;
      }
      picture[j * width + i] = n;
    }
  Buffer<int> dpicture(width * height);
  mandelbrot<<<dim3(4, 8), dim3(16, 4)>>>(dpicture, width);
  check("mandelbrot", dpicture, picture);
}

static void integers(Random& random) {
  const int length = 20, threads = 64;
  std::vector<unsigned char> data(length * threads);
  for (auto& byte : data) byte = static_cast<unsigned char>(random.bits());
  std::vector<unsigned> sums(threads);
  for (int t = 0; t < threads; ++t) {
    unsigned crc = 0xffffffffu;
    for (int i = 0; i < length; ++i) {
      crc ^= data[t * length + i];
      for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
    }
    sums[t] = ~crc;
  }
  Buffer<unsigned char> ddata(data);
  Buffer<unsigned> dsums(threads);
  crc32<<<2, 32>>>(ddata, length, dsums);
  check("crc32", dsums, sums);

  std::vector<unsigned> next(256), ends(32);
  std::iota(next.begin(), next.end(), 0u);
  for (int i = 255; i > 0; --i) std::swap(next[i], next[random.bits() % i]);
  for (unsigned t = 0; t < 32; ++t) {
    unsigned at = t;
    for (int i = 0; i < 50; ++i) at = next[at];
    ends[t] = at;
  }
  Buffer<unsigned> dnext(next), dends(32);
  pointer_chase<<<1, 32>>>(dnext, dends, 50);
  check("pointer_chase", dends, ends);
}

int main() {
  Random random(1);
  streaming(random);
  matrices(random);
  blocks(random);
  irregular(random);
  integers(random);
  return finish();
}
