// SPDX-License-Identifier: Apache-2.0
// The runtime's functions that allocate, copy and fill memory of the device and of the host, and device variables.
#include "sim/cuda/copy.h"
#include "sim/cuda/export.h"
#include "sim/cuda/session.h"
#include "sim/emu/core/memory_check.h"

namespace sassim::cuda {
namespace {

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

constexpr unsigned kManagedFlags = 3;  // cudaMemAttachGlobal, cudaMemAttachHost

using Kind = HostMemory::Kind;

Result allocate(const char* name, void** pointer, std::size_t bytes) {
  return call(name, [&](Session& session) {
    if (!pointer) return kInvalidValue;
    if (const Result result = check_may_wait(session); result != kSuccess) return result;
    *pointer = nullptr;
    if (bytes == 0) return kSuccess;
    const std::uint64_t address = session.memory().allocate(bytes);
    *pointer = reinterpret_cast<void*>(address);
    if (emu::MemoryCheck* check = emu::MemoryCheck::active(); check && address) check->allocated(address, bytes);
    return address ? kSuccess : kMemoryAllocation;
  });
}

Result release(const char* name, void* pointer) {
  return call(name, [&](Session& session) {
    if (const Result result = check_may_wait(session); result != kSuccess) return result;
    return sassim::cuda::release(session, pointer);
  });
}

/// `known`: the flags that the function has.
Result allocate_host(const char* name, void** pointer, std::size_t bytes, Kind kind, unsigned flags, unsigned known) {
  return call(name, [&](Session& session) {
    if (!pointer || (flags & ~known) != 0) return kInvalidValue;
    if (const Result result = check_may_wait(session); result != kSuccess) return result;
    *pointer = bytes ? session.host_memory().allocate(bytes, kind, flags, session.device().ordinal) : nullptr;
    return *pointer || !bytes ? kSuccess : kMemoryAllocation;
  });
}

Result plain_copy(const char* name, void* to, const void* from, std::size_t bytes, CopyKind kind, Stream stream = {}) {
  return call(name, [&](Session& session) {
    return submit(session, stream, copy_work(session, to, from, {.width = bytes}, kind));
  });
}

/// A copy for which the host waits, and so for all earlier work of the stream.
Result waited_copy(const char* name, void* to, const void* from, std::size_t bytes, CopyKind kind) {
  return call(name, [&](Session& session) {
    const Result result = submit(session, {}, copy_work(session, to, from, {.width = bytes}, kind));
    Timeline& timeline = session.timeline();
    timeline.wait_on_host(timeline.defers() ? timeline.end_of({}) : timeline.end());
    return result;
  });
}

Result copy_rows(const char* name, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                 std::size_t width, std::size_t height, CopyKind kind, Stream stream = {}) {
  const CopyShape shape{.width = width, .height = height, .to_pitch = to_pitch, .from_pitch = from_pitch};
  return call(name,
              [&](Session& session) { return submit(session, stream, copy_work(session, to, from, shape, kind)); });
}

Result fill_rows(const char* name, void* to, int value, const CopyShape& shape, Stream stream = {}) {
  return call(name, [&](Session& session) { return submit(session, stream, fill_work(session, to, value, shape)); });
}

// The address of [offset, offset + bytes) in a symbol. Throws ApiError.
void* symbol_range(Session& session, const void* symbol, std::size_t offset, std::size_t bytes) {
  const emu::Variable& variable = session.variable(symbol);
  if (offset > variable.bytes || bytes > variable.bytes - offset) throw ApiError{kInvalidValue, ""};
  return reinterpret_cast<void*>(variable.address + offset);
}

/// The runtime rounds the width up and multiplies without a check. What does not fit 64 bits is an invalid value here,
/// where an H200 allocates too little or nothing (validation/measured/h200/launches.md#runtime-limits).
Result malloc_pitch(const char* name, void** pointer, std::size_t* pitch, std::size_t width, const std::size_t* rows) {
  constexpr std::size_t kPitchUnit = 512;
  if (!pointer || !pitch) return remember(kInvalidValue);
  *pointer = nullptr;
  const std::size_t rounded = (width + kPitchUnit - 1) / kPitchUnit * kPitchUnit;
  std::size_t bytes = 0, height = 0;
  const bool too_many = __builtin_mul_overflow(rows[0], rows[1], &height);
  *pitch = height == 0 && !too_many ? 0 : rounded;
  if (rounded < width || too_many) return remember(kInvalidValue);
  if (__builtin_mul_overflow(rounded, height, &bytes)) return remember(bytes == 0 ? kInvalidValue : kMemoryAllocation);
  return allocate(name, pointer, bytes);
}

}  // namespace

SASSIM_CUDA Result cudaMalloc(void** pointer, std::size_t bytes) { return allocate(__func__, pointer, bytes); }
SASSIM_CUDA Result cudaFree(void* pointer) { return release(__func__, pointer); }
SASSIM_CUDA Result cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  const std::size_t rows[] = {height, 1};
  return malloc_pitch(__func__, pointer, pitch, width, rows);
}

