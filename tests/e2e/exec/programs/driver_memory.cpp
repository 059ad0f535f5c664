// SPDX-License-Identifier: Apache-2.0
// Memory of the driver's interface: copies of rows and boxes, fills, pools, and addresses apart from memory.
#include <vector>

#include "driver_check.h"

namespace {

void rows() {
  constexpr size_t kWidth = 40, kHeight = 6;
  CUdeviceptr memory;
  size_t pitch = 0;
  DO(cuMemAllocPitch(&memory, &pitch, kWidth, kHeight, 4));
  EXPECT(pitch >= kWidth && pitch % 512 == 0);
  std::vector<unsigned char> in(kWidth * kHeight), out(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = i;
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = in.data();
  copy.srcPitch = kWidth;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory;
  copy.dstPitch = pitch;
  copy.WidthInBytes = kWidth;
  copy.Height = kHeight;
  DO(cuMemcpy2D(&copy));
  // A part of it back: from the second row and the fifth byte on.
  CUDA_MEMCPY2D back{};
  back.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  back.srcDevice = memory;
  back.srcPitch = pitch;
  back.srcXInBytes = 4;
  back.srcY = 1;
  back.dstMemoryType = CU_MEMORYTYPE_HOST;
  back.dstHost = out.data();
  back.dstPitch = kWidth;
  back.WidthInBytes = 8;
  back.Height = 3;
  DO(cuMemcpy2DUnaligned(&back));
  for (size_t y = 0; y < 3; ++y)
    for (size_t x = 0; x < 8; ++x) EXPECT(out[y * kWidth + x] == in[(y + 1) * kWidth + x + 4]);
  copy.srcPitch = 8;  // less than a row
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&copy));

  DO(cuMemsetD2D32(memory, pitch, 0x01020304, 3, kHeight));
  unsigned words[3];
  DO(cuMemcpyDtoH(words, memory + 2 * pitch, sizeof words));
  for (unsigned word : words) EXPECT(word == 0x01020304);
  DO(cuMemsetD16(memory, 0x0506, 4));
  DO(cuMemcpyDtoH(words, memory, sizeof words));
  EXPECT(words[0] == 0x05060506 && words[1] == 0x05060506 && words[2] == 0x01020304);
  DO(cuMemFree(memory));
}

void boxes() {
  constexpr size_t kWidth = 8, kHeight = 3, kDepth = 2;
  std::vector<unsigned char> in(kWidth * kHeight * kDepth), out(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = i + 1;
  CUdeviceptr memory;
  DO(cuMemAlloc(&memory, 16 * 4 * kDepth));
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = in.data();
  copy.srcPitch = kWidth;
  copy.srcHeight = kHeight;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory;
  copy.dstPitch = 16;
  copy.dstHeight = 4;
  copy.WidthInBytes = kWidth;
  copy.Height = kHeight;
  copy.Depth = kDepth;
  DO(cuMemcpy3D(&copy));
  unsigned char byte;
  DO(cuMemcpyDtoH(&byte, memory + (1 * 4 + 2) * 16 + 7, 1));
  EXPECT(byte == in.back());
  DO(cuMemFree(memory));
}

void pointers() {
  CUdeviceptr memory, base;
  void* pinned;
  size_t bytes;
  DO(cuMemAlloc(&memory, 1000));
  DO(cuMemAllocHost(&pinned, 1000));
  unsigned type;
  CUcontext context, current;
  DO(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory + 10));
  EXPECT(type == CU_MEMORYTYPE_DEVICE);
  DO(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(pinned)));
  EXPECT(type == CU_MEMORYTYPE_HOST);
  DO(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
  DO(cuCtxGetCurrent(&current));
  EXPECT(context == current);
  DO(cuMemGetAddressRange(&base, &bytes, memory + 999));
  EXPECT(base == memory && bytes == 1000);
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void* values[] = {&type, &bytes};
  int unknown;
  DO(cuPointerGetAttributes(2, which, values, reinterpret_cast<CUdeviceptr>(&unknown)));
  EXPECT(type == 0 && bytes == 0);
  DO(cuMemFreeHost(pinned));
  DO(cuMemFree(memory));

  DO(cuMemAllocManaged(&memory, 64, CU_MEM_ATTACH_GLOBAL));
  DO(cuMemsetD8(memory, 3, 64));
  DO(cuCtxSynchronize());
  EXPECT(reinterpret_cast<char*>(memory)[63] == 3);
  unsigned managed;
  DO(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, memory));
  EXPECT(managed == 1);
  DO(cuMemFree(memory));
}

void pools() {
  CUmemoryPool standard, pool;
  DO(cuDeviceGetDefaultMemPool(&standard, 0));
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  DO(cuMemPoolCreate(&pool, &properties));
  EXPECT(pool != standard);
  CUdeviceptr memory, other;
  DO(cuMemAllocFromPoolAsync(&memory, 1 << 20, pool, nullptr));
  DO(cuMemAllocAsync(&other, 4096, nullptr));
  cuuint64_t used;
  DO(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  EXPECT(used == 1 << 20);
  CUmemoryPool of;
  DO(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, memory + 8));
  EXPECT(of == pool);
  DO(cuMemFreeAsync(memory, nullptr));
  DO(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  EXPECT(used == 0);
  DO(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &used));
  EXPECT(used == 1 << 20);
  cuuint64_t threshold = 1 << 30;
  DO(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  DO(cuMemFree(other));
  DO(cuMemPoolDestroy(pool));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemPoolTrimTo(pool, 0));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(standard));
}

