// SPDX-License-Identifier: Apache-2.0
// Copies of boxes of tensors and bulk copies for sm_90. Prints a checksum of what lies in shared memory or in the
// tensor after each, to be compared with a GPU's.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int kBox = 8192;  // bytes at most

__device__ std::uint32_t shared_address(const void* memory) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
}
__device__ void init(std::uint64_t* barrier) {
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(barrier)));
  asm volatile("fence.proxy.async;" ::: "memory");
}
__device__ void expect(std::uint64_t* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes));
}
/// Whether the bytes came; a GPU needs some microseconds.
__device__ int wait(std::uint64_t* barrier) {
  int done = 0;
  for (int i = 0; i < 2000 && done == 0; ++i)
    asm volatile("{.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], 0;\nselp.b32 %0, 1, 0, p;}"
                 : "=r"(done)
                 : "r"(shared_address(barrier))
                 : "memory");
  return done;
}
__device__ void commit_and_wait() {
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\ncp.async.bulk.wait_group 0;" ::
                   : "memory");
}

struct At {
  int c[5];
  int offsets[3];
};

#define LOAD(dimensions, kind, coordinates, ...)                                                              \
  asm volatile("cp.async.bulk.tensor." dimensions ".shared::cluster.global" kind                              \
               ".mbarrier::complete_tx::bytes [%0], [%1, {" coordinates "}], [%2]" __VA_ARGS__ ";" ::"r"(to), \
               "l"(&map), "r"(bar), "r"(at.c[0]), "r"(at.c[1]), "r"(at.c[2]), "r"(at.c[3]), "r"(at.c[4]),     \
               "h"((short)at.offsets[0]), "h"((short)at.offsets[1]), "h"((short)at.offsets[2])                \
               : "memory")

/// The bytes of a box as they lie in shared memory. `kKind`: dimensions, and 10 more for im2col.
template <int kKind>
__global__ void fetch(const __grid_constant__ CUtensorMap map, At at, int bytes, std::uint8_t* out, int* done) {
  __shared__ __align__(1024) std::uint8_t box[kBox];
  __shared__ __align__(8) std::uint64_t barrier;
  for (int i = threadIdx.x; i < kBox; i += blockDim.x) box[i] = 0xee;
  if (threadIdx.x == 0) init(&barrier);
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("fence.proxy.async;" ::: "memory");
    const std::uint32_t to = shared_address(box), bar = shared_address(&barrier);
    expect(&barrier, bytes);
    if (kKind == 1) LOAD("1d", ".tile", "%3");
    if (kKind == 2) LOAD("2d", ".tile", "%3, %4");
    if (kKind == 3) LOAD("3d", ".tile", "%3, %4, %5");
    if (kKind == 4) LOAD("4d", ".tile", "%3, %4, %5, %6");
    if (kKind == 5) LOAD("5d", ".tile", "%3, %4, %5, %6, %7");
    if (kKind == 13) LOAD("3d", ".im2col", "%3, %4, %5", ", {%8}");
    if (kKind == 14) LOAD("4d", ".im2col", "%3, %4, %5, %6", ", {%8, %9}");
    if (kKind == 15) LOAD("5d", ".im2col", "%3, %4, %5, %6, %7", ", {%8, %9, %10}");
    *done = wait(&barrier);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kBox; i += blockDim.x) out[i] = box[i];
}

/// `operation`: 0 stores, the others reduce.
__global__ void store(const __grid_constant__ CUtensorMap map, At at, int operation, const std::uint8_t* from) {
  __shared__ __align__(1024) std::uint8_t box[kBox];
  for (int i = threadIdx.x; i < kBox; i += blockDim.x) box[i] = from[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
#define TO_TENSOR(instruction)                                                                             \
  asm volatile(instruction ".tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map), "r"(shared_address(box)), \
               "r"(at.c[0]), "r"(at.c[1])                                                                  \
               : "memory")
  if (operation == 0) TO_TENSOR("cp.async.bulk.tensor.2d.global.shared::cta");
  if (operation == 1) TO_TENSOR("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add");
  if (operation == 2) TO_TENSOR("cp.reduce.async.bulk.tensor.2d.global.shared::cta.min");
  if (operation == 3) TO_TENSOR("cp.reduce.async.bulk.tensor.2d.global.shared::cta.max");
  if (operation == 4) TO_TENSOR("cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor");
  if (operation == 5) TO_TENSOR("cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc");
  if (operation == 6)
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%2, %3, %4, %5}], [%1];" ::"l"(
            &map),
        "r"(shared_address(box)), "r"(at.c[0]), "r"(at.c[1]), "r"(at.c[2]), "r"(at.c[3])
        : "memory");
  commit_and_wait();
}

