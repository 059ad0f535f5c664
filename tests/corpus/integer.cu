// SPDX-License-Identifier: Apache-2.0
// 32- and 64-bit integers: carries, products, divisions, shifts, bit fields, bytes.
#include "corpus.h"

using namespace corpus;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

// One body for the device and the reference; what only the device has comes in by a trait of the same meaning.
#define BOTH __host__ __device__ inline

BOTH u32 rotate(u32 x, u32 n) { return n % 32 ? x << n % 32 | x >> (32 - n % 32) : x; }

BOTH void arithmetic32(u32 a, u32 b, u32 c, u32* out) {
  out[0] = a + b + c;
  out[1] = a - b - c;
  out[2] = a * b + c;
  out[3] = static_cast<u32>(static_cast<s32>(a) >> (b & 31));
  out[4] = a << (c & 31);
  out[5] = (a & b) ^ (~c | a);
  out[6] = (a & b) | (b & c) | (a & c);
  out[7] = static_cast<s32>(a) < static_cast<s32>(b) ? a : b;
  out[8] = a > c ? a : c;
  out[9] = static_cast<s32>(a) < 0 ? 0 - a : a;
  out[10] = a * 9 + (b << 4);
  out[11] = rotate(a, c);
  out[12] = static_cast<u32>(static_cast<u64>(a) * b >> 32);
  out[13] = static_cast<u32>(static_cast<s64>(static_cast<s32>(a)) * static_cast<s32>(b) >> 32);
  out[14] = a == b || (c & 1) ? a ^ 0x5555aaaau : b & 0xff00ff00u;
  out[15] = (a >> 5 & 0x1ff) + (b >> 16);
}
__global__ void integer_arithmetic32(const u32* in, u32* out) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  arithmetic32(in[3 * i], in[3 * i + 1], in[3 * i + 2], out + 16 * i);
}

BOTH void division32(u32 a, u32 b, u32* out) {
  b |= 1;
  out[0] = a / b;
  out[1] = a % b;
  out[2] = static_cast<u32>(static_cast<s32>(a >> 1) / static_cast<s32>(b >> 20 | 1));
  out[3] = static_cast<u32>(static_cast<s32>(a) % static_cast<s32>(b & 0xffff));
  out[4] = a / 7;
  out[5] = static_cast<u32>(static_cast<s32>(a) % 1000);
  out[6] = a / (b & 15u ? b & 15u : 3u);
  out[7] = static_cast<u32>(static_cast<s32>(a) / -16);
}
__global__ void integer_division32(const u32* in, u32* out) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  division32(in[2 * i], in[2 * i + 1], out + 8 * i);
}

BOTH void arithmetic64(u64 a, u64 b, u64* out) {
  out[0] = a + b;
  out[1] = a - b;
  out[2] = a * b;
  out[3] = a << (b & 63);
  out[4] = a >> (b & 63);
  out[5] = static_cast<u64>(static_cast<s64>(a) >> (b & 63));
  out[6] = a < b ? a : b;
  out[7] = static_cast<s64>(a) > static_cast<s64>(b) ? a : b;
  out[8] = (a & b) | (~a ^ b);
  out[9] = static_cast<u64>(static_cast<s64>(static_cast<s32>(a)) * static_cast<s32>(b)) + a;
  out[10] = (a & 0xffffffffu) * (b & 0xffffffffu) + b;
  out[11] = static_cast<s64>(a) < 0 ? 0 - a : a;
}
__global__ void integer_arithmetic64(const u64* in, u64* out) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  arithmetic64(in[2 * i], in[2 * i + 1], out + 12 * i);
}

BOTH void division64(u64 a, u64 b, u64* out) {
  b |= 1;
  out[0] = a / b;
  out[1] = a % (b >> 20);
  out[2] = static_cast<u64>(static_cast<s64>(a) / static_cast<s64>(b >> 33 | 1));
  out[3] = static_cast<u64>(static_cast<s64>(a) % static_cast<s64>(b >> 7));
  out[4] = a / 1000000007u;
}
__global__ void integer_division64(const u64* in, u64* out) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  division64(in[2 * i], in[2 * i + 1], out + 5 * i);
}

