// SPDX-License-Identifier: Apache-2.0
// Cubes, levels of detail, gathers, reads by integers and with derivatives, views, sRGB, and surfaces of all shapes. Checks
// itself; what it expects of levels, views and sRGB is what an H200 answers.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "check.h"

constexpr int kSide = 16, kMost = 256;
__device__ float out[kMost];
static float result[kMost];

static void fetch_result() {
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpyFromSymbol(result, out, sizeof result));
}

static cudaArray_t make_array(const cudaExtent& extent, unsigned flags, const std::vector<float>& values) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  OK(cudaMalloc3DArray(&array, &format, extent, flags));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(values.data()), extent.width * 4, extent.width, extent.height);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(extent.width, extent.height, extent.depth ? extent.depth : 1);
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
  return array;
}

static cudaTextureDesc description(bool normalized, cudaTextureFilterMode filter = cudaFilterModePoint) {
  cudaTextureDesc how{};
  for (auto& mode : how.addressMode) mode = cudaAddressModeClamp;
  how.filterMode = filter;
  how.normalizedCoords = normalized;
  return how;
}

static cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc& how, const cudaResourceViewDesc* view = nullptr) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureObject_t object = 0;
  OK(cudaCreateTextureObject(&object, &resource, &how, view));
  return object;
}

// The centres of texels of all faces, by the direction that the programming guide's table gives them.
__device__ float3 direction(int face, float s, float t) {
  switch (face) {
    case 0: return {1, -t, -s};
    case 1: return {-1, -t, s};
    case 2: return {s, 1, t};
    case 3: return {s, -1, -t};
    case 4: return {s, -t, 1};
    default: return {-s, -t, -1};
  }
}
__global__ void read_cube(cudaTextureObject_t cube, cudaTextureObject_t cubes, int side) {
  const int face = threadIdx.x / (side * side), texel = threadIdx.x % (side * side);
  const float s = 2 * (texel % side + 0.5f) / side - 1, t = 2 * (texel / side + 0.5f) / side - 1;
  const float3 d = direction(face, s, t);
  out[threadIdx.x] = texCubemap<float>(cube, 3 * d.x, 3 * d.y, 3 * d.z);
  out[threadIdx.x + 128] = texCubemapLayered<float>(cubes, d.x, d.y, d.z, 1);
}
static void cubes() {
  constexpr int side = 4, texels = side * side * 6;
  std::vector<float> values(2 * texels);
  for (int i = 0; i < 2 * texels; ++i) values[i] = i + 1;
  const cudaArray_t one = make_array(make_cudaExtent(side, side, 6), cudaArrayCubemap, values);
  const cudaArray_t two = make_array(make_cudaExtent(side, side, 12), cudaArrayCubemap | cudaArrayLayered, values);
  read_cube<<<1, texels>>>(texture_of(one, description(true)), texture_of(two, description(true)), side);
  fetch_result();
  for (int i = 0; i < texels; ++i) EXPECT(result[i] == i + 1 && result[i + 128] == texels + i + 1);
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  EXPECT(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 5, 6), cudaArrayCubemap) == cudaErrorInvalidValue);
}

// Neighbouring lanes read different objects, which come from memory.
__global__ void read_several(const cudaTextureObject_t* objects) {
  out[threadIdx.x] = texCubemapLod<float>(objects[threadIdx.x % 2], 1, 0, 0, 0);
  out[threadIdx.x + 32] = texCubemap<float>(objects[threadIdx.x / 16], -1, 0, 0);
}
static void several() {
  cudaTextureObject_t* objects;
  OK(cudaMallocManaged(&objects, 2 * sizeof *objects));
  for (int i = 0; i < 2; ++i) {
    const std::vector<float> values(4 * 4 * 6, i + 1.0f);
    objects[i] = texture_of(make_array(make_cudaExtent(4, 4, 6), cudaArrayCubemap, values), description(true));
  }
  read_several<<<1, 32>>>(objects);
  fetch_result();
  for (int i = 0; i < 32; ++i) EXPECT(result[i] == i % 2 + 1 && result[i + 32] == i / 16 + 1);
}

