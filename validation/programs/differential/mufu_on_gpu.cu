// SPDX-License-Identifier: Apache-2.0
// Compares MUFU on the GPU with the correctly rounded value for every input, and writes the words of chosen binades.
//   nvcc -arch=sm_90 -cudart static -Xfatbin --compress=false -o mufu mufu_on_gpu.cu
//   ./patch_mufu.py mufu && ./mufu DIRECTORY
// No PTX instruction is SIN or COS alone: patch_mufu.py makes them of EX2 in the kernels' machine code.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
typedef uint32_t u32;
typedef uint64_t u64;
enum { RCP, RSQ, SQRT, EX2, LG2, SIN, COS, TANH, RCP64, RSQ64, N };
static const char* names[] = {"RCP", "RSQ", "SQRT", "EX2", "LG2", "SIN", "COS", "TANH", "RCP64H", "RSQ64H"};
template <int F>
__device__ u32 hw(u32 x) {
  u32 r;
  if (F == RCP) asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=r"(r) : "r"(x));
  if (F == RSQ) asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=r"(r) : "r"(x));
  if (F == SQRT) asm volatile("sqrt.approx.ftz.f32 %0, %1;" : "=r"(r) : "r"(x));
  if (F == EX2) asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=r"(r) : "r"(x));
  if (F == LG2) asm volatile("lg2.approx.ftz.f32 %0, %1;" : "=r"(r) : "r"(x));
  if (F == SIN || F == COS) asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=r"(r) : "r"(x));  // patched
  if (F == TANH) asm volatile("tanh.approx.f32 %0, %1;" : "=r"(r) : "r"(x));
  if (F == RCP64)
    asm volatile(
        "{.reg .b32 l, z; .reg .b64 a, b; mov.u32 z, 0; mov.b64 a, {z, %1}; rcp.approx.ftz.f64 b, a; mov.b64 {l, %0}, "
        "b;}"
        : "=r"(r)
        : "r"(x));
  if (F == RSQ64)
    asm volatile(
        "{.reg .b32 l, z; .reg .b64 a, b; mov.u32 z, 0; mov.b64 a, {z, %1}; rsqrt.approx.ftz.f64 b, a; mov.b64 {l, "
        "%0}, b;}"
        : "=r"(r)
        : "r"(x));
  return r;
}
__device__ u32 flush(u32 b) { return (b & 0x7f800000) == 0 ? b & 0x80000000 : b; }
template <int F>
__device__ u32 ref(u32 b) {
  if (F >= RCP64) {
    u32 e = b >> 20 & 0x7ff, s = b & 0x80000000;
    double x = __hiloint2double(b, 0);
    if (e == 0x7ff && (b & 0xfffff)) return 0x7fffffff;
    if (e == 0) return s | 0x7ff00000;
    if (e == 0x7ff) return F == RCP64 ? s : s ? 0x7fffffff : 0;
    if (F == RSQ64 && s) return 0x7fffffff;
    u32 h = __double2hiint(F == RCP64 ? 1.0 / x : 1.0 / sqrt(x));
    return (h >> 20 & 0x7ff) == 0 ? s : h;
  }
  b = flush(b);
  u32 m = b & 0x7fffffff, s = b & 0x80000000;
  if (m > 0x7f800000) return 0x7fffffff;
  if ((F == SIN || F == COS) && m == 0x7f800000) return 0x7fffffff;
  if (F == SIN && m == 0) return b;
  if (m == 0 && (F == RCP || F == RSQ)) return s | 0x7f800000;
  double x = __uint_as_float(b), v;
  switch (F) {
    case RCP:
      v = 1 / x;
      break;
    case RSQ:
      v = 1 / sqrt(x);
      break;
    case SQRT:
      v = sqrt(x);
      break;
    case EX2:
      v = exp2(x);
      break;
    case LG2:
      v = log2(x);
      break;
    case SIN:
      v = sinpi(2 * (x - floor(x)));
      break;
    case COS:
      v = cospi(2 * (x - floor(x)));
      break;
    default:
      v = tanh(x);
  }
  float f = (float)v;
  if (f != f) return 0x7fffffff;
  return flush(__float_as_uint(f));
}
__device__ long long place(u32 b) { return b >> 31 ? -(long long)(b & 0x7fffffff) : (long long)b; }
struct Stat {
  unsigned long long differ, ulp, absolute, hash;
  u32 at;
  u32 special;
};
template <int F>
__global__ void sweep(Stat* s, u32 mantissa_bits) {
  const u32 g = blockIdx.y;
  unsigned long long d = 0, w = 0, ab = 0, h = 0;
  u32 at = 0, sp = 0;
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < 1u << mantissa_bits; i += gridDim.x * blockDim.x) {
    u32 x = g << mantissa_bits | i, a = hw<F>(x), b = ref<F>(x);
    h += (unsigned long long)(a + 1) * (2 * (unsigned long long)i + 0x9e3779b97f4a7c15ull);
    if (a != b) {
      d++;
      bool fin = F >= RCP64 ? ((a >> 20 & 0x7ff) != 0x7ff && (b >> 20 & 0x7ff) != 0x7ff)
                            : ((a & 0x7f800000) != 0x7f800000 && (b & 0x7f800000) != 0x7f800000);
      if (!fin) {
        sp++;
        at = x;
      } else {
        unsigned long long u = llabs(place(a) - place(b));
        if (u > w) {
          w = u;
          if (!sp) at = x;
        }
        if (F < RCP64) {
          unsigned long long q = __double_as_longlong(fabs((double)__uint_as_float(a) - __uint_as_float(b)));
          if (q > ab) ab = q;
        }
      }
    }
  }
  if (d) {
    atomicAdd(&s[g].differ, d);
    unsigned long long o = atomicMax(&s[g].ulp, w);
    if (w >= o) s[g].at = at;
    atomicMax(&s[g].absolute, ab);
    atomicAdd(&s[g].special, sp);
  }
  atomicAdd(&s[g].hash, h);
}
template <int F>
__global__ void dump(u32 start, signed char* o, u32 n) {
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    long long d = place(hw<F>(start + i)) - place(ref<F>(start + i));
    o[i] = d > 127 ? 127 : d < -128 ? -128 : d;
  }
}
template <int F>
__global__ void dump32(u32 start, u32* o, u32 n, u32 step) {
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    o[i] = hw<F>(start + i * step);
}
template <int F>
void run(FILE* f) {
  const u32 mb = F >= RCP64 ? 20 : 23, groups = 1u << (32 - mb);
  Stat* d;
  cudaMalloc(&d, groups * sizeof(Stat));
  cudaMemset(d, 0, groups * sizeof(Stat));
  sweep<F><<<dim3(64, groups), 256>>>(d, mb);
  std::vector<Stat> s(groups);
  cudaError_t e = cudaMemcpy(s.data(), d, groups * sizeof(Stat), cudaMemcpyDeviceToHost);
  if (e) printf("error %s\n", cudaGetErrorString(e));
  for (u32 g = 0; g < groups; g++) {
    double a;
    memcpy(&a, &s[g].absolute, 8);
    fprintf(f, "%s %u %llu %llu %.6g %08x %u %016llx\n", names[F], g, s[g].differ, s[g].ulp, a, s[g].at, s[g].special,
            s[g].hash);
  }
  cudaFree(d);
}
template <int F>
void dumps(const std::string& dir, std::vector<int> exps) {
  const u32 n = 1 << 23;
  signed char* d;
  cudaMalloc(&d, n);
  std::vector<signed char> h(n);
  FILE* f = fopen((dir + "/" + names[F] + ".d").c_str(), "wb");
  for (int e : exps) {
    dump<F><<<1024, 256>>>((u32)e << 23, d, n);
    cudaMemcpy(h.data(), d, n, cudaMemcpyDeviceToHost);
    fwrite(h.data(), 1, n, f);
  }
  fclose(f);
  cudaFree(d);
}
template <int F>
void words(const std::string& dir, std::vector<u32> starts, u32 n, u32 step) {
  u32* d;
  cudaMalloc(&d, n * 4);
  std::vector<u32> h(n);
  FILE* f = fopen((dir + "/" + names[F] + ".w").c_str(), "wb");
  for (u32 s : starts) {
    dump32<F><<<1024, 256>>>(s, d, n, step);
    cudaMemcpy(h.data(), d, n * 4, cudaMemcpyDeviceToHost);
    fwrite(h.data(), 4, n, f);
  }
  fclose(f);
  cudaFree(d);
}
int main(int c, char** v) {
  std::string dir = v[1];
  FILE* f = fopen((dir + "/mufu_stats.txt").c_str(), "w");
  run<RCP>(f);
  run<RSQ>(f);
  run<SQRT>(f);
  run<EX2>(f);
  run<LG2>(f);
  run<SIN>(f);
  run<COS>(f);
  run<TANH>(f);
  run<RCP64>(f);
  run<RSQ64>(f);
  fclose(f);
  dumps<RCP>(dir, {127});
  dumps<RSQ>(dir, {127, 128});
  dumps<SQRT>(dir, {127, 128});
  dumps<EX2>(dir, {127, 126, 128});
  dumps<LG2>(dir, {127, 126, 128, 132});
  dumps<SIN>(dir, {126, 125, 124, 120});
  dumps<COS>(dir, {126, 125, 124});
  words<TANH>(dir,
              {120u << 23, 121u << 23, 122u << 23, 123u << 23, 124u << 23, 125u << 23, 126u << 23, 127u << 23,
               128u << 23, 129u << 23},
              1 << 18, 32);
  words<RCP64>(dir, {0x3ff00000}, 1 << 20, 1);
  words<RSQ64>(dir, {0x3ff00000, 0x40000000}, 1 << 20, 1);
}