__global__ void carry_chain(const u32* in, u32* out) {
  const u32* a = in + 8 * threadIdx.x;
  u32* r = out + 8 * threadIdx.x;
  asm("add.cc.u32 %0, %4, %8;\n\t"
      "addc.cc.u32 %1, %5, %9;\n\t"
      "addc.cc.u32 %2, %6, %10;\n\t"
      "addc.u32 %3, %7, %11;"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]));
  asm("sub.cc.u32 %0, %4, %8;\n\t"
      "subc.cc.u32 %1, %5, %9;\n\t"
      "subc.cc.u32 %2, %6, %10;\n\t"
      "subc.u32 %3, %7, %11;"
      : "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]));
}

__global__ void bit_operations(const u32* in, u32* out) {
  const u32 a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
  u32* r = out + 14 * threadIdx.x;
  r[0] = __popc(a);
  r[1] = __popcll(static_cast<u64>(a) << 32 | b);
  r[2] = __clz(a >> (b & 31));
  r[3] = __clzll(static_cast<s64>(static_cast<u64>(a) << 32 | b) >> (b & 31));
  r[4] = __ffs(a & b);
  r[5] = __brev(a);
  r[6] = static_cast<u32>(__brevll(static_cast<u64>(a) << 32 | b) >> 16);
  r[7] = __byte_perm(a, b, 0x6274);
  r[8] = __byte_perm(a, b, a & 0x7777);
  r[9] = __funnelshift_l(a, b, b);
  r[10] = __funnelshift_rc(a, b, a & 63);
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r[11]) : "r"(a), "r"(b & 31), "r"(b >> 8 & 31));
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r[12]) : "r"(a), "r"(b), "r"(b & 15), "r"(7));
  asm("bfind.s32 %0, %1;" : "=r"(r[13]) : "r"(a));
}

static u32 reference_bytes(u32 a, u32 b, u32 selector) {
  const u64 both = static_cast<u64>(b) << 32 | a;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 s = selector >> 4 * i & 0xf;
    result |= static_cast<u32>(both >> 8 * (s & 7) & 0xff) << 8 * i;
  }
  return result;
}
static u32 leading_zeros(u64 x, int width) {
  u32 n = 0;
  for (int bit = width - 1; bit >= 0 && !(x >> bit & 1); --bit) ++n;
  return n;
}
static u32 reverse(u32 x) {
  u32 r = 0;
  for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i);
  return r;
}

static void reference_bits(u32 a, u32 b, u32* r) {
  const u64 both = static_cast<u64>(a) << 32 | b;
  r[0] = __builtin_popcount(a);
  r[1] = __builtin_popcountll(both);
  r[2] = leading_zeros(a >> (b & 31), 32);
  r[3] = leading_zeros(static_cast<u64>(static_cast<s64>(both) >> (b & 31)), 64);
  r[4] = __builtin_ffs(static_cast<int>(a & b));
  r[5] = reverse(a);
  const u64 reversed = static_cast<u64>(reverse(b)) << 32 | reverse(a);
  r[6] = static_cast<u32>(reversed >> 16);
  r[7] = reference_bytes(a, b, 0x6274);
  r[8] = reference_bytes(a, b, a & 0x7777);
  const u32 left = b & 31;
  r[9] = left ? b << left | a >> (32 - left) : b;
  const u32 right = (a & 63) > 32 ? 32 : a & 63;
  r[10] = static_cast<u32>((static_cast<u64>(b) << 32 | a) >> right);
  const u32 position = b & 31, length = b >> 8 & 31;
  u32 field = 0;
  const u32 sign = length == 0 ? 0 : a >> (position + length - 1 > 31 ? 31 : position + length - 1) & 1;
  for (u32 i = 0; i < 32; ++i) field |= (i < length && position + i < 32 ? a >> (position + i) & 1 : sign) << i;
  r[11] = field;
  const u32 at = b & 15, mask = 0x7fu << at;
  r[12] = (b & ~mask) | (a << at & mask);
  const u32 magnitude = static_cast<s32>(a) < 0 ? ~a : a;
  r[13] = magnitude ? 31 - leading_zeros(magnitude, 32) : 0xffffffffu;
}