/// Two pieces of memory side by side, and one of them at a second place.
void addresses() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  size_t unit = 0, before = 0, after = 0, total;
  DO(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  DO(cuMemGetInfo(&before, &total));
  CUdeviceptr place;
  CUmemGenericAllocationHandle first, second;
  DO(cuMemAddressReserve(&place, 4 * unit, 0, 0, 0));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&first, unit + 1, &properties, 0));
  DO(cuMemCreate(&first, unit, &properties, 0));
  DO(cuMemCreate(&second, unit, &properties, 0));
  DO(cuMemGetInfo(&after, &total));
  EXPECT(before - after == 2 * unit);
  DO(cuMemMap(place, unit, 0, first, 0));
  DO(cuMemMap(place + unit, unit, 0, second, 0));
  DO(cuMemMap(place + 3 * unit, unit, 0, first, 0));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemMap(place + unit, unit, 0, first, 0));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemMap(place + 4 * unit, unit, 0, first, 0));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(place, 1, 4));  // not accessible yet
  CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  DO(cuMemSetAccess(place, 2 * unit, &access, 1));
  DO(cuMemSetAccess(place + 3 * unit, unit, &access, 1));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemSetAccess(place + 2 * unit, unit, &access, 1));
  DO(cuMemsetD8(place, 9, 2 * unit));  // over both
  unsigned char byte = 0;
  DO(cuMemcpyDtoH(&byte, place + 3 * unit + 5, 1));
  EXPECT(byte == 9);
  DO(cuMemsetD8(place + 3 * unit, 4, 16));
  DO(cuMemcpyDtoH(&byte, place + 15, 1));
  EXPECT(byte == 4);
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemFree(place));
  DO(cuMemRelease(first));
  DO(cuMemRelease(second));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemRelease(second));
  DO(cuMemcpyDtoH(&byte, place + unit, 1));  // a mapping keeps it
  EXPECT(byte == 9);
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(place, 4 * unit));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(place, unit / 2));
  DO(cuMemUnmap(place, 2 * unit));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&byte, place + unit, 1));
  DO(cuMemUnmap(place + 3 * unit, unit));
  DO(cuMemGetInfo(&after, &total));
  EXPECT(before == after);
  DO(cuMemAddressFree(place, 4 * unit));
  CUdeviceptr plain;
  DO(cuMemAlloc(&plain, 4 * unit));
  DO(cuMemcpyDtoH(&byte, plain + 5, 1));
  DO(cuMemFree(plain));
}

/// An array is filled and read through copies and a texture object.
void arrays() {
  CUarray array;
  CUDA_ARRAY_DESCRIPTOR description{16, 4, CU_AD_FORMAT_FLOAT, 1}, read{};
  DO(cuArrayCreate(&array, &description));
  DO(cuArrayGetDescriptor(&read, array));
  EXPECT(read.Width == 16 && read.Height == 4 && read.Format == CU_AD_FORMAT_FLOAT && read.NumChannels == 1);
  std::vector<float> in(64), out(64);
  for (size_t i = 0; i < in.size(); ++i) in[i] = i;
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = in.data();
  copy.srcPitch = 64;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 64;
  copy.Height = 4;
  DO(cuMemcpy2D(&copy));
  DO(cuMemcpyAtoH(out.data(), array, 8, 32));
  for (size_t i = 0; i < 8; ++i) EXPECT(out[i] == 2 + i);
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC how{};
  CUtexObject texture;
  DO(cuTexObjectCreate(&texture, &resource, &how, nullptr));
  DO(cuTexObjectDestroy(texture));
  DO(cuArrayDestroy(array));
  EXPECT_CODE(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(array));
  description.Format = CUarray_format(0);
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&array, &description));
}

/// Functions of CUDA 12, which its runtimes look up.
void tensor_maps() {
  void* function = nullptr;
  DO(cuGetProcAddress("cuTensorMapEncodeTiled", &function, 12000, 0));
  const auto encode = reinterpret_cast<CUresult (*)(void*, int, unsigned, void*, const cuuint64_t*, const cuuint64_t*,
                                                    const unsigned*, const unsigned*, int, int, int, int)>(function);
  alignas(64) char map[128];
  constexpr int kFloat16 = 6, kSwizzle128 = 3;
  const cuuint64_t extents[] = {1024, 256}, strides[] = {2048};
  unsigned box[] = {64, 32}, steps[] = {1, 1};
  CUdeviceptr memory;
  DO(cuMemAlloc(&memory, 1024 * 256 * 2));
  void* address = reinterpret_cast<void*>(memory);
  DO(encode(map, kFloat16, 2, address, extents, strides, box, steps, 0, kSwizzle128, 0, 0));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE,
              encode(map + 1, kFloat16, 2, address, extents, strides, box, steps, 0, kSwizzle128, 0, 0));
  box[0] = 128;  // a row of 256 bytes does not fit the swizzle
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE,
              encode(map, kFloat16, 2, address, extents, strides, box, steps, 0, kSwizzle128, 0, 0));
  DO(encode(map, kFloat16, 2, address, extents, strides, box, steps, 0, 0, 0, 0));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, encode(map, kFloat16, 6, address, extents, strides, box, steps, 0, 0, 0, 0));
  DO(cuMemFree(memory));
}

}  // namespace

int main() {
  DO(cuInit(0));
  CUcontext context;
  DO(cuCtxCreate(&context, 0, 0));
  rows();
  boxes();
  pointers();
  pools();
  addresses();
  arrays();
  tensor_maps();
  DO(cuCtxDestroy(context));
  std::puts("memory ok");
}