// Level n of the texture has the value 10 n everywhere.
__global__ void read_levels(cudaTextureObject_t t) {
  const float level = threadIdx.x / 4.0f;
  out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, level);
  const float step = exp2f(level) / kSide;  // so many texels of level 0 per pixel
  out[threadIdx.x + 32] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(0, step), make_float2(step / 2, 0));
  out[threadIdx.x + 64] = tex2D<float>(t, 0.5f, 0.5f);
}
static cudaTextureObject_t levels_texture(cudaMipmappedArray_t array, const cudaTextureDesc& how, const cudaResourceViewDesc* view) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = array;
  cudaTextureObject_t object = 0;
  OK(cudaCreateTextureObject(&object, &resource, &how, view));
  return object;
}
static void levels() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t array;
  OK(cudaMallocMipmappedArray(&array, &format, make_cudaExtent(kSide, kSide, 0), 99));
  cudaArray_t level;
  for (int n = 0; n < 5; ++n) {
    OK(cudaGetMipmappedArrayLevel(&level, array, n));
    cudaExtent extent;
    OK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
    EXPECT(extent.width == size_t(kSide >> n) && extent.height == size_t(kSide >> n));
    const std::vector<float> values(extent.width * extent.height, 10.0f * n);
    OK(cudaMemcpy2DToArray(level, 0, 0, values.data(), extent.width * 4, extent.width * 4, extent.height, cudaMemcpyHostToDevice));
  }
  EXPECT(cudaGetMipmappedArrayLevel(&level, array, 5) == cudaErrorInvalidValue);
  cudaTextureDesc how = description(true, cudaFilterModeLinear);
  how.mipmapFilterMode = cudaFilterModeLinear;
  how.maxMipmapLevelClamp = 99;
  read_levels<<<1, 32>>>(levels_texture(array, how, nullptr));
  fetch_result();
  for (int i = 0; i < 32; ++i) {
    const float expected = std::fmin(i / 4.0f, 4) * 10;
    EXPECT(result[i] == expected && std::fabs(result[i + 32] - expected) < 0.1f && result[i + 64] == 0);
  }
  how.mipmapFilterMode = cudaFilterModePoint;
  how.maxMipmapLevelClamp = 2;
  how.mipmapLevelBias = 1;
  read_levels<<<1, 32>>>(levels_texture(array, how, nullptr));
  fetch_result();
  for (int i = 0; i < 32; ++i) EXPECT(result[i] == std::fmin(std::floor(i / 4.0f + 1.5f), 2) * 10);
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatFloat1;
  view.width = view.height = kSide;
  view.firstMipmapLevel = 3;
  view.lastMipmapLevel = 4;
  how.mipmapLevelBias = 0;
  read_levels<<<1, 32>>>(levels_texture(array, how, &view));
  fetch_result();
  EXPECT(result[0] == 30 && result[8] == 40 && result[31] == 40);
  OK(cudaFreeMipmappedArray(array));
}