__global__ void dot_products(const u32* in, u32* out) {
  const u32 a = in[3 * threadIdx.x], b = in[3 * threadIdx.x + 1], c = in[3 * threadIdx.x + 2];
  u32* r = out + 6 * threadIdx.x;
  r[0] = __dp4a(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c));
  r[1] = __dp4a(a, b, c);
  r[2] = __dp2a_lo(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c));
  r[3] = __dp2a_hi(a, b, c);
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(r[4]) : "r"(a), "r"(b), "r"(c));
  r[5] = __mul24(static_cast<int>(a), static_cast<int>(b)) + __umul24(a, c);
}
static s32 lane(u32 x, int bits, int i, bool sign) {
  const u32 v = x >> bits * i & ((1u << bits) - 1);
  return sign && v >> (bits - 1) ? static_cast<s32>(v) - (1 << bits) : static_cast<s32>(v);
}
static void reference_dots(u32 a, u32 b, u32 c, u32* r) {
  s64 sums[5] = {static_cast<s32>(c), c, static_cast<s32>(c), c, c};
  for (int i = 0; i < 4; ++i) {
    sums[0] += lane(a, 8, i, true) * lane(b, 8, i, true);
    sums[1] += lane(a, 8, i, false) * lane(b, 8, i, false);
    sums[4] += lane(a, 8, i, false) * lane(b, 8, i, true);
  }
  for (int i = 0; i < 2; ++i) {
    sums[2] += lane(a, 16, i, true) * lane(b, 8, i, true);
    sums[3] += static_cast<s64>(lane(a, 16, i, false)) * lane(b, 8, i + 2, false);
  }
  for (int i = 0; i < 5; ++i) r[i] = static_cast<u32>(sums[i]);
  const s64 signed24 = static_cast<s64>(static_cast<s32>(a << 8) >> 8) * (static_cast<s32>(b << 8) >> 8);
  r[5] = static_cast<u32>(signed24) + static_cast<u32>(static_cast<u64>(a & 0xffffff) * (c & 0xffffff));
}

__global__ void video_instructions(const u32* in, u32* out) {
  const u32 a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
  u32* r = out + 10 * threadIdx.x;
  r[0] = __vadd4(a, b);
  r[1] = __vabsdiffu4(a, b);
  r[2] = __vsadu4(a, b);
  r[3] = __vmaxs4(a, b);
  r[4] = __vcmpgtu4(a, b);
  r[5] = __vavgu4(a, b);
  r[6] = __vsub2(a, b);
  r[7] = __usad(a, b, a ^ b);
  r[8] = __sad(static_cast<int>(a), static_cast<int>(b), b);
  r[9] = __vaddss2(a, b);
}
static void reference_video(u32 a, u32 b, u32* r) {
  for (int i = 0; i < 10; ++i) r[i] = 0;
  for (int i = 0; i < 4; ++i) {
    const s32 ua = lane(a, 8, i, false), ub = lane(b, 8, i, false), sa = lane(a, 8, i, true), sb = lane(b, 8, i, true);
    const u32 difference = static_cast<u32>(ua > ub ? ua - ub : ub - ua);
    r[0] |= (static_cast<u32>(ua + ub) & 0xff) << 8 * i;
    r[1] |= difference << 8 * i;
    r[2] += difference;
    r[3] |= (static_cast<u32>(sa > sb ? sa : sb) & 0xff) << 8 * i;
    r[4] |= (ua > ub ? 0xffu : 0u) << 8 * i;
    r[5] |= static_cast<u32>((ua + ub + 1) / 2) << 8 * i;
  }
  for (int i = 0; i < 2; ++i) {
    r[6] |= (static_cast<u32>(lane(a, 16, i, false) - lane(b, 16, i, false)) & 0xffff) << 16 * i;
    s32 sum = lane(a, 16, i, true) + lane(b, 16, i, true);
    sum = sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum;
    r[9] |= (static_cast<u32>(sum) & 0xffff) << 16 * i;
  }
  r[7] = (a > b ? a - b : b - a) + (a ^ b);
  const s64 wide = static_cast<s64>(static_cast<s32>(a)) - static_cast<s32>(b);
  r[8] = static_cast<u32>(wide < 0 ? -wide : wide) + b;
}