/// Bulk copies from shared memory, by number.
__global__ void bulk(int operation, const std::uint8_t* from, std::uint8_t* to, int bytes, int* done) {
  __shared__ __align__(1024) std::uint8_t box[kBox];
  for (int i = threadIdx.x; i < kBox; i += blockDim.x) box[i] = from[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
#define TO_GLOBAL(instruction) \
  asm volatile(instruction " [%0], [%1], %2;" ::"l"(to), "r"(shared_address(box)), "r"(bytes) : "memory")
#define REDUCE(type) TO_GLOBAL("cp.reduce.async.bulk.global.shared::cta.bulk_group." type)
    if (operation == 0) TO_GLOBAL("cp.async.bulk.global.shared::cta.bulk_group");
    if (operation == 1) REDUCE("add.u32");
    if (operation == 2) REDUCE("add.u64");
    if (operation == 3) REDUCE("add.f32");
    if (operation == 4) REDUCE("add.noftz.f16");
    if (operation == 5) REDUCE("min.s32");
    if (operation == 6) REDUCE("xor.b64");
    if (operation == 7) REDUCE("max.f16");
    if (operation == 8) REDUCE("add.f64");
    if (operation == 9) REDUCE("add.noftz.bf16");
    if (operation == 10) REDUCE("dec.u32");
    commit_and_wait();
    *done = 1;
  }
}

/// Each of two blocks of a cluster copies to the other: bytes, or sums where `adds` is true.
__global__ void __cluster_dims__(2, 1, 1)
    exchange(bool adds, const std::uint8_t* from, int bytes, std::uint8_t* out, int* done) {
  __shared__ __align__(1024) std::uint8_t box[2][kBox / 2];
  __shared__ __align__(8) std::uint64_t barrier;
  std::uint32_t rank, to, bar;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  for (int i = threadIdx.x; i < kBox / 2; i += blockDim.x) box[0][i] = from[i + rank], box[1][i] = from[i + kBox / 2];
  if (threadIdx.x == 0) init(&barrier), expect(&barrier, bytes);
  asm volatile("fence.proxy.async;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(shared_address(box[0])), "r"(1 - rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar) : "r"(shared_address(&barrier)), "r"(1 - rank));
  if (threadIdx.x == 0) {
    if (adds)
      asm volatile(
          "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, "
          "[%3];" ::"r"(to),
          "r"(shared_address(box[1])), "r"(bytes), "r"(bar)
          : "memory");
    else
      asm volatile(
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
          "r"(shared_address(box[1])), "r"(bytes), "r"(bar)
          : "memory");
    done[rank] = wait(&barrier);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kBox / 2; i += blockDim.x) out[rank * kBox + i] = box[0][i];
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

/// Each block of a cluster of two loads half of a box, and both get it; then the second block's memory is written out.
__global__ void __cluster_dims__(2, 1, 1) multicast(const __grid_constant__ CUtensorMap map, const std::uint8_t* from,
                                                    int bytes, std::uint8_t* out, int* done) {
  __shared__ __align__(1024) std::uint8_t box[kBox];
  __shared__ __align__(8) std::uint64_t barrier;
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  for (int i = threadIdx.x; i < kBox; i += blockDim.x) box[i] = 0xee;
  if (threadIdx.x == 0) init(&barrier), expect(&barrier, 2 * bytes);
  asm volatile("fence.proxy.async;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x == 0 && rank == 0)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
        "[%1, {%3, %4}], "
        "[%2], %5;" ::"r"(shared_address(box)),
        "l"(&map), "r"(shared_address(&barrier)), "r"(8), "r"(2), "h"((short)3)
        : "memory");
  if (threadIdx.x == 0 && rank == 1)
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
        "%4;" ::"r"(shared_address(box + kBox / 2)),
        "l"(from), "r"(bytes), "r"(shared_address(&barrier)), "h"((short)3)
        : "memory");
  if (threadIdx.x == 0) done[rank] = wait(&barrier);
  __syncthreads();
  for (int i = threadIdx.x; i < kBox; i += blockDim.x) out[rank * kBox + i] = box[i];
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

static int only = -1, number = 0;
static bool chosen() { return only < 0 || number++ == only; }

std::uint32_t checksum(const void* bytes, std::size_t count) {
  std::uint32_t hash = 0x811c9dc5;
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ static_cast<const std::uint8_t*>(bytes)[i]) * 0x01000193;
  return hash;
}

template <class Function>
Function driver_function(const char* name) {
  void* found = nullptr;
#if CUDART_VERSION >= 13000
  cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, nullptr);
#else
  cudaGetDriverEntryPoint(name, &found, cudaEnableDefault);
#endif
  return reinterpret_cast<Function>(found);
}

