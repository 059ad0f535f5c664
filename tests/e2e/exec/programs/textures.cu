// SPDX-License-Identifier: Apache-2.0
// Textures, surfaces and arrays: a line for each kind of read, with a hash of all results, and one for what checks itself.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

uint32_t next_random() {
  static uint64_t state = 12345;
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<uint32_t>(state >> 33);
}
float between(float a, float b) { return a + (b - a) * (next_random() & 0xffffff) / 16777216.0f; }

constexpr int kWidth = 16, kHeight = 8, kCount = 4096;

__global__ void flat(cudaTextureObject_t t, const float2* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2D<float>(t, at[i].x, at[i].y);
}
__global__ void colours(cudaTextureObject_t t, const float2* at, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2D<float4>(t, at[i].x, at[i].y);
}
__global__ void line(cudaTextureObject_t t, const float2* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex1D<float>(t, at[i].x);
}
__global__ void box(cudaTextureObject_t t, const float2* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex3D<float>(t, at[i].x, at[i].y, at[(i + 1) % kCount].x);
}
__global__ void layer(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2DLayered<float>(t, threadIdx.x % 4 + 0.5f, threadIdx.x / 4 + 0.5f, 2);
}
__global__ void fetch(cudaTextureObject_t t, int* out) {
  const short2 pair = tex1Dfetch<short2>(t, static_cast<int>(threadIdx.x) - 4);
  out[threadIdx.x] = pair.x * 1000 + pair.y;
}
__global__ void increase(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  const int x = threadIdx.x, y = blockIdx.x;
  surf2Dwrite(surf2Dread<float>(from, x * 4, y) + 1.0f, to, x * 4, y);
}
texture<float, 1, cudaReadModeElementType> linear_reference;
texture<uchar4, 2, cudaReadModeNormalizedFloat> array_reference;
__global__ void by_reference(float* out) {
  const float4 c = tex2D(array_reference, threadIdx.x % kWidth, threadIdx.x / kWidth);
  out[threadIdx.x] = tex1Dfetch(linear_reference, threadIdx.x) + c.y * 255.0f;
}

cudaTextureObject_t object(cudaArray_t array, cudaTextureFilterMode filter, cudaTextureAddressMode mode, bool normalized,
                           cudaTextureReadMode read = cudaReadModeElementType) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture{};
  texture.filterMode = filter;
  texture.addressMode[0] = texture.addressMode[1] = texture.addressMode[2] = mode;
  texture.normalizedCoords = normalized;
  texture.readMode = read;
  cudaTextureObject_t result;
  CHECK(cudaCreateTextureObject(&result, &resource, &texture, nullptr));
  return result;
}

template <class T>
T* upload(const std::vector<T>& from) {
  T* to;
  CHECK(cudaMalloc(&to, from.size() * sizeof(T)));
  CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return to;
}

float* results;
template <class T>
std::vector<T> download(std::size_t count) {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::vector<T> values(count);
  CHECK(cudaMemcpy(values.data(), results, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}
void print(const char* filter, const char* what, int channels) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t word : download<uint32_t>(static_cast<std::size_t>(kCount) * channels))
    for (int i = 0; i < 4; ++i) hash = (hash ^ (word >> 8 * i & 255)) * 0x100000001b3u;
  std::printf("%s_%s hash=%016llx\n", filter, what, static_cast<unsigned long long>(hash));
}
void verdict(const char* what, bool right) { std::printf("%s %s\n", what, right ? "ok" : "WRONG"); }

