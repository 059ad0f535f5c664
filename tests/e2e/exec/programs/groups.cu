// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: a grid that synchronises, tiles, coalesced threads, partitions, group-wide copies. Checks itself.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <vector>

#include "check.h"

namespace cg = cooperative_groups;
__global__ void grid_jacobi(float* a, float* b, int n, int steps) {
  cg::grid_group g = cg::this_grid();
  for (int s = 0; s < steps; s++) {
    for (int i = g.thread_rank(); i < n; i += g.size())
      b[i] = i == 0 || i == n - 1 ? a[i] : 0.5f * (a[i - 1] + a[i + 1]);
    g.sync();
    float* t = a;
    a = b;
    b = t;
  }
}
__global__ void tiles(const int* in, int* out, int* sc, int* part) {
  auto block = cg::this_thread_block();
  auto t16 = cg::tiled_partition<16>(block);
  auto w = cg::tiled_partition<32>(block);
  int v = in[block.group_index().x * block.size() + block.thread_rank()];
  int r = cg::reduce(t16, v, cg::plus<int>());
  int m = cg::reduce(w, v, cg::greater<int>());
  int e = cg::exclusive_scan(w, v, cg::plus<int>());
  out[block.thread_rank()] = r * 1000 + m;
  sc[block.thread_rank()] = e;
  if (v & 1) {
    auto c = cg::coalesced_threads();
    part[block.thread_rank()] = c.size() * 100 + c.thread_rank() + cg::reduce(c, v, cg::plus<int>()) * 10000;
  } else
    part[block.thread_rank()] = -1;
  auto l = cg::labeled_partition(w, v % 3);
  part[block.thread_rank() + 128] = l.size() * 100 + l.thread_rank();
  auto bp = cg::binary_partition(w, v > 50);
  part[block.thread_rank() + 256] = bp.num_threads() * 100 + bp.thread_rank();
  part[block.thread_rank() + 384] = t16.shfl_xor(v, 3) + t16.any(v == 7) + t16.ballot(v & 1);
}
__global__ void async_cp(const int* in, int* out, int n) {
  extern __shared__ int sm[];
  auto block = cg::this_thread_block();
  int total = 0;
  for (int o = 0; o < n; o += 256) {
    cg::memcpy_async(block, sm, in + o, sizeof(int) * 256);
    cg::wait(block);
    total += sm[(block.thread_rank() * 7) & 255];
    block.sync();
  }
  out[block.thread_rank()] = total;
}
int main() {
  const int n = 1000;
  std::vector<float> h(n), r(n);
  for (int i = 0; i < n; i++) h[i] = (i * 37) % 101;
  float *a, *b;
  CU(cudaMalloc(&a, n * 4));
  CU(cudaMalloc(&b, n * 4));
  CU(cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice));
  int steps = 10, nn = n;
  void* args[] = {&a, &b, &nn, &steps};
  int per = 0;
  CU(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, grid_jacobi, 128, 0));
  CU(cudaLaunchCooperativeKernel((void*)grid_jacobi, 4, 128, args));
  CU(cudaDeviceSynchronize());
  CU(cudaMemcpy(r.data(), a, n * 4, cudaMemcpyDeviceToHost));
  std::vector<float> x = h, y(n);
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++) y[i] = i == 0 || i == n - 1 ? x[i] : 0.5f * (x[i - 1] + x[i + 1]);
    std::swap(x, y);
  }
  for (int i = 0; i < n; i++)
    if (r[i] != x[i]) {
      printf("FAILED jacobi %d\n", i);
      return 1;
    }
  std::vector<int> in(1024);
  for (int i = 0; i < 1024; i++) in[i] = (i * 7919) % 97;
  int *di, *d1, *d2, *d3;
  CU(cudaMalloc(&di, 4096));
  CU(cudaMalloc(&d1, 4096));
  CU(cudaMalloc(&d2, 4096));
  CU(cudaMalloc(&d3, 4096));
  CU(cudaMemcpy(di, in.data(), 4096, cudaMemcpyHostToDevice));
  tiles<<<1, 128>>>(di, d1, d2, d3);
  CU(cudaDeviceSynchronize());
  std::vector<int> o1(128), o2(128), o3(512);
  CU(cudaMemcpy(o1.data(), d1, 512, cudaMemcpyDeviceToHost));
  CU(cudaMemcpy(o2.data(), d2, 512, cudaMemcpyDeviceToHost));
  CU(cudaMemcpy(o3.data(), d3, 2048, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 128; t++) {
    int s = 0, m = 0, e = 0, c = 0, cr = 0, cs = 0, lc = 0, lr = 0, bc = 0, br = 0, any = 0;
    unsigned bal = 0;
    for (int i = t / 16 * 16; i < t / 16 * 16 + 16; i++) {
      s += in[i];
      any |= in[i] == 7;
      bal |= (in[i] & 1u) << (i % 16);
    }
    for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++) {
      m = std::max(m, in[i]);
      if (i < t) e += in[i];
      if (in[i] & 1) {
        c++;
        cs += in[i];
        if (i < t) cr++;
      }
      if (in[i] % 3 == in[t] % 3) {
        lc++;
        lr += i < t;
      }
      if ((in[i] > 50) == (in[t] > 50)) {
        bc++;
        br += i < t;
      }
    }
    int p = in[t] & 1 ? c * 100 + cr + cs * 10000 : -1;
    if (o1[t] != s * 1000 + m || o2[t] != e || o3[t] != p || o3[t + 128] != lc * 100 + lr ||
        o3[t + 256] != bc * 100 + br || o3[t + 384] != (int)(in[t ^ 3] + any + bal)) {
      printf("FAILED tiles %d: %d %d %d %d %d %d\n", t, o1[t], o2[t], o3[t], o3[t + 128], o3[t + 256], o3[t + 384]);
      return 1;
    }
  }
  async_cp<<<1, 128, 1024>>>(di, d1, 1024);
  CU(cudaDeviceSynchronize());
  CU(cudaMemcpy(o1.data(), d1, 512, cudaMemcpyDeviceToHost));
  for (int t = 0; t < 128; t++) {
    int s = 0;
    for (int o = 0; o < 1024; o += 256) s += in[o + ((t * 7) & 255)];
    if (s != o1[t]) {
      printf("FAILED async %d\n", t);
      return 1;
    }
  }
  printf("groups ok\n");
}
