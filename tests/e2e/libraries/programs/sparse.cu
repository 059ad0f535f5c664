// SPDX-License-Identifier: Apache-2.0
// cuSPARSE: products of a sparse matrix in rows with a vector and with a matrix, on small integers, so that sums are
// exact.
#include <cusparse.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

#define CHECK(call)                                                           \
  do {                                                                        \
    if (const int status = static_cast<int>(call); status != 0) {             \
      std::printf("%s:%d: " #call " gives %d\n", __FILE__, __LINE__, status); \
      std::exit(1);                                                           \
    }                                                                         \
  } while (0)

constexpr int kRows = 700, kColumns = 500, kRight = 16;

template <class T>
T* copied(const std::vector<T>& values) {
  T* device = nullptr;
  CHECK(cudaMalloc(&device, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

struct Sparse {
  std::vector<int> begin{0}, columns;
  std::vector<float> values;
};

/// Rows of very different lengths; some are empty.
Sparse make() {
  Sparse matrix;
  for (int row = 0; row < kRows; ++row) {
    const int length = row % 50 == 0 ? 200 : row % 7;
    for (int i = 0; i < length; ++i) {
      matrix.columns.push_back((row + i * 2) % kColumns);
      matrix.values.push_back(static_cast<float>((row * 3 + i * 5) % 9 - 4));
    }
    matrix.begin.push_back(static_cast<int>(matrix.columns.size()));
  }
  return matrix;
}

}  // namespace

int main() {
  const Sparse host = make();
  std::vector<float> right(kColumns * kRight), result(kRows * kRight, 1);
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = static_cast<float>(static_cast<int>(i * 11 % 13) - 6);
  int *begin = copied(host.begin), *columns = copied(host.columns);
  float *values = copied(host.values), *x = copied(right), *y = copied(result);

  cusparseHandle_t sparse;
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t vector_x, vector_y;
  cusparseDnMatDescr_t matrix_x, matrix_y;
  CHECK(cusparseCreate(&sparse));
  CHECK(cusparseCreateCsr(&a, kRows, kColumns, static_cast<int>(host.values.size()), begin, columns, values,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
  CHECK(cusparseCreateDnVec(&vector_x, kColumns, x, CUDA_R_32F));
  CHECK(cusparseCreateDnVec(&vector_y, kRows, y, CUDA_R_32F));
  const float one = 1, two = 2;
  const auto check = [&](const char* name, int right_count) {
    CHECK(cudaMemcpy(result.data(), y, result.size() * sizeof(float), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int row = 0; row < kRows; ++row)
      for (int c = 0; c < right_count; ++c) {
        float sum = 2;
        for (int i = host.begin[row]; i < host.begin[row + 1]; ++i)
          sum += host.values[i] * right[c * kColumns + host.columns[i]];
        if (result[c * kRows + row] != sum && wrong++ == 0)
          std::printf("%s: row %d, column %d: %g, expected %g\n", name, row, c, result[c * kRows + row], sum);
      }
    std::printf("%s: %s\n", name, wrong == 0 ? "right" : "WRONG");
  };
  std::size_t bytes = 0;
  void* buffer = nullptr;
  CHECK(cusparseSpMV_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vector_x, &two, vector_y, CUDA_R_32F,
                                CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
  CHECK(cudaMalloc(&buffer, bytes + 1));
  CHECK(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, vector_x, &two, vector_y, CUDA_R_32F,
                     CUSPARSE_SPMV_ALG_DEFAULT, buffer));
  check("matrix and vector", 1);

  std::vector<float> ones(kRows * kRight, 1);
  CHECK(cudaMemcpy(y, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cusparseCreateDnMat(&matrix_x, kColumns, kRight, kColumns, x, CUDA_R_32F, CUSPARSE_ORDER_COL));
  CHECK(cusparseCreateDnMat(&matrix_y, kRows, kRight, kRows, y, CUDA_R_32F, CUSPARSE_ORDER_COL));
  CHECK(cusparseSpMM_bufferSize(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a,
                                matrix_x, &two, matrix_y, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
  CHECK(cudaMalloc(&buffer, bytes + 1));
  CHECK(cusparseSpMM(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, matrix_x,
                     &two, matrix_y, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer));
  check("matrix and matrix", kRight);
  CHECK(cusparseDestroy(sparse));
  std::puts("done");
}