struct Shape {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  unsigned rank = 2;
  cuuint64_t extents[5] = {64, 32, 1, 1, 1};
  cuuint32_t box[5] = {16, 8, 1, 1, 1};
  cuuint32_t steps[5] = {1, 1, 1, 1, 1};
  int lower[3] = {}, upper[3] = {};
  unsigned channels = 0, pixels = 0;  // im2col
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
};

int size_of(CUtensorMapDataType type) {
  const int sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return sizes[type];
}

constexpr int kSubnormals = -4;
/// Numbers in memory that are the same in every run. `word`: bytes of a floating-point number, for those that are
/// neither infinite nor NaN; kSubnormals: every third float is subnormal.
std::vector<std::uint8_t> contents(std::size_t bytes, std::uint32_t seed, int word = 0) {
  std::vector<std::uint8_t> made(bytes);
  for (std::uint8_t& byte : made) seed = seed * 1664525 + 1013904223, byte = static_cast<std::uint8_t>(seed >> 24);
  for (std::size_t i = word - 1; word > 0 && i < bytes; i += word) made[i] &= 0xbb;  // exponents have a zero
  for (std::size_t i = 0; word == kSubnormals && i + 4 <= bytes; i += 12) made[i + 3] &= 0x80, made[i + 2] &= 0x7f;
  return made;
}

struct Tensor {
  Tensor(const Shape& s, int word = 0) : shape(s) {
    bytes = size_of(s.type);
    cuuint64_t strides[5];
    for (unsigned i = 0; i < s.rank; ++i) {
      bytes *= s.extents[i];
      strides[i] = bytes;
    }
    const std::vector<std::uint8_t> values = contents(bytes, 7, word);
    cudaMalloc(&memory, bytes);
    cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice);
    static const auto tiled = driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
    static const auto im2col = driver_function<decltype(&cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
    const CUresult result =
        s.channels != 0
            ? im2col(&map, s.type, s.rank, memory, s.extents, strides, s.lower, s.upper, s.channels, s.pixels, s.steps,
                     CU_TENSOR_MAP_INTERLEAVE_NONE, s.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, s.fill)
            : tiled(&map, s.type, s.rank, memory, s.extents, strides, s.box, s.steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                    s.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, s.fill);
    if (result != CUDA_SUCCESS) std::printf("encoded: %d\n", static_cast<int>(result));
  }
  ~Tensor() { cudaFree(memory); }
  int box_bytes() const {
    if (shape.channels != 0) return shape.channels * shape.pixels * size_of(shape.type);
    int all = size_of(shape.type) * shape.box[0];
    for (unsigned i = 1; i < shape.rank; ++i) all *= (shape.box[i] + shape.steps[i] - 1) / shape.steps[i];
    return all;
  }
  Shape shape;
  std::size_t bytes;
  std::uint8_t* memory;
  CUtensorMap map;
};

void say(const char* name, int done, const void* bytes, std::size_t count) {
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s: %s, %08x\n", name,
              error != cudaSuccess ? cudaGetErrorName(error)
              : done               ? "done"
                                   : "not done",
              checksum(bytes, count));
}

template <int kKind>
void load(const char* name, const Shape& shape, const At& at) {
  if (!chosen()) return;
  const Tensor t(shape, shape.type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ ? kSubnormals : 0);
  std::uint8_t* out;
  int *done, ended = 0;
  cudaMalloc(&out, kBox);
  cudaMalloc(&done, sizeof *done);
  fetch<kKind><<<1, 64>>>(t.map, at, t.box_bytes(), out, done);
  std::vector<std::uint8_t> got(kBox);
  cudaMemcpy(got.data(), out, kBox, cudaMemcpyDeviceToHost);
  cudaMemcpy(&ended, done, sizeof ended, cudaMemcpyDeviceToHost);
  say(name, ended, got.data(), kBox);
  cudaFree(out), cudaFree(done);
}