SASSIM_CUDA Result cudaMalloc3D(Pitched* pitched, Extent extent) {
  if (!pitched) return remember(kInvalidValue);
  const std::size_t rows[] = {extent.height, extent.depth};
  const Result result = malloc_pitch(__func__, &pitched->pointer, &pitched->pitch, extent.width, rows);
  if (result == kSuccess) pitched->width = extent.width, pitched->height = extent.height;
  return result;
}

SASSIM_CUDA Result cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate_host(__func__, pointer, bytes, Kind::pinned, 0, 0);
}
SASSIM_CUDA Result cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return allocate_host(__func__, pointer, bytes, Kind::pinned, flags, kHostPortable | kHostMapped | kHostWriteCombined);
}
SASSIM_CUDA Result cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  if (flags == 0) return remember(kInvalidValue);
  return allocate_host(__func__, pointer, bytes, Kind::managed, flags, kManagedFlags);
}
SASSIM_CUDA Result cudaFreeHost(void* pointer) {
  return call(__func__, [&](Session& session) {
    return !pointer || session.host_memory().free(pointer, Kind::pinned) ? kSuccess : kInvalidValue;
  });
}

SASSIM_CUDA Result cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return call(__func__, [&](Session& session) {
    return session.host_memory().add(pointer, bytes, flags, session.device().ordinal);
  });
}
SASSIM_CUDA Result cudaHostUnregister(void* pointer) {
  return call(__func__, [&](Session& session) { return session.host_memory().remove(pointer); });
}
SASSIM_CUDA Result cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return call(__func__, [&](Session& session) {
    if (!device) return kInvalidValue;
    *device = nullptr;
    const HostMemory::Piece* piece = session.host_memory().find(host);
    if (flags != 0 || !piece || piece->kind == Kind::managed) return kInvalidValue;
    *device = host;  // addresses are unified
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaHostGetFlags(unsigned* flags, void* host) {
  return call(__func__, [&](Session& session) {
    const HostMemory::Piece* piece = session.host_memory().find(host);
    if (!flags || !piece || piece->kind == Kind::managed) return kInvalidValue;
    *flags = piece->flags | kHostMapped;  // all of it is
    return kSuccess;
  });
}

SASSIM_CUDA Result cudaMemcpy(void* to, const void* from, std::size_t bytes, CopyKind kind) {
  return waited_copy(__func__, to, from, bytes, kind);
}
SASSIM_CUDA_PTDS(cudaMemcpy);
SASSIM_CUDA Result cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, CopyKind kind, Stream stream) {
  return plain_copy(__func__, to, from, bytes, kind, stream);
}
SASSIM_CUDA_PTSZ(cudaMemcpyAsync);
SASSIM_CUDA Result cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                std::size_t width, std::size_t height, CopyKind kind) {
  return copy_rows(__func__, to, to_pitch, from, from_pitch, width, height, kind);
}
SASSIM_CUDA_PTDS(cudaMemcpy2D);
SASSIM_CUDA Result cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                     std::size_t width, std::size_t height, CopyKind kind, Stream stream) {
  return copy_rows(__func__, to, to_pitch, from, from_pitch, width, height, kind, stream);
}
SASSIM_CUDA_PTSZ(cudaMemcpy2DAsync);

