// SPDX-License-Identifier: Apache-2.0
// cuBLAS against the host, on integers so small that every sum is exact: products of single, double and half precision
// and of bytes, for matrices of odd sizes, transposed and not, and a product of a matrix and a vector.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

#define CHECK(call)                                                           \
  do {                                                                        \
    if (const int status = static_cast<int>(call); status != 0) {             \
      std::printf("%s:%d: " #call " gives %d\n", __FILE__, __LINE__, status); \
      std::exit(1);                                                           \
    }                                                                         \
  } while (0)

template <class T>
double number(T value) {
  return static_cast<double>(value);
}
double number(__half value) { return __half2float(value); }
template <class T>
T made(int value) {
  return static_cast<T>(value);
}
template <>
__half made(int value) {
  return __float2half(static_cast<float>(value));
}

template <class T>
struct Matrix {
  int rows, columns;
  std::vector<T> host;
  T* device = nullptr;

  Matrix(int row_count, int column_count, int seed)
      : rows(row_count), columns(column_count), host(row_count * column_count) {
    unsigned state = static_cast<unsigned>(seed);
    for (T& value : host) {
      state = state * 1664525u + 1013904223u;
      value = made<T>(static_cast<int>(state >> 16 & 7) - 3);
    }
    CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  Matrix(const Matrix&) = delete;
  ~Matrix() { cudaFree(device); }
  void fetch() { CHECK(cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost)); }
  double at(int row, int column, bool transposed) const {
    return number(transposed ? host[column + static_cast<std::size_t>(row) * rows]
                             : host[row + static_cast<std::size_t>(column) * rows]);
  }
};

cublasOperation_t operation(bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

/// c = a b + 2 c
template <class A, class C, class Multiply>
void product(const char* name, int m, int n, int k, bool ta, bool tb, const Multiply& multiply) {
  Matrix<A> a(ta ? k : m, ta ? m : k, 1), b(tb ? n : k, tb ? k : n, 2);
  Matrix<C> c(m, n, 3);
  const std::vector<C> before = c.host;
  CHECK(multiply(a, b, c));
  c.fetch();
  int wrong = 0;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 2 * number(before[row + static_cast<std::size_t>(column) * m]);
      for (int i = 0; i < k; ++i) sum += a.at(row, i, ta) * b.at(i, column, tb);
      if (c.at(row, column, false) == sum || wrong++ != 0) continue;
      std::printf("%s: row %d, column %d: %g, expected %g\n", name, row, column, c.at(row, column, false), sum);
    }
  std::printf("%s %dx%dx%d %c%c: %s\n", name, m, n, k, ta ? 't' : 'n', tb ? 't' : 'n', wrong == 0 ? "right" : "WRONG");
}

void products(cublasHandle_t blas, const std::string& kind, int m, int n, int k, bool ta, bool tb) {
  const cublasOperation_t oa = operation(ta), ob = operation(tb);
  const float one = 1, two = 2;
  const double one_d = 1, two_d = 2;
  const __half one_h = __float2half(1), two_h = __float2half(2);
  const int one_i = 1, two_i = 2;
  const auto general = [&](const void* alpha, const auto& a, cudaDataType_t in, const auto& b, const void* beta,
                           auto& c, cudaDataType_t out, cublasComputeType_t compute) {
    return cublasGemmEx(blas, oa, ob, m, n, k, alpha, a.device, in, a.rows, b.device, in, b.rows, beta, c.device, out,
                        m, compute, CUBLAS_GEMM_DEFAULT);
  };
  if (kind == "single")
    product<float, float>("single", m, n, k, ta, tb, [&](auto& a, auto& b, auto& c) {
      return cublasSgemm(blas, oa, ob, m, n, k, &one, a.device, a.rows, b.device, b.rows, &two, c.device, m);
    });
  if (kind == "double")
    product<double, double>("double", m, n, k, ta, tb, [&](auto& a, auto& b, auto& c) {
      return cublasDgemm(blas, oa, ob, m, n, k, &one_d, a.device, a.rows, b.device, b.rows, &two_d, c.device, m);
    });
  if (kind == "half")
    product<__half, __half>("half", m, n, k, ta, tb, [&](auto& a, auto& b, auto& c) {
      return cublasHgemm(blas, oa, ob, m, n, k, &one_h, a.device, a.rows, b.device, b.rows, &two_h, c.device, m);
    });
  if (kind == "mixed")
    product<__half, float>("mixed", m, n, k, ta, tb, [&](auto& a, auto& b, auto& c) {
      return general(&one, a, CUDA_R_16F, b, &two, c, CUDA_R_32F, CUBLAS_COMPUTE_32F);
    });
  if (kind == "halves")
    product<__half, __half>("halves", m, n, k, ta, tb, [&](auto& a, auto& b, auto& c) {
      return general(&one, a, CUDA_R_16F, b, &two, c, CUDA_R_16F, CUBLAS_COMPUTE_32F);
    });
  if (kind == "bytes")
    product<signed char, int>("bytes", m, n, k, ta, tb, [&](auto& a, auto& b, auto& c) {
      return general(&one_i, a, CUDA_R_8I, b, &two_i, c, CUDA_R_32I, CUBLAS_COMPUTE_32I);
    });
  if (kind == "vector")
    product<float, float>("vector", m, 1, k, ta, false, [&](auto& a, auto& b, auto& c) {
      return cublasSgemv(blas, oa, a.rows, a.columns, &one, a.device, a.rows, b.device, 1, &two, c.device, 1);
    });
}

/// A sum on the device, by a captured stream: cuBLAS allocates then, as a thread whose calls are relaxed.
void captured(cublasHandle_t blas, int n) {
  Matrix<float> a(n, 1, 1), b(n, 1, 2), sum(1, 1, 3);
  double expected = 0;
  for (int i = 0; i < n; ++i) expected += number(a.host[i]) * number(b.host[i]);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cublasSetStream(blas, stream));
  CHECK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cublasSdot(blas, n, a.device, 1, b.device, 1, sum.device));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  sum.fetch();
  std::printf("captured sum of %d: %s\n", n, number(sum.host[0]) == expected ? "right" : "WRONG");
  CHECK(cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST));
}

}  // namespace

/// blas KIND M N K TRANSPOSED [KIND M N K TRANSPOSED]...: TRANSPOSED is nn, nt, tn or tt. Or blas captured.
int main(int argc, char** argv) {
  cublasHandle_t blas;
  CHECK(cublasCreate(&blas));
  for (int i = 1; i + 4 < argc; i += 5)
    products(blas, argv[i], std::atoi(argv[i + 1]), std::atoi(argv[i + 2]), std::atoi(argv[i + 3]),
             argv[i + 4][0] == 't', argv[i + 4][1] == 't');
  if (argc > 1 && std::string(argv[1]) == "captured") captured(blas, 5000);
  CHECK(cublasDestroy(blas));
  std::puts("done");
}