void put(const char* name, const Shape& shape, const At& at, int operation, int word = 0) {
  if (!chosen()) return;
  const Tensor t(shape, word);
  std::uint8_t* from;
  cudaMalloc(&from, kBox);
  cudaMemcpy(from, contents(kBox, 99, word).data(), kBox, cudaMemcpyHostToDevice);
  store<<<1, 64>>>(t.map, at, operation, from);
  std::vector<std::uint8_t> after(t.bytes);
  cudaMemcpy(after.data(), t.memory, t.bytes, cudaMemcpyDeviceToHost);
  say(name, 1, after.data(), t.bytes);
  cudaFree(from);
}

void copy(const char* name, int operation, int word = 0) {
  if (!chosen()) return;
  std::uint8_t *from, *to;
  int *done, ended = 0;
  cudaMalloc(&from, kBox), cudaMalloc(&to, kBox), cudaMalloc(&done, sizeof *done);
  cudaMemcpy(from, contents(kBox, 3, word).data(), kBox, cudaMemcpyHostToDevice);
  cudaMemcpy(to, contents(kBox, 4, word).data(), kBox, cudaMemcpyHostToDevice);
  bulk<<<1, 64>>>(operation, from, to, 2048, done);
  std::vector<std::uint8_t> after(kBox);
  cudaMemcpy(after.data(), to, kBox, cudaMemcpyDeviceToHost);
  cudaMemcpy(&ended, done, sizeof ended, cudaMemcpyDeviceToHost);
  say(name, ended, after.data(), kBox);
  cudaFree(from), cudaFree(to), cudaFree(done);
}

void cluster(const char* name, int which) {
  if (!chosen()) return;
  const Tensor t({.extents = {64, 32}, .box = {32, 16}});
  std::uint8_t *from, *out;
  int *done, ended[2] = {};
  cudaMalloc(&from, kBox), cudaMalloc(&out, 2 * kBox), cudaMalloc(&done, sizeof ended);
  cudaMemcpy(from, contents(kBox, 5).data(), kBox, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, 2 * kBox);
  if (which == 0) multicast<<<2, 64>>>(t.map, from, t.box_bytes(), out, done);
  if (which != 0) exchange<<<2, 64>>>(which == 2, from, 2048, out, done);
  std::vector<std::uint8_t> got(2 * kBox);
  cudaMemcpy(got.data(), out, got.size(), cudaMemcpyDeviceToHost);
  cudaMemcpy(ended, done, sizeof ended, cudaMemcpyDeviceToHost);
  say(name, ended[0] && ended[1], got.data(), got.size());
  cudaFree(from), cudaFree(out), cudaFree(done);
}

