// SPDX-License-Identifier: Apache-2.0
// Random nested control flow in recursive templates; votes and shuffles among subsets of a warp. Checks itself; how
// often threads are together in the loop that they leave one by one is not defined by CUDA, and is compared with an
// H200's, where the compiler has no YIELD in the loop before it, as it has for sm_70.
#include <cstdint>
#include <cstdio>
#include <vector>
typedef uint32_t u;
int bad = 0;
__host__ __device__ inline u mx(u x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}
__host__ __device__ u leaf(u a, u b, int k) {
  switch (k % 7) {
    case 0:
      return a * b + 1;
    case 1:
      return a ^ (b << 3);
    case 2:
      return a + (b >> 5);
    case 3: {
      u r = a;
      for (u i = 0; i < (b & 7); i++) r = r * 5 + i;
      return r;
    }
    case 4:
      return b ? a % b : a;
    case 5:
      return a < b ? a - b : b - a;
    default:
      return mx(a + b);
  }
}
template <int D>
struct Tree {
  __host__ __device__ static u f(u a, u b, u seed) {
    u h = mx(seed * 31 + D);
    switch (h % 6) {
      case 0:
        if ((a ^ h) & 1)
          return Tree<D - 1>::f(a + h, b, seed * 2 + 1);
        else
          return Tree<D - 1>::f(b, a ^ h, seed * 2 + 2);
      case 1: {
        u n = a % (h % 5 + 2);
        u r = b;
        for (u i = 0; i < n; i++) {
          r = Tree<D - 1>::f(r, a + i, seed * 2 + 1);
          if ((r & 15) == (h & 15)) break;
          if ((r & 3) == 1) continue;
          r += i;
        }
        return r;
      }
      case 2: {
        u r = a;
        int c = 0;
        do {
          r = Tree<D - 1>::f(r, b, seed * 2 + 1);
        } while ((r & 7) == 3 && ++c < 6);
        return r + c;
      }
      case 3: {
        u r = (a % 3 == 0) ? Tree<D - 1>::f(a, b, seed * 2 + 1) : (a % 3 == 1) ? leaf(a, b, h >> 8) : b;
        return (b & 4) ? leaf(r, a, h >> 4) : r;
      }
      case 4: {
        u r = Tree<D - 1>::f(a, b, seed * 2 + 1);
        if (r & 0x10) return r;
        return Tree<D - 1>::f(r, b, seed * 2 + 2) + 3;
      }
      default: {
        u x = leaf(a, b, h >> 3);
        switch (x % 5) {
          case 0:
            return Tree<D - 1>::f(x, b, seed * 2 + 1);
          case 1:
            x += 7;
          case 2:
            return leaf(x, b, h >> 6);
          case 3:
            return Tree<D - 1>::f(b, x, seed * 2 + 2);
          default:
            return x * 3;
        }
      }
    }
  }
};
template <>
struct Tree<0> {
  __host__ __device__ static u f(u a, u b, u seed) { return leaf(a, b, seed); }
};
template <int S>
__global__ void k(u* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u r = Tree<5>::f(mx(i), mx(i + 1000), S);
  u m = __ballot_sync(__activemask(), r & 1);
  (void)m;
  o[i] = r;
}
template <int S>
__host__ void t(u* o) {
  const int n = 1000;
  k<S><<<8, 128>>>(o, n);
  cudaError_t e = cudaDeviceSynchronize();
  if (e) {
    printf("FAILED seed %d %s\n", S, cudaGetErrorName(e));
    bad++;
    return;
  }
  for (int i = 0; i < n; i++) {
    u w = Tree<5>::f(mx(i), mx(i + 1000), S);
    if (o[i] != w && bad++ < 20) printf("FAILED seed %d thread %d: %x %x\n", S, i, o[i], w);
  }
}
template <int S>
__host__ void all(u* o) {
  t<S>(o);
  if constexpr (S > 1) all<S - 1>(o);
}
// subsets that synchronise: loops whose lanes leave at different times, shuffles within __match_any groups, barriers of
// half-blocks
__global__ void sub(u* o) {
  int l = threadIdx.x & 31;
  u v = mx(threadIdx.x);
  u g = __match_any_sync(~0u, v % 4);
  u s = 0;
  for (u m = g; m; m &= m - 1) {
    int src = __ffs(m) - 1;
    s += __shfl_sync(g, v, src);
  }
  u r = 0;
  for (int it = 0; it < l; it++) {
    u act = __activemask();
    r += __popc(act);
  }
  __syncwarp();
  unsigned half = l < 16 ? 0xffffu : 0xffff0000u;
  u t = __shfl_xor_sync(half, v, 5);
  u red = 0;
  if (v & 1) {
    u a = __ballot_sync(__activemask(), v & 2);
    red = __popc(a);
  }
  __syncwarp();
  if (threadIdx.x < 64)
    asm volatile("bar.sync 1,64;");
  else
    asm volatile("bar.sync 2,64;");
  u all;
  asm volatile("{.reg .pred p,q; setp.ne.u32 p,%1,0; bar.red.and.pred q,0,p; selp.u32 %0,1,0,q;}"
               : "=r"(all)
               : "r"(v | 1));
#ifdef __CUDA_ARCH__
  if (threadIdx.x == 0) o[4 * blockDim.x] = __CUDA_ARCH__ >= 800;
#endif
  o[threadIdx.x * 4] = s;
  o[threadIdx.x * 4 + 1] = r;
  o[threadIdx.x * 4 + 2] = t;
  o[threadIdx.x * 4 + 3] = red + all * 100;
}
int main() {
  u* o;
  cudaMallocManaged(&o, 1 << 16);
  all<24>(o);
  sub<<<1, 128>>>(o);
  cudaError_t e = cudaDeviceSynchronize();
  if (e) {
    printf("FAILED %s\n", cudaGetErrorName(e));
    return 1;
  }
  for (int i = 0; i < 128; i++) {
    u s = 0, b = 0;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; j++) {
      if (mx(j) % 4 == mx(i) % 4) s += mx(j);
    }
    u r = !o[512] ? o[i * 4 + 1] : i % 32 == 1 ? 24 : i % 32 == 2 ? 40 : i % 32 == 10 ? 248 : o[i * 4 + 1];
    u red = 0;
    if (mx(i) & 1) {
      for (int j = i / 32 * 32; j < i / 32 * 32 + 32; j++)
        if ((mx(j) & 3) == 3) b++;
      red = b;
    }
    if ((o[i * 4] != s || o[i * 4 + 1] != r || o[i * 4 + 2] != mx(i ^ 5) || o[i * 4 + 3] != red + 100) && bad++ < 10)
      printf("FAILED sub %d: %u/%u %u/%u %x/%x %u/%u\n", i, o[i * 4], s, o[i * 4 + 1], r, o[i * 4 + 2], mx(i ^ 5),
             o[i * 4 + 3], red + 100);
  }
  printf("divergence %s\n", bad ? "FAILED" : "ok");
  return bad != 0;
}
