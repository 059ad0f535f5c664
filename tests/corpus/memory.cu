// SPDX-License-Identifier: Apache-2.0
// Address spaces and access widths: vectors, bytes, cache hints, constant, local, shared, generic, volatile, globals.
#include "corpus.h"

using namespace corpus;
using u32 = unsigned;

__global__ void vector_widths(const uint4* in, uint4* out) {
  const uint4 a = in[threadIdx.x];
  const uint2 b = reinterpret_cast<const uint2*>(in)[threadIdx.x + 1];
  const u32 c = reinterpret_cast<const unsigned short*>(in)[threadIdx.x + 3];
  const int d = reinterpret_cast<const signed char*>(in)[threadIdx.x * 5];
  const int e = reinterpret_cast<const short*>(in)[threadIdx.x * 2 + 1];
  const u32 f = reinterpret_cast<const unsigned char*>(in)[threadIdx.x];
  out[threadIdx.x] = make_uint4(a.x + b.y, a.y ^ c, a.z + d, a.w - e + f);
  reinterpret_cast<unsigned char*>(out)[16 * threadIdx.x] = static_cast<unsigned char>(a.w);
  reinterpret_cast<unsigned short*>(out)[8 * threadIdx.x + 5] = static_cast<unsigned short>(a.x);
}

__global__ void cache_hints(const u32* __restrict__ in, u32* out) {
  const u32 i = threadIdx.x;
  u32 sum = __ldg(in + i) + __ldcg(in + i + 1) + __ldca(in + i + 2) + __ldcs(in + i + 3) + __ldcv(in + i + 4) +
            __ldlu(in + i + 5);
  __stcg(out + i, sum);
  __stcs(out + 64 + i, sum ^ in[i]);
  __stwt(out + 128 + i, sum + 1);
  __stwb(out + 192 + i, sum * 3);
}

__constant__ u32 constants[64];
__global__ void constant_memory(const u32* in, u32* out) {
  const u32 x = in[threadIdx.x];
  out[threadIdx.x] = constants[5] + constants[x & 63] * constants[threadIdx.x & 7] + constants[blockIdx.x + 1];
}

// Indices that the compiler does not know: the array must live in local memory.
__global__ void local_array(const u32* in, u32* out) {
  u32 a[24];
  for (u32 i = 0; i < 24; ++i) a[i] = in[threadIdx.x] + i * i;
  for (u32 i = 0; i < 8; ++i) a[in[i] % 24] ^= a[(in[threadIdx.x] + i) % 24] + i;
  u32 sum = 0;
  for (u32 i = 0; i < 24; ++i) sum = sum * 31 + a[i];
  out[threadIdx.x] = sum;
}
static u32 reference_local(const u32* in, u32 x) {
  u32 a[24], sum = 0;
  for (u32 i = 0; i < 24; ++i) a[i] = x + i * i;
  for (u32 i = 0; i < 8; ++i) a[in[i] % 24] ^= a[(x + i) % 24] + i;
  for (u32 i = 0; i < 24; ++i) sum = sum * 31 + a[i];
  return sum;
}

__global__ void shared_widths(const u32* in, u32* out) {
  __shared__ uint4 wide[64];
  extern __shared__ unsigned char bytes[];
  auto* words = reinterpret_cast<u32*>(wide);
  const u32 i = threadIdx.x;
  for (u32 k = 0; k < 4; ++k) words[i * 4 + (k + i) % 4] = in[(i + k) % 64] + k;
  bytes[i] = static_cast<unsigned char>(in[i]);
  reinterpret_cast<short*>(bytes + 64)[63 - i] = static_cast<short>(in[i] >> 5);
  __syncthreads();
  const uint4 v = wide[63 - i];
  const uint2 h = reinterpret_cast<uint2*>(wide)[i ^ 3];
  const double d = reinterpret_cast<double*>(wide)[i];
  out[i] = v.x + 3 * v.y + 5 * v.z + 7 * v.w + (h.x ^ h.y) + bytes[(i * 7) & 63] +
           reinterpret_cast<short*>(bytes + 64)[i] + static_cast<u32>(__double2hiint(d));
}

// A pointer that is to shared memory for some threads and to global memory for others.
__global__ void generic_pointers(const u32* in, u32* out) {
  __shared__ u32 s[64];
  s[threadIdx.x] = in[threadIdx.x] * 2;
  __syncthreads();
  const u32* p = in[threadIdx.x] & 1 ? s + (threadIdx.x ^ 1) : in + threadIdx.x;
  u32* q = in[threadIdx.x] & 2 ? s + threadIdx.x : out + threadIdx.x;
  const u32 v = *p;
  __syncthreads();
  *q = v + 1;
  atomicAdd(q, 10u);
  out[64 + threadIdx.x] = *q + __isShared(p);
}

__device__ u32 counter = 40;
__device__ u32 table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ u32 scratch[64];
__device__ u32* pointer = table + 2;
__global__ void global_variables_write(const u32* in) {
  scratch[threadIdx.x] = in[threadIdx.x] + table[threadIdx.x & 7] + *pointer;
  if (threadIdx.x == 0) counter += 2;
}
__global__ void global_variables_read(u32* out) { out[threadIdx.x] = scratch[63 - threadIdx.x] + counter; }

struct Particle {
  float position[3];
  short kind;
  char flags[6];
  double mass;
};
__global__ void structures(Particle argument, const Particle* in, Particle* out) {
  Particle p = in[threadIdx.x];
  p.position[threadIdx.x % 3] += argument.position[1];
  p.kind = static_cast<short>(p.kind + argument.kind);
  p.flags[threadIdx.x % 6] ^= argument.flags[2];
  p.mass *= argument.mass;
  out[threadIdx.x] = p;
}