// What an H200 answers between levels whose texels have no pattern.
__global__ void read_between(cudaTextureObject_t t) {
  const float levels[] = {8 / 256.0f, 42 / 256.0f, 76 / 256.0f, 110 / 256.0f, 145 / 256.0f, 281 / 256.0f, 384 / 256.0f};
  if (threadIdx.x < 7) out[threadIdx.x] = tex2DLod<float>(t, 0.37f, 0.37f, levels[threadIdx.x]);
}
static void between_levels() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t array;
  OK(cudaMallocMipmappedArray(&array, &format, make_cudaExtent(40, 24, 0), 3));
  for (int n = 0; n < 3; ++n) {
    const int width = 40 >> n, height = 24 >> n;
    std::vector<float> values(width * height);
    for (int i = 0; i < width * height; ++i) values[i] = n * 7 + i * 37 % 101;
    cudaArray_t level;
    OK(cudaGetMipmappedArrayLevel(&level, array, n));
    OK(cudaMemcpy2DToArray(level, 0, 0, values.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  }
  cudaTextureDesc how = description(true, cudaFilterModeLinear);
  how.mipmapFilterMode = cudaFilterModeLinear;
  how.maxMipmapLevelClamp = 99;
  read_between<<<1, 32>>>(levels_texture(array, how, nullptr));
  fetch_result();
  const float expected[] = {9136, 11013, 12890, 14736, 16635, 22412, 20190};
  for (int i = 0; i < 7; ++i) EXPECT(result[i] * 256 == expected[i]);
  how.filterMode = cudaFilterModePoint;
  read_between<<<1, 32>>>(levels_texture(array, how, nullptr));
  fetch_result();
  EXPECT(result[6] == 76);
}

// Derivatives choose a level of detail; an array has one.
__global__ void read_with_derivatives(cudaTextureObject_t t) {
  const float x = threadIdx.x + 0.5f;
  out[threadIdx.x] = tex2DGrad<float>(t, x, 3.5f, make_float2(9, 0), make_float2(0, 9));
  out[threadIdx.x + 32] = tex2DLod<float>(t, x, 3.5f, 2);
}
__global__ void gather(cudaTextureObject_t t) {
  const float4 v = tex2Dgather<float4>(t, 5.0f, 7.0f, 0);
  out[0] = v.x, out[1] = v.y, out[2] = v.z, out[3] = v.w;
}
__global__ void fetch_integers(cudaTextureObject_t t) {
  float x, rest[3];
  asm volatile("tex.2d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5,%6}];" : "=f"(x), "=f"(rest[0]), "=f"(rest[1]), "=f"(rest[2]) : "l"(t), "r"(int(threadIdx.x)), "r"(2));
  out[threadIdx.x] = x + 0 * (rest[0] + rest[1] + rest[2]);
#if __CUDA_ARCH__ < 900  // later the compiler reads sizes from the texture's header
  int width, height;
  asm volatile("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(t));
  asm volatile("txq.height.b32 %0, [%1];" : "=r"(height) : "l"(t));
  out[64] = width * 1000 + height;
#else
  out[64] = kSide * 1000 + kSide;
#endif
}
static void gathers() {
  std::vector<float> values(kSide * kSide);
  for (int i = 0; i < kSide * kSide; ++i) values[i] = i;
  const cudaArray_t array = make_array(make_cudaExtent(kSide, kSide, 0), cudaArrayTextureGather, values);
  gather<<<1, 1>>>(texture_of(array, description(false)));
  fetch_result();
  EXPECT(result[0] == 7 * kSide + 4 && result[1] == 7 * kSide + 5 && result[2] == 6 * kSide + 5 && result[3] == 6 * kSide + 4);
  fetch_integers<<<1, kSide>>>(texture_of(array, description(false)));
  fetch_result();
  for (int i = 0; i < kSide; ++i) EXPECT(result[i] == 2 * kSide + i);
  EXPECT(result[64] == kSide * 1000 + kSide);
  read_with_derivatives<<<1, kSide>>>(texture_of(array, description(false)));
  fetch_result();
  for (int i = 0; i < kSide; ++i) EXPECT(result[i] == 3 * kSide + i && result[i + 32] == 3 * kSide + i);
}

__global__ void read_colour(cudaTextureObject_t t) {
  const float4 v = tex2D<float4>(t, 0.5f, 0.5f);
  out[0] = v.x, out[1] = v.y, out[2] = v.z, out[3] = v.w;
}
static void colours() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &format, 1, 1));
  const uchar4 colour{0, 128, 255, 128};
  OK(cudaMemcpy2DToArray(array, 0, 0, &colour, 4, 4, 1, cudaMemcpyHostToDevice));
  cudaTextureDesc how = description(false);
  how.readMode = cudaReadModeNormalizedFloat;
  how.sRGB = 1;
  read_colour<<<1, 1>>>(texture_of(array, how));
  fetch_result();
  EXPECT(result[0] == 0 && result[1] == 221 / 1024.0f && result[2] == 1 && std::fabs(result[3] - 128 / 255.0f) < 1e-6f);
  how = description(false);
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatHalf2;
  view.width = view.height = 1;
  read_colour<<<1, 1>>>(texture_of(array, how, &view));
  fetch_result();
  EXPECT(result[0] == 0 && result[1] == -255 / 16777216.0f && result[2] == 0 && result[3] == 1);
  cudaTextureObject_t object;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  view.width = 2;
  EXPECT(cudaCreateTextureObject(&object, &resource, &how, &view) == cudaErrorInvalidValue);
  view.width = 1;
  view.format = cudaResViewFormatUnsignedInt2;
  EXPECT(cudaCreateTextureObject(&object, &resource, &how, &view) == cudaErrorInvalidValue);
  OK(cudaGetTextureObjectResourceDesc(&resource, texture_of(array, how)));
  EXPECT(resource.resType == cudaResourceTypeArray && resource.res.array.array == array);
}