int main() {
  std::vector<float> image(kWidth * kHeight), cube(512);
  std::vector<uint32_t> colour(kWidth * kHeight);
  for (float& v : image) v = between(-3, 5);
  for (uint32_t& v : colour) {
    const uint32_t low = next_random();
    v = low ^ next_random() << 17;
  }
  for (float& v : cube) v = between(-3, 5);
  std::vector<float2> at(kCount), unit(kCount);
  for (int i = 0; i < kCount; ++i) {
    const float x = between(-9, 25), y = between(-6, 14);
    at[i] = make_float2(x, y);
    if (i % 16 == 0) at[i] = make_float2(std::floor(x) + (i / 16 % 8) * 0.125f, std::floor(y * 4) / 4);
    if (i >= 2048) at[i].x = between(0, kWidth), at[i].y = between(0, kHeight);
    unit[i] = make_float2(at[i].x / kWidth, at[i].y / kHeight);
  }
  const auto floats = cudaCreateChannelDesc<float>();
  const auto bytes = cudaCreateChannelDesc<uchar4>();
  cudaArray_t plane, rgba, row, volume, layers;
  CHECK(cudaMallocArray(&plane, &floats, kWidth, kHeight));
  CHECK(cudaMallocArray(&rgba, &bytes, kWidth, kHeight));
  CHECK(cudaMallocArray(&row, &floats, kWidth, 0));
  CHECK(cudaMalloc3DArray(&volume, &floats, make_cudaExtent(8, 8, 8)));
  CHECK(cudaMalloc3DArray(&layers, &floats, make_cudaExtent(8, 8, 8), cudaArrayLayered));
  CHECK(cudaMemcpy2DToArray(plane, 0, 0, image.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToArray(rgba, 0, 0, colour.data(), colour.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DToArray(row, 0, 0, image.data(), kWidth * 4, kWidth * 4, 1, cudaMemcpyHostToDevice));
  for (cudaArray_t array : {volume, layers}) {
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(cube.data(), 32, 8, 8);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(8, 8, 8);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
  }
  const float2 *places = upload(at), *units = upload(unit);
  CHECK(cudaMalloc(&results, kCount * 16));
  const int blocks = kCount / 128;
  for (auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
    const char* name = filter == cudaFilterModePoint ? "point" : "linear";
    const char* modes[] = {"wrap", "clamp", "mirror", "border"};
    for (auto mode : {cudaAddressModeClamp, cudaAddressModeBorder}) {
      flat<<<blocks, 128>>>(object(plane, filter, mode, false), places, results);
      print(name, modes[mode], 1);
    }
    for (auto mode : {cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeWrap, cudaAddressModeMirror}) {
      flat<<<blocks, 128>>>(object(plane, filter, mode, true), units, results);
      std::printf("unit_");
      print(name, modes[mode], 1);
    }
    const auto bytes_object = object(rgba, filter, cudaAddressModeClamp, false, cudaReadModeNormalizedFloat);
    colours<<<blocks, 128>>>(bytes_object, places, reinterpret_cast<float4*>(results));
    print(name, "colours", 4);
    line<<<blocks, 128>>>(object(row, filter, cudaAddressModeClamp, false), places, results);
    print(name, "line", 1);
    if (filter == cudaFilterModeLinear) break;  // a filter of three dimensions is not exact
    box<<<blocks, 128>>>(object(volume, filter, cudaAddressModeClamp, false), places, results);
    print(name, "box", 1);
  }

  layer<<<1, 32>>>(object(layers, cudaFilterModePoint, cudaAddressModeClamp, false), results);
  bool right = true;
  const auto layered = download<float>(32);
  for (int i = 0; i < 32; ++i) right = right && layered[i] == cube[2 * 64 + i / 4 * 8 + i % 4];
  verdict("layered", right);

  std::vector<short2> shorts(16);
  for (int i = 0; i < 16; ++i) shorts[i] = make_short2(static_cast<short>(i - 8), static_cast<short>(100 * i - 700));
  cudaResourceDesc linear{};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = upload(shorts);
  linear.res.linear.desc = cudaCreateChannelDesc<short2>();
  linear.res.linear.sizeInBytes = 64;
  cudaTextureDesc plain{};
  cudaTextureObject_t fetched;
  CHECK(cudaCreateTextureObject(&fetched, &linear, &plain, nullptr));
  fetch<<<1, 32>>>(fetched, reinterpret_cast<int*>(results));
  right = true;
  const auto pairs = download<int>(32);
  for (int i = 0; i < 32; ++i) {
    const int k = i - 4;
    right = right && pairs[i] == (k < 0 || k >= 16 ? 0 : shorts[k].x * 1000 + shorts[k].y);
  }
  verdict("fetch", right);

  cudaArray_t from, to;
  CHECK(cudaMallocArray(&from, &floats, kWidth, kHeight, cudaArraySurfaceLoadStore));
  CHECK(cudaMallocArray(&to, &floats, kWidth, kHeight, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DArrayToArray(from, 0, 0, plane, 0, 0, kWidth * 4, kHeight));
  cudaSurfaceObject_t surfaces[2];
  for (int i = 0; i < 2; ++i) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = i == 0 ? from : to;
    CHECK(cudaCreateSurfaceObject(&surfaces[i], &resource));
  }
  increase<<<kHeight, kWidth>>>(surfaces[0], surfaces[1]);
  std::vector<float> increased(image.size());
  CHECK(cudaMemcpy2DFromArray(increased.data(), kWidth * 4, to, 0, 0, kWidth * 4, kHeight, cudaMemcpyDeviceToHost));
  right = true;
  for (std::size_t i = 0; i < image.size(); ++i) right = right && increased[i] == image[i] + 1.0f;
  verdict("surfaces", right);

  CHECK(cudaBindTexture(nullptr, linear_reference, upload(image), floats, image.size() * 4));
  CHECK(cudaBindTextureToArray(array_reference, rgba, bytes));
  by_reference<<<1, kWidth * kHeight>>>(results);
  right = true;
  const auto sums = download<float>(image.size());
  for (std::size_t i = 0; i < image.size(); ++i)
    right = right && std::fabs(sums[i] - image[i] - static_cast<float>(colour[i] >> 8 & 255)) < 1e-3f;
  verdict("references", right);
}