__global__ void volatile_flags(volatile u32* flags, u32* out) {
  if (threadIdx.x == 0) {
    flags[1] = 123;
    __threadfence_system();
    flags[0] = 1;
  } else if (threadIdx.x == 32) {
    while (flags[0] == 0) {
    }
    __threadfence();
    out[0] = flags[1];
  }
}

int main() {
  Random random(8);
  const int n = 64;
  const auto in = random.words(4 * n + 16);
  std::vector<u32> vectors(4 * n), hints(4 * n), fromconstant(n), local(n), shared(n), generic(2 * n), variables(n);
  const std::vector<u32> table64(in.begin() + n, in.begin() + 2 * n);
  const auto* bytes = reinterpret_cast<const unsigned char*>(in.data());
  const auto* halves = reinterpret_cast<const unsigned short*>(in.data());
  std::vector<u32> words(4 * n), doubled(n);
  std::vector<short> shorts(n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 4; ++k) words[i * 4 + (k + i) % 4] = in[(i + k) % 64] + k;
    shorts[63 - i] = static_cast<short>(in[i] >> 5);
    doubled[i] = in[i] * 2;
  }
  for (int i = 0; i < n; ++i) {
    const u32 *a = &in[4 * i], *b = &in[2 * (i + 1)];
    u32* v = &vectors[4 * i];
    v[0] = a[0] + b[1], v[1] = a[1] ^ halves[i + 3],
    v[2] = a[2] + static_cast<u32>(static_cast<signed char>(bytes[5 * i]));
    v[3] = a[3] - static_cast<u32>(static_cast<short>(halves[2 * i + 1])) + bytes[i];
    v[0] = (v[0] & ~0xffu) | (a[3] & 0xff);
    v[2] = (v[2] & 0xffffu) | a[0] << 16;
    u32 sum = 0;
    for (int k = 0; k < 6; ++k) sum += in[i + k];
    hints[i] = sum, hints[64 + i] = sum ^ in[i], hints[128 + i] = sum + 1, hints[192 + i] = sum * 3;
    fromconstant[i] = table64[5] + table64[in[i] & 63] * table64[i & 7] + table64[1];
    local[i] = reference_local(in.data(), in[i]);
    const u32* w = &words[4 * (63 - i)];
    shared[i] = w[0] + 3 * w[1] + 5 * w[2] + 7 * w[3] + (words[2 * (i ^ 3)] ^ words[2 * (i ^ 3) + 1]) +
                (in[i * 7 & 63] & 0xff) + static_cast<u32>(shorts[i]) + words[2 * i + 1];
    const bool from_shared = in[i] & 1;
    const u32 value = (from_shared ? doubled[i ^ 1] : in[i]) + 11;
    if (!(in[i] & 2)) generic[i] = value;
    generic[64 + i] = value + from_shared;
    const u32 first[] = {3, 1, 4, 1, 5, 9, 2, 6};
    variables[i] = in[63 - i] + first[(63 - i) & 7] + 4 + 42;
  }
  Buffer<u32> din(in), o1(4 * n), o2(4 * n), o3(n), o4(n), o5(n), o6(2 * n), o7(n), flags(2), o8(1);
  vector_widths<<<1, n>>>(reinterpret_cast<const uint4*>(static_cast<u32*>(din)),
                          reinterpret_cast<uint4*>(static_cast<u32*>(o1)));
  check("vector_widths", o1, vectors);
  cache_hints<<<1, n>>>(din, o2);
  check("cache_hints", o2, hints);
  require(cudaMemcpyToSymbol(constants, table64.data(), sizeof(constants)), "cudaMemcpyToSymbol");
  constant_memory<<<1, n>>>(din, o3);
  check("constant_memory", o3, fromconstant);
  local_array<<<1, n>>>(din, o4);
  check("local_array", o4, local);
  shared_widths<<<1, n, 64 + 128>>>(din, o5);
  check("shared_widths", o5, shared);
  generic_pointers<<<1, n>>>(din, o6);
  check("generic_pointers", o6, generic);
  global_variables_write<<<1, n>>>(din);
  global_variables_read<<<1, n>>>(o7);
  check("global_variables", o7, variables);

  Particle argument{};
  argument.position[1] = 0.5f, argument.kind = 7, argument.flags[2] = 0x55, argument.mass = 1.25;
  std::vector<Particle> particles(n), moved;
  std::memset(particles.data(), 0, n * sizeof(Particle));
  for (auto& p : particles) {
    for (float& x : p.position) x = random.between(-4, 4);
    p.kind = static_cast<short>(random.bits() % 1000);
    for (char& c : p.flags) c = static_cast<char>(random.bits());
    p.mass = random.between(1, 2);
  }
  moved = particles;
  for (int i = 0; i < n; ++i) {
    moved[i].position[i % 3] += 0.5f;
    moved[i].kind = static_cast<short>(moved[i].kind + 7);
    moved[i].flags[i % 6] = static_cast<char>(moved[i].flags[i % 6] ^ 0x55);
    moved[i].mass *= 1.25;
  }
  Buffer<Particle> dparticles(particles);
  Buffer<u32> dmoved(n * sizeof(Particle) / 4);
  std::vector<u32> moved_words(n * sizeof(Particle) / 4);
  std::memcpy(moved_words.data(), moved.data(), n * sizeof(Particle));
  structures<<<1, n>>>(argument, dparticles, reinterpret_cast<Particle*>(static_cast<u32*>(dmoved)));
  check("structures", dmoved, moved_words);
  volatile_flags<<<1, 64>>>(flags, o8);
  check("volatile_flags", o8, std::vector<u32>{123});
  return finish();
}