int main(int argc, char** argv) {
  if (argc > 1) only = std::atoi(argv[1]);
  cudaFree(nullptr);
  constexpr auto k128 = CU_TENSOR_MAP_SWIZZLE_128B, k64 = CU_TENSOR_MAP_SWIZZLE_64B, k32 = CU_TENSOR_MAP_SWIZZLE_32B;
  constexpr auto kNan = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  load<1>("one dimension", {.rank = 1, .extents = {100}, .box = {64}}, {{56}});
  load<2>("inside", {}, {{8, 5}});
  load<2>("beyond the end", {.extents = {40, 20}}, {{32, 17}});
  load<2>("before the beginning", {.extents = {40, 20}}, {{-8, -2}});
  load<2>("128-byte swizzle", {.swizzle = k128, .extents = {128, 32}, .box = {64, 16}}, {{64, 3}});
  load<2>("64-byte swizzle", {.swizzle = k64, .extents = {128, 32}, .box = {32, 16}}, {{32, 3}});
  load<2>("32-byte swizzle", {.swizzle = k32, .extents = {128, 32}, .box = {16, 16}}, {{16, 3}});
  load<2>("short rows, 128-byte swizzle", {.swizzle = k128, .extents = {128, 32}, .box = {16, 16}}, {{16, 3}});
  load<2>("short rows, 64-byte swizzle", {.swizzle = k64, .extents = {128, 32}, .box = {8, 16}}, {{16, 3}});
  load<3>("three dimensions", {.rank = 3, .extents = {24, 10, 6}, .box = {8, 4, 3}}, {{8, 8, 4}});
  load<4>("four dimensions", {.rank = 4, .extents = {24, 6, 5, 4}, .box = {8, 3, 2, 3}}, {{16, 4, 1, 2}});
  load<5>("five dimensions", {.rank = 5, .extents = {16, 4, 3, 3, 3}, .box = {8, 3, 2, 2, 2}}, {{8, 2, 1, 2, 1}});
  load<3>("steps", {.rank = 3, .extents = {24, 20, 12}, .box = {8, 7, 6}, .steps = {1, 2, 3}}, {{8, 5, 4}});
  load<2>("bytes", {.type = CU_TENSOR_MAP_DATA_TYPE_UINT8, .extents = {64, 20}, .box = {32, 8}}, {{48, 14}});
  load<2>("doubles", {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT64, .extents = {64, 20}, .box = {8, 8}}, {{60, 14}});
  load<2>("NaN around halves", {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, .extents = {40, 20}, .fill = kNan},
          {{32, 17}});
  load<2>("NaN around bfloats", {.type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, .extents = {40, 20}, .fill = kNan},
          {{32, 17}});
  load<2>("NaN around floats", {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, .extents = {40, 20}, .fill = kNan},
          {{32, 17}});
  load<2>("NaN around doubles", {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT64, .extents = {40, 20}, .fill = kNan},
          {{32, 17}});
  load<2>("flushed", {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, .extents = {64, 32}}, {{8, 5}});
  load<2>("TF32", {.type = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, .extents = {64, 32}}, {{8, 5}});
  load<2>("TF32, flushed", {.type = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, .extents = {64, 32}}, {{8, 5}});
  const Shape line{.rank = 3, .extents = {16, 12, 3}, .lower = {-1}, .upper = {-1}, .channels = 8, .pixels = 20};
  load<13>("im2col of lines", line, {{8, -1, 0}, {0}});
  load<13>("im2col of lines, moved", line, {{0, 7, 0}, {2}});
  const Shape image{
      .rank = 4, .extents = {16, 7, 5, 3}, .lower = {-1, -1}, .upper = {-1, -1}, .channels = 8, .pixels = 64};
  load<14>("im2col of images", image, {{8, -1, -1, 0}, {0, 0}});
  load<14>("im2col of images, moved", image, {{0, 3, 2, 0}, {2, 1}});
  Shape wide = image;
  wide.steps[1] = wide.steps[2] = 2, wide.pixels = 16;
  load<14>("im2col with steps", wide, {{8, -1, -1, 0}, {1, 2}});
  load<14>("im2col with steps, inside", wide, {{8, 1, 1, 1}, {1, 2}});
  load<15>(
      "im2col of volumes",
      {.rank = 5, .extents = {8, 5, 4, 3, 2}, .lower = {-1, -1, 0}, .upper = {-1, 0, -1}, .channels = 8, .pixels = 48},
      {{0, 2, 1, 1, 0}, {1, 0, 1}});
  put("stored", {}, {{8, 5}}, 0);
  put("stored beyond the end", {.extents = {40, 20}}, {{32, 17}}, 0);
  put("stored with a swizzle", {.swizzle = k128, .extents = {128, 32}, .box = {64, 16}}, {{64, 3}}, 0);
  Shape whole = image;
  for (int i = 0; i < 2; ++i) whole.lower[i] = whole.upper[i] = 0;
  put("stored as im2col of whole images", whole, {{8, 0, 0, 0}}, 6);
  put("added", {.type = CU_TENSOR_MAP_DATA_TYPE_INT32}, {{8, 5}}, 1);
  put("added halves", {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16}, {{8, 5}}, 1, 2);
  put("added bfloats", {.type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16}, {{8, 5}}, 1, 2);
  put("added floats", {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32}, {{8, 5}}, 1, 4);
  put("added subnormals", {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32}, {{8, 5}}, 1, kSubnormals);
  put("minima", {.type = CU_TENSOR_MAP_DATA_TYPE_INT32}, {{8, 5}}, 2);
  put("maxima of halves", {.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16}, {{8, 5}}, 3, 2);
  put("exclusive or", {.type = CU_TENSOR_MAP_DATA_TYPE_UINT64}, {{8, 5}}, 4);
  put("incremented", {.type = CU_TENSOR_MAP_DATA_TYPE_UINT32}, {{8, 5}}, 5);
  const char* const names[] = {"u32",     "u64",         "f32", "f16",  "minimum s32",
                               "xor u64", "maximum f16", "f64", "bf16", "dec u32"};
  const int words[] = {0, 0, 4, 2, 0, 0, 2, 8, 2, 0};
  copy("bulk store", 0);
  for (int i = 1; i <= 10; ++i) copy(names[i - 1], i, words[i - 1]);
  cluster("to two blocks", 0);
  cluster("to the other block", 1);
  cluster("added in the other block", 2);
  return 0;
}