SASSIM_CUDA Result cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                           CopyKind kind, Stream stream) {
  return call(__func__, [&](Session& session) {
    void* const to = symbol_range(session, symbol, offset, bytes);
    return submit(session, stream, copy_work(session, to, from, {.width = bytes}, kind));
  });
}
SASSIM_CUDA_PTSZ(cudaMemcpyToSymbolAsync);
SASSIM_CUDA Result cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                      CopyKind kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}
SASSIM_CUDA_PTDS(cudaMemcpyToSymbol);
SASSIM_CUDA Result cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                             CopyKind kind, Stream stream) {
  return call(__func__, [&](Session& session) {
    const void* const from = symbol_range(session, symbol, offset, bytes);
    return submit(session, stream, copy_work(session, to, from, {.width = bytes}, kind));
  });
}
SASSIM_CUDA_PTSZ(cudaMemcpyFromSymbolAsync);
SASSIM_CUDA Result cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                        CopyKind kind) {
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
}
SASSIM_CUDA_PTDS(cudaMemcpyFromSymbol);
SASSIM_CUDA Result cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return call(__func__, [&](Session& session) {
    if (!pointer) return kInvalidValue;
    *pointer = reinterpret_cast<void*>(session.variable(symbol).address);
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return call(__func__, [&](Session& session) {
    if (!bytes) return kInvalidValue;
    *bytes = session.variable(symbol).bytes;
    return kSuccess;
  });
}

SASSIM_CUDA Result cudaMemset(void* to, int value, std::size_t bytes) {
  return fill_rows(__func__, to, value, {.width = bytes});
}
SASSIM_CUDA_PTDS(cudaMemset);
SASSIM_CUDA Result cudaMemsetAsync(void* to, int value, std::size_t bytes, Stream stream) {
  return fill_rows(__func__, to, value, {.width = bytes}, stream);
}
SASSIM_CUDA_PTSZ(cudaMemsetAsync);
SASSIM_CUDA Result cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return fill_rows(__func__, to, value, {.width = width, .height = height, .to_pitch = pitch});
}
SASSIM_CUDA_PTDS(cudaMemset2D);
SASSIM_CUDA Result cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                                     Stream stream) {
  return fill_rows(__func__, to, value, {.width = width, .height = height, .to_pitch = pitch}, stream);
}
SASSIM_CUDA_PTSZ(cudaMemset2DAsync);

SASSIM_CUDA Result cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
  return call(__func__, [&](Session& session) {
    if (!free_bytes || !total) return kInvalidValue;
    *total = session.memory().capacity();
    *free_bytes = *total - session.memory().used();
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return call(__func__, [&](Session& session) {
    if (!attributes) return kInvalidValue;
    *attributes = {};
    void* plain = const_cast<void*>(pointer);
    const HostMemory::Piece* piece = session.host_memory().find(pointer);
    const std::uint64_t address = session.memory().translate(address_of(pointer));
    attributes->device = static_cast<int>(piece ? piece->device : session.device_with(pointer).ordinal);
    if (piece)
      attributes->type = piece->kind == Kind::managed ? kManagedMemory : kHostMemory;
    else if (session.memory_with(pointer).find(address))
      attributes->type = address == address_of(pointer) ? kDeviceMemory : kManagedMemory;  // a __managed__ variable
    if (attributes->type != kUnregistered) attributes->device_pointer = plain;
    if (attributes->type != kDeviceMemory) attributes->host_pointer = attributes->device_pointer;
    return kSuccess;
  });
}
SASSIM_CUDA Result cudaMemPrefetchAsync(const void*, std::size_t, int, Stream) {
  return call(__func__, [](Session&) { return kSuccess; });
}
SASSIM_CUDA_PTSZ(cudaMemPrefetchAsync);
SASSIM_CUDA Result cudaMemAdvise(const void*, std::size_t, int, int) {
  return call(__func__, [](Session&) { return kSuccess; });
}

}  // namespace sassim::cuda
