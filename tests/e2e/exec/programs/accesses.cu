// SPDX-License-Identifier: Apache-2.0
// Loads and stores of all widths, cache operators and state spaces; special registers. Checks itself.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
typedef uint32_t u;
typedef unsigned long long ull;
int bad = 0;
#define CHECK(c)                                           \
  do {                                                     \
    if (!(c) && bad++ < 20) {                              \
      printf("FAILED line %d i=%d %s\n", __LINE__, i, #c); \
    }                                                      \
  } while (0)
struct __align__(16) V {
  u v[4];
};
__constant__ V cv[64];
__constant__ unsigned char cb[256];
__device__ unsigned char gb[256] = {1, 2, 3};
__device__ short gs[64];
template <class A>
__device__ u get(const A& x) {
  const unsigned char* p = (const unsigned char*)&x;
  u r = 0;
  for (int i = 0; i < sizeof(A); i++) r = r * 31 + p[i];
  return r;
}
// out[t*64 + n]
__global__ void loads(const u* in, u* o) {
  int t = threadIdx.x, n = 0;
  u* p = o + t * 64;
  const u* q = in + t * 4;
  u a, b, c, d;
  unsigned short h;
  ull l;
#define L1(m)                                                     \
  asm volatile("ld.global" m ".u32 %0,[%1];" : "=r"(a) : "l"(q)); \
  p[n++] = a;
  L1("")
  L1(".ca") L1(".cg") L1(".cs") L1(".lu") L1(".cv") L1(".nc") L1(".relaxed.gpu")  // 8
      asm volatile("ld.volatile.global.u32 %0,[%1];"
                   : "=r"(a)
                   : "l"(q));
  p[n++] = a;
  asm volatile("ld.acquire.sys.global.u32 %0,[%1];" : "=r"(a) : "l"(q));
  p[n++] = a;
  asm volatile("ld.relaxed.cta.global.u32 %0,[%1];" : "=r"(a) : "l"(q));
  p[n++] = a;  // 11
  asm volatile("ld.global.nc.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(q));
  p[n++] = a + b * 3 + c * 5 + d * 7;
  asm volatile("ld.global.v2.u32 {%0,%1},[%2+8];" : "=r"(a), "=r"(b) : "l"(q));
  p[n++] = a + b * 3;  // 13
  asm volatile("ld.global.v2.u64 {%0,%1},[%2];" : "=l"(l), "=l"(*(ull*)&o[8192 + t * 2]) : "l"(q));
  p[n++] = (u)l + (u)(l >> 32) * 3;
  asm volatile("ld.global.u8 %0,[%1+1];" : "=r"(a) : "l"(q));
  p[n++] = a;
  asm volatile("ld.global.s8 %0,[%1+3];" : "=r"(a) : "l"(q));
  p[n++] = a;
  asm volatile("ld.global.u16 %0,[%1+2];" : "=h"(h) : "l"(q));
  p[n++] = h;
  asm volatile("ld.global.s16 %0,[%1+2];" : "=r"(a) : "l"(q));
  p[n++] = a;
  asm volatile("ld.global.v4.u8 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(q));
  p[n++] = a + b * 3 + c * 5 + d * 7;  // 19
  p[n++] = __ldg(q);
  p[n++] = __ldcg(q);
  p[n++] = __ldca(q);
  p[n++] = __ldcs(q);
  p[n++] = __ldlu(q);
  p[n++] = __ldcv(q);
  uint4 w = __ldg((const uint4*)q);
  p[n++] = w.x + w.w;
  char4 k = __ldg((const char4*)q);
  p[n++] = k.x + k.y * 3 + k.w * 7;
  double2 dd = __ldg((const double2*)q);
  p[n++] = (u)__double_as_longlong(dd.x) ^ (u)__double_as_longlong(dd.y);  // 28
  // const, indexed by lane and uniformly
  V v = cv[t & 63];
  p[n++] = v.v[0] + v.v[3];
  p[n++] = cv[(t / 32) & 63].v[1];
  p[n++] = cb[(t * 7) & 255];
  short cs;
  memcpy(&cs, cb + ((t * 2) & 254), 2);
  p[n++] = cs;  // 32
  // local arrays with dynamic index
  u loc[24];
  for (int i = 0; i < 24; i++) loc[i] = q[i & 3] * i;
  loc[(t * 5) % 24] ^= 0xff;
  u s = 0;
  for (int i = 0; i < 24; i++) s = s * 7 + loc[(i * 11 + t) % 24];
  p[n++] = s;
  unsigned char lb[40];
  for (int i = 0; i < 40; i++) lb[i] = q[i & 3] >> i;
  s = 0;
  for (int i = 0; i < 40; i++) s = s * 3 + lb[(i * 7 + t) % 40];
  p[n++] = s;  // 34
  // generic pointers to all spaces
  __shared__ u sh[128];
  sh[t] = q[1];
  __syncthreads();
  const u* g = t % 3 == 0 ? &sh[(t * 5) & 127] : t % 3 == 1 ? &loc[t % 24] : in + ((t * 9) & 127);
  p[n++] = *g;
  u is, isl, isg, isc;
  asm volatile(
      "{.reg .pred a; isspacep.shared a,%4; selp.u32 %0,1,0,a; isspacep.local a,%4; selp.u32 %1,1,0,a; isspacep.global "
      "a,%4; selp.u32 %2,1,0,a; isspacep.const a,%4; selp.u32 %3,1,0,a;}"
      : "=r"(is), "=r"(isl), "=r"(isg), "=r"(isc)
      : "l"(g));
  p[n++] = is + 2 * isl + 4 * isg + 8 * isc;
  p[n++] = __isShared(g) + 2 * __isLocal(g) + 4 * __isGlobal(g) + 8 * __isConstant(cv);  // 37
  // shared of all widths
  __shared__ V sv[128];
  __shared__ unsigned char sb[512];
  V nv;
  for (int i = 0; i < 4; i++) nv.v[i] = q[i] + i;
  sv[127 - t] = nv;
  sb[t] = t * 3;
  sb[t + 128] = q[0];
  ((unsigned short*)sb)[128 + t] = t * 257;
  __syncthreads();
  V rv = sv[(t * 3) & 127];
  p[n++] = rv.v[0] + rv.v[1] * 3 + rv.v[2] * 5 + rv.v[3] * 7;
  p[n++] = sb[(t * 5) & 255];
  p[n++] = ((short*)sb)[128 + ((t * 7) & 127)];
  p[n++] = ((ull*)sv)[(t * 9) & 255] >> 16;  // 41
                                             // hints, prefetch, discard
#if __CUDA_ARCH__ >= 750
  asm volatile("ld.global.L2::128B.u32 %0,[%1];" : "=r"(a) : "l"(q));
#else
  a = q[0];
#endif
  p[n++] = a;
  asm volatile("prefetch.global.L1 [%0];" ::"l"(q));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(q));
  asm volatile("prefetchu.L1 [%0];" ::"l"(q));
#if __CUDA_ARCH__ >= 800
  ull pol;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0,0.5;" : "=l"(pol));
  asm volatile("ld.global.L2::cache_hint.u32 %0,[%1],%2;" : "=r"(a) : "l"(q), "l"(pol));
  p[n++] = a;
  asm volatile("ld.global.L1::no_allocate.u32 %0,[%1];" : "=r"(a) : "l"(q));
  p[n++] = a;
  asm volatile("st.global.L1::evict_first.u32 [%0],%1;" ::"l"(p + n), "r"(a + 1));
  n++;
  asm volatile("applypriority.global.L2::evict_normal [%0],128;" ::"l"((ull)in & ~127ull));
  asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(q));
#else
  p[n++] = q[0];
  p[n++] = q[0];
  p[n++] = q[0] + 1;
#endif
  // stores 46..
  asm volatile("st.global.cg.u32 [%0],%1;" ::"l"(p + n), "r"(q[2]));
  n++;
  asm volatile("st.global.wt.u32 [%0],%1;" ::"l"(p + n), "r"(q[2]));
  n++;
  asm volatile("st.global.cs.u32 [%0],%1;" ::"l"(p + n), "r"(q[2]));
  n++;
  asm volatile("st.release.gpu.global.u32 [%0],%1;" ::"l"(p + n), "r"(q[2]));
  n++;
  asm volatile("st.volatile.global.u32 [%0],%1;" ::"l"(p + n), "r"(q[2]));
  n++;
  __stwb(p + n, q[2]);
  n++;
  __stcg(p + n, q[2]);
  n++;
  __stwt(p + n, q[2]);
  n++;  // 54
  asm volatile("st.global.u8 [%0],%1;" ::"l"(p + n), "r"(0x1ff));
  asm volatile("st.global.u8 [%0+3],%1;" ::"l"(p + n), "r"(q[0]));
  n++;
  asm volatile("st.global.u16 [%0+2],%1;" ::"l"(p + n), "h"((unsigned short)q[0]));
  n++;
  n++;
  asm volatile("st.global.v2.u32 [%0],{%1,%2};" ::"l"((ull)(p + n)), "r"(5), "r"(t));
  n += 2;  // 58
  gs[t & 63] = t & 63;
  __threadfence();
  p[n++] = gb[2] + gs[t & 63];  // 59
}
__global__ void special(ull* o) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  u x;
  ull c;
  asm volatile("mov.u32 %0,%%laneid;" : "=r"(x));
  o[i * 16] = x;
  asm volatile("mov.u32 %0,%%warpid;" : "=r"(x));
  o[i * 16 + 1] = x;
  asm volatile("mov.u32 %0,%%nwarpid;" : "=r"(x));
  o[i * 16 + 2] = x;
  asm volatile("mov.u32 %0,%%smid;" : "=r"(x));
  o[i * 16 + 3] = x;
  asm volatile("mov.u32 %0,%%nsmid;" : "=r"(x));
  o[i * 16 + 4] = x;
  asm volatile("mov.u64 %0,%%gridid;" : "=l"(c));
  o[i * 16 + 5] = c;
  asm volatile("mov.u32 %0,%%lanemask_lt;" : "=r"(x));
  o[i * 16 + 6] = x;
  asm volatile("mov.u32 %0,%%lanemask_ge;" : "=r"(x));
  o[i * 16 + 7] = x;
  asm volatile("mov.u32 %0,%%lanemask_eq;" : "=r"(x));
  o[i * 16 + 8] = x;
  asm volatile("mov.u32 %0,%%total_smem_size;" : "=r"(x));
  o[i * 16 + 9] = x;
  asm volatile("mov.u32 %0,%%dynamic_smem_size;" : "=r"(x));
  o[i * 16 + 10] = x;
  asm volatile("mov.u64 %0,%%clock64;" : "=l"(c));
  o[i * 16 + 11] = c;
  asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(c));
  o[i * 16 + 12] = c;
  asm volatile("mov.u32 %0,%%clock_hi;" : "=r"(x));
  o[i * 16 + 13] = x;
  asm volatile("mov.u32 %0,%%globaltimer_lo;" : "=r"(x));
  o[i * 16 + 14] = x;
  asm volatile("mov.u32 %0,%%lanemask_gt;" : "=r"(x));
  o[i * 16 + 15] = x;
}
int main() {
  int i = 0;
  const int N = 128;
  u *in, *o;
  cudaMallocManaged(&in, N * 16 + 64);
  cudaMallocManaged(&o, N * 256 + 65536);
  for (i = 0; i < N * 4 + 16; i++) in[i] = i * 2654435761u + 77;
  V hv[64];
  for (i = 0; i < 256; i++) hv[i / 4].v[i & 3] = i * i * 7;
  unsigned char hb[256];
  for (i = 0; i < 256; i++) hb[i] = i * 37 + 5;
  cudaMemcpyToSymbol(cv, hv, 1024);
  cudaMemcpyToSymbol(cb, hb, 256);
  for (int k = 0; k < N * 64; k++) o[k] = 0;
  loads<<<1, N>>>(in, o);
  cudaError_t e = cudaDeviceSynchronize();
  if (e) {
    printf("FAILED %s\n", cudaGetErrorName(e));
    return 1;
  }
  for (i = 0; i < N; i++) {
    u* p = o + i * 64;
    u* q = in + i * 4;
    for (int n = 0; n < 11; n++) CHECK(p[n] == q[0]);
    CHECK(p[11] == q[0] + q[1] * 3 + q[2] * 5 + q[3] * 7);
    CHECK(p[12] == q[2] + q[3] * 3);
    CHECK(p[13] == q[0] + q[1] * 3);
    CHECK(p[14] == (q[0] >> 8 & 255));
    CHECK(p[15] == (u)(int)(signed char)(q[0] >> 24));
    CHECK(p[16] == q[0] >> 16);
    CHECK(p[17] == (u)(int)(short)(q[0] >> 16));
    CHECK(p[18] == (q[0] & 255) + (q[0] >> 8 & 255) * 3 + (q[0] >> 16 & 255) * 5 + (q[0] >> 24) * 7);
    for (int n = 19; n < 25; n++) CHECK(p[n] == q[0]);
    CHECK(p[25] == q[0] + q[3]);
    auto sc = [&](int k) { return (int)(signed char)(q[0] >> (8 * k)); };
    CHECK(p[26] == (u)(sc(0) + sc(1) * 3 + sc(3) * 7));
    CHECK(p[27] == (q[0] ^ q[2]));
    CHECK(p[28] == hv[i & 63].v[0] + hv[i & 63].v[3]);
    CHECK(p[29] == hv[i / 32].v[1]);
    CHECK(p[30] == hb[(i * 7) & 255]);
    short cs;
    memcpy(&cs, hb + ((i * 2) & 254), 2);
    CHECK(p[31] == (u)(int)cs);
    u loc[24];
    for (int k = 0; k < 24; k++) loc[k] = q[k & 3] * k;
    loc[(i * 5) % 24] ^= 0xff;
    u s = 0;
    for (int k = 0; k < 24; k++) s = s * 7 + loc[(k * 11 + i) % 24];
    CHECK(p[32] == s);
    s = 0;
    unsigned char lb[40];
    for (int k = 0; k < 40; k++) lb[k] = k < 32 ? q[k & 3] >> k : 0;
    (void)lb;
    u g = i % 3 == 0 ? in[((i * 5) & 127) * 4 + 1] : i % 3 == 1 ? loc[i % 24] : in[(i * 9) & 127];
    CHECK(p[34] == g);
    u sp = i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : 4;
    CHECK((p[35] & 7) == sp);
    CHECK((p[36] & 7) == sp);
    int k = 127 - ((i * 3) & 127);
    u* w = in + k * 4;
    CHECK(p[37] == w[0] + (w[1] + 1) * 3 + (w[2] + 2) * 5 + (w[3] + 3) * 7);
    int z = (i * 5) & 255;
    CHECK(p[38] == (z < 128 ? (unsigned char)(z * 3) : (unsigned char)in[(z - 128) * 4]));
    CHECK(p[39] == (u)(int)(short)(((i * 7) & 127) * 257));
    {
      int c = (i * 9) & 255, kk = 127 - c / 2;
      u lo = in[kk * 4 + (c & 1) * 2] + (c & 1) * 2, hi = in[kk * 4 + (c & 1) * 2 + 1] + (c & 1) * 2 + 1;
      CHECK(p[40] == (u)((((ull)hi << 32) | lo) >> 16));
    }
    CHECK(p[41] == q[0] && p[42] == q[0] && p[43] == q[0] && p[44] == q[0] + 1);
    for (int n = 45; n < 53; n++) CHECK(p[n] == q[2]);
    CHECK(p[53] == (0xffu | (q[0] & 255) << 24));
    CHECK(p[54] == (q[0] << 16));
    CHECK(p[56] == 5 && p[57] == (u)i);
    CHECK(p[58] == 3u + (i & 63));
  }
  ull* s;
  cudaMallocManaged(&s, 16 * 8 * 192);
  special<<<2, 96>>>(s);
  e = cudaDeviceSynchronize();
  if (e) {
    printf("FAILED special %s\n", cudaGetErrorName(e));
    return 1;
  }
  int sms;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  for (i = 0; i < 192; i++) {
    ull* p = s + i * 16;
    int l = i % 96 % 32;
    CHECK(p[0] == l);
    CHECK(p[1] < 64 && p[2] >= 48 / 3);
    CHECK(p[3] < (ull)sms && p[4] >= (ull)sms);
    CHECK((u)p[6] == (1u << l) - 1);
    CHECK((u)p[7] == ~((1u << l) - 1));
    CHECK((u)p[8] == 1u << l);
    CHECK(p[10] == 0);
    CHECK(p[15] == (u) ~((2ull << l) - 1));
    CHECK(p[11] > 0 && p[12] > 0);
  }
  printf("smid %llu nsmid %llu nwarpid %llu grid %llu smem %llu clock %llu timer %llu\n", s[3], s[4], s[2], s[5], s[9],
         s[11], s[12]);
  printf("accesses %s\n", bad ? "FAILED" : "ok");
  return bad != 0;
}