int main() {
  Random random(2);
  const int n = 64;
  auto words = random.words(3 * n);
  for (int i = 0; i < 12; ++i) words[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? 0xffffffffu : 0x80000000u;
  std::vector<u64> wide(2 * n);
  for (auto& x : wide) x = random.bits64();
  wide[0] = 0, wide[1] = ~0ull, wide[2] = 1ull << 63, wide[3] = ~0ull, wide[4] = 0xffffffffu, wide[5] = 0x100000000u;
  Buffer<u32> in(words);
  Buffer<u64> in64(wide);

  std::vector<u32> want(16 * n), quotients(8 * n), bits(14 * n), dots(6 * n), video(10 * n), carries(8 * 24);
  std::vector<u64> want64(12 * n), quotients64(5 * n);
  for (int i = 0; i < n; ++i) {
    arithmetic32(words[3 * i], words[3 * i + 1], words[3 * i + 2], &want[16 * i]);
    division32(words[2 * i], words[2 * i + 1], &quotients[8 * i]);
    arithmetic64(wide[2 * i], wide[2 * i + 1], &want64[12 * i]);
    division64(wide[2 * i], wide[2 * i + 1], &quotients64[5 * i]);
    reference_bits(words[2 * i], words[2 * i + 1], &bits[14 * i]);
    reference_dots(words[3 * i], words[3 * i + 1], words[3 * i + 2], &dots[6 * i]);
    reference_video(words[2 * i], words[2 * i + 1], &video[10 * i]);
  }
  for (int i = 0; i < 24; ++i) {
    const u32* a = &words[8 * i];
    u64 carry = 0, borrow = 0;
    for (int k = 0; k < 4; ++k) {
      const u64 sum = static_cast<u64>(a[k]) + a[k + 4] + carry,
                difference = static_cast<u64>(a[k]) - a[k + 4] - borrow;
      carries[8 * i + k] = static_cast<u32>(sum), carry = sum >> 32;
      carries[8 * i + 4 + k] = static_cast<u32>(difference), borrow = difference >> 63;
    }
  }
  Buffer<u32> o1(16 * n), o2(8 * n), o3(8 * 24), o4(14 * n), o5(6 * n), o6(10 * n);
  Buffer<u64> o7(12 * n), o8(5 * n);
  integer_arithmetic32<<<2, n / 2>>>(in, o1);
  check("integer_arithmetic32", o1, want);
  integer_division32<<<2, n / 2>>>(in, o2);
  check("integer_division32", o2, quotients);
  integer_arithmetic64<<<2, n / 2>>>(in64, o7);
  check("integer_arithmetic64", o7, want64);
  integer_division64<<<2, n / 2>>>(in64, o8);
  check("integer_division64", o8, quotients64);
  carry_chain<<<1, 24>>>(in, o3);
  check("carry_chain", o3, carries);
  bit_operations<<<1, n>>>(in, o4);
  check("bit_operations", o4, bits);
  dot_products<<<1, n>>>(in, o5);
  check("dot_products", o5, dots);
  video_instructions<<<1, n>>>(in, o6);
  check("video_instructions", o6, video);
  return finish();
}