__global__ void surfaces(cudaSurfaceObject_t flat, cudaSurfaceObject_t deep, cudaSurfaceObject_t layers, cudaSurfaceObject_t cube) {
  const int x = threadIdx.x % 4, y = threadIdx.x / 4;
  surf2Dwrite(1.0f * threadIdx.x, flat, 4 * x, y);
  surf3Dwrite(100.0f + threadIdx.x, deep, 4 * x, y, 1);
  surf2DLayeredwrite(200.0f + threadIdx.x, layers, 4 * x, y, 1);
  surfCubemapwrite(300.0f + threadIdx.x, cube, 4 * x, y, 5);
  __syncthreads();
  out[threadIdx.x] = surf2Dread<float>(flat, 4 * (x + 2), y - 1, cudaBoundaryModeClamp);
  out[threadIdx.x + 16] = surf2Dread<float>(flat, 4 * (x + 2), y, cudaBoundaryModeZero);
  out[threadIdx.x + 32] = surf3Dread<float>(deep, 4 * x, y, 1);
  out[threadIdx.x + 48] = surf2DLayeredread<float>(layers, 4 * x, y, 1);
  out[threadIdx.x + 64] = surfCubemapread<float>(cube, 4 * x, y, 5);
}
static cudaSurfaceObject_t surface_of(const cudaExtent& extent, unsigned flags) {
  const std::vector<float> zeros(4 * 4 * 6);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = make_array(extent, flags | cudaArraySurfaceLoadStore, zeros);
  cudaSurfaceObject_t object = 0;
  OK(cudaCreateSurfaceObject(&object, &resource));
  return object;
}
static void all_surfaces() {
  surfaces<<<1, 16>>>(surface_of(make_cudaExtent(4, 4, 0), 0), surface_of(make_cudaExtent(4, 4, 2), 0),
                      surface_of(make_cudaExtent(4, 4, 2), cudaArrayLayered), surface_of(make_cudaExtent(4, 4, 6), cudaArrayCubemap));
  fetch_result();
  for (int i = 0; i < 16; ++i) {
    const int x = i % 4, y = i / 4, clamped = (x + 2 > 3 ? 3 : x + 2) + 4 * (y - 1 < 0 ? 0 : y - 1);
    EXPECT(result[i] == clamped && result[i + 16] == (x + 2 > 3 ? 0 : i + 2));
    EXPECT(result[i + 32] == 100 + i && result[i + 48] == 200 + i && result[i + 64] == 300 + i);
  }
}

