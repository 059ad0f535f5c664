// SPDX-License-Identifier: Apache-2.0
// The runtime's functions for CUDA arrays.
#include <memory>

#include "sim/cuda/array.h"
#include "sim/cuda/export.h"
#include "sim/cuda/session.h"

namespace sassim::cuda {
namespace {

Result make_array(Session& session, Array** out, const ChannelFormat& channels, const Extent& extent, unsigned flags) {
  if (!out) return kInvalidValue;
  *out = nullptr;
  std::unique_ptr<Array> array = describe_array(session, channels, extent, flags);
  if (!array) return kInvalidValue;
  array->image.address = session.memory().allocate(array->image.bytes(), kArrayAlignment);
  if (array->image.address == 0) return kMemoryAllocation;
  *out = session.arrays().add(std::move(array));
  return kSuccess;
}

Result allocate(const char* name, Array** array, const ChannelFormat* format, const Extent& extent, unsigned flags) {
  return call(name, [&](Session& session) {
    if (!format) return kInvalidValue;
    if (const Result result = check_may_wait(session); result != kSuccess) return result;
    return make_array(session, array, *format, extent, flags);
  });
}

CopySide in_array(const Array* array, std::size_t byte, std::size_t row) {
  CopySide side;
  side.array = array, side.byte = byte, side.row = row;
  return side;
}
CopySide in_memory(const void* pointer, std::size_t pitch) {
  CopySide side;
  side.pointer = static_cast<std::byte*>(const_cast<void*>(pointer)), side.pitch = pitch;
  return side;
}

Result copy_rows(const char* name, const CopySide& to, const CopySide& from, std::size_t width, std::size_t height,
                 CopyKind kind, Stream stream = {}) {
  return call(name, [&](Session& session) {
    if ((!to.array && !to.pointer) || (!from.array && !from.pointer)) return kInvalidValue;
    return submit(session, stream, array_copy_work(session, to, from, {width, height, 1}, kind));
  });
}

/// Copies `count` bytes that continue from row to row, as in the older functions: whole rows, from the first row on.
Result copy_run(const char* name, const CopySide& to, const CopySide& from, std::size_t count, CopyKind kind,
                Stream stream = {}) {
  const Array* array = to.array ? to.array : from.array;
  const Result known = call(name, [&](Session& session) { return check_array(session, array); });
  if (known != kSuccess) return known;
  const std::size_t row = std::size_t{array->image.width} * array->image.format.bytes();
  CopySide target = to, source = from;
  target.pitch = source.pitch = row;
  if (count <= row) return copy_rows(name, target, source, count, 1, kind, stream);
  if (count % row != 0 || to.byte + from.byte != 0) return unsupported("copies of parts of an array's rows");
  return copy_rows(name, target, source, row, count / row, kind, stream);
}

}  // namespace

SASSIM_CUDA Result cudaMallocArray(Array** array, const ChannelFormat* format, std::size_t width, std::size_t height,
                                   unsigned flags) {
  return allocate(__func__, array, format, {width, height, 0}, flags);
}
SASSIM_CUDA Result cudaMalloc3DArray(Array** array, const ChannelFormat* format, Extent extent, unsigned flags) {
  return allocate(__func__, array, format, extent, flags);
}
SASSIM_CUDA Result cudaFreeArray(Array* array) {
  return call(__func__, [&](Session& session) {
    if (const Result result = check_may_wait(session); result != kSuccess) return result;
    if (!array) return kSuccess;
    if (const Result result = check_array(session, array); result != kSuccess) return result;
    if (!session.arrays().holds(array)) return kSuccess;  // a level goes with its mipmapped array
    session.memory_with(reinterpret_cast<const void*>(array->image.address)).free(array->image.address);
    session.arrays().erase(array);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaArrayGetInfo(ChannelFormat* format, Extent* extent, unsigned* flags, const Array* array) {
  if (!array) return remember(kInvalidResourceHandle);
  if (format) *format = array->format;
  if (extent) *extent = array->extent;
  if (flags) *flags = array->flags;
  return kSuccess;
}
SASSIM_CUDA Result cudaGetChannelDesc(ChannelFormat* format, const Array* array) {
  if (!format || !array) return remember(kInvalidValue);
  *format = array->format;
  return kSuccess;
}

SASSIM_CUDA Result cudaMemcpy2DToArray(Array* to, std::size_t byte, std::size_t row, const void* from,
                                       std::size_t pitch, std::size_t width, std::size_t height, CopyKind kind) {
  return copy_rows(__func__, in_array(to, byte, row), in_memory(from, pitch), width, height, kind);
}
SASSIM_CUDA_PTDS(cudaMemcpy2DToArray);
SASSIM_CUDA Result cudaMemcpy2DToArrayAsync(Array* to, std::size_t byte, std::size_t row, const void* from,
                                            std::size_t pitch, std::size_t width, std::size_t height, CopyKind kind,
                                            Stream stream) {
  return copy_rows(__func__, in_array(to, byte, row), in_memory(from, pitch), width, height, kind, stream);
}
SASSIM_CUDA_PTSZ(cudaMemcpy2DToArrayAsync);
SASSIM_CUDA Result cudaMemcpy2DFromArray(void* to, std::size_t pitch, const Array* from, std::size_t byte,
                                         std::size_t row, std::size_t width, std::size_t height, CopyKind kind) {
  return copy_rows(__func__, in_memory(to, pitch), in_array(from, byte, row), width, height, kind);
}
SASSIM_CUDA_PTDS(cudaMemcpy2DFromArray);
SASSIM_CUDA Result cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, const Array* from, std::size_t byte,
                                              std::size_t row, std::size_t width, std::size_t height, CopyKind kind,
                                              Stream stream) {
  return copy_rows(__func__, in_memory(to, pitch), in_array(from, byte, row), width, height, kind, stream);
}
SASSIM_CUDA_PTSZ(cudaMemcpy2DFromArrayAsync);
SASSIM_CUDA Result cudaMemcpy2DArrayToArray(Array* to, std::size_t to_byte, std::size_t to_row, const Array* from,
                                            std::size_t from_byte, std::size_t from_row, std::size_t width,
                                            std::size_t height, CopyKind kind) {
  return copy_rows(__func__, in_array(to, to_byte, to_row), in_array(from, from_byte, from_row), width, height, kind);
}
SASSIM_CUDA_PTDS(cudaMemcpy2DArrayToArray);

SASSIM_CUDA Result cudaMemcpyToArray(Array* to, std::size_t byte, std::size_t row, const void* from, std::size_t count,
                                     CopyKind kind) {
  return copy_run(__func__, in_array(to, byte, row), in_memory(from, 0), count, kind);
}
SASSIM_CUDA_PTDS(cudaMemcpyToArray);
SASSIM_CUDA Result cudaMemcpyToArrayAsync(Array* to, std::size_t byte, std::size_t row, const void* from,
                                          std::size_t count, CopyKind kind, Stream stream) {
  return copy_run(__func__, in_array(to, byte, row), in_memory(from, 0), count, kind, stream);
}
SASSIM_CUDA_PTSZ(cudaMemcpyToArrayAsync);
SASSIM_CUDA Result cudaMemcpyFromArray(void* to, const Array* from, std::size_t byte, std::size_t row,
                                       std::size_t count, CopyKind kind) {
  return copy_run(__func__, in_memory(to, 0), in_array(from, byte, row), count, kind);
}
SASSIM_CUDA_PTDS(cudaMemcpyFromArray);
SASSIM_CUDA Result cudaMemcpyFromArrayAsync(void* to, const Array* from, std::size_t byte, std::size_t row,
                                            std::size_t count, CopyKind kind, Stream stream) {
  return copy_run(__func__, in_memory(to, 0), in_array(from, byte, row), count, kind, stream);
}
SASSIM_CUDA_PTSZ(cudaMemcpyFromArrayAsync);
SASSIM_CUDA Result cudaMemcpyArrayToArray(Array* to, std::size_t to_byte, std::size_t to_row, const Array* from,
                                          std::size_t from_byte, std::size_t from_row, std::size_t count,
                                          CopyKind kind) {
  return copy_run(__func__, in_array(to, to_byte, to_row), in_array(from, from_byte, from_row), count, kind);
}
SASSIM_CUDA_PTDS(cudaMemcpyArrayToArray);

}  // namespace sassim::cuda