/// Each width, in rows of 1100 bytes, which fill no whole number of tiles.
template <class T>
__global__ void widths(cudaSurfaceObject_t flat, cudaSurfaceObject_t line, int columns, int rows, int* wrong) {
  const int x = threadIdx.x, bytes = sizeof(T);
  T value;
  for (int y = threadIdx.y; y < rows; y += blockDim.y)
    for (int k = x; k < columns; k += blockDim.x) {
      memset(&value, 3 * k + 7 * y, bytes);
      surf2Dwrite(value, flat, k * bytes, y);
      if (y == 0) surf1Dwrite(value, line, k * bytes);
    }
  __syncthreads();
  const auto differs = [&](T found, int byte) {
    bool equal = true;
    for (int i = 0; i < bytes; ++i) equal &= reinterpret_cast<unsigned char*>(&found)[i] == (byte & 255);
    return !equal;
  };
  for (int y = threadIdx.y; y < rows; y += blockDim.y)
    for (int k = x; k < columns; k += blockDim.x) {
      bool bad = differs(surf2Dread<T>(flat, k * bytes, y), 3 * k + 7 * y);
      bad |= differs(surf2Dread<T>(flat, (k - 2) * bytes, y + 3, cudaBoundaryModeClamp), 3 * max(k - 2, 0) + 7 * min(y + 3, rows - 1));
      bad |= differs(surf2Dread<T>(flat, (k - 2) * bytes, y + 3, cudaBoundaryModeZero), k < 2 || y + 3 >= rows ? 0 : 3 * (k - 2) + 7 * (y + 3));
      bad |= differs(surf1Dread<T>(line, (k + 3) * bytes, cudaBoundaryModeClamp), 3 * min(k + 3, columns - 1));
      if (bad) atomicAdd(wrong, 1);
    }
  __syncthreads();
  memset(&value, 255, bytes);
  surf2Dwrite(value, flat, columns * bytes, 0, cudaBoundaryModeZero);  // is ignored
  surf1Dwrite(value, line, -bytes, cudaBoundaryModeClamp);
  __syncthreads();
  if (differs(surf1Dread<T>(line, 0), 255)) atomicAdd(wrong, 1);
}
template <class T>
static void check_width() {
  const int columns = 1100 / sizeof(T), rows = 21;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaSurfaceObject_t objects[2];
  std::vector<T> host(columns * rows);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  for (int i : {1, 0}) {
    OK(cudaMallocArray(&resource.res.array.array, &format, columns, i == 0 ? rows : 0, cudaArraySurfaceLoadStore));
    OK(cudaCreateSurfaceObject(&objects[i], &resource));
  }
  int* wrong;
  OK(cudaMallocManaged(&wrong, 4));
  *wrong = 0;
  widths<T><<<1, dim3(32, 8)>>>(objects[0], objects[1], columns, rows, wrong);
  OK(cudaDeviceSynchronize());
  EXPECT(*wrong == 0);
  OK(cudaMemcpy2DFromArray(host.data(), columns * sizeof(T), resource.res.array.array, 0, 0, columns * sizeof(T), rows, cudaMemcpyDeviceToHost));
  for (int i = 0; i < columns * rows; ++i)
    EXPECT(reinterpret_cast<unsigned char*>(&host[i])[sizeof(T) - 1] == ((3 * (i % columns) + 7 * (i / columns)) & 255));
  for (const cudaSurfaceObject_t object : objects) OK(cudaDestroySurfaceObject(object));
  EXPECT(cudaDestroySurfaceObject(objects[0]) == cudaErrorInvalidValue);
}
__global__ void outside(cudaSurfaceObject_t flat) { surf2Dwrite(1.0f, flat, 16, 0); }

/// With an argument, there is an access outside of a surface at the end.
int main(int count, char**) {
  check_width<unsigned char>();
  check_width<unsigned short>();
  check_width<unsigned>();
  check_width<uint2>();
  check_width<uint4>();
  cubes();
  several();
  levels();
  between_levels();
  gathers();
  colours();
  all_surfaces();
  // No object may be destroyed, an object only once.
  OK(cudaDestroyTextureObject(0));
  OK(cudaDestroySurfaceObject(0));
  EXPECT(cudaDestroySurfaceObject(12345) == cudaErrorInvalidValue);
  if (failures == 0) std::printf("texture_kinds ok\n");
  if (count > 1) {
    outside<<<1, 1>>>(surface_of(make_cudaExtent(4, 4, 0), 0));
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  }
  return failures;
}
