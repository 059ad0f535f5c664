// SPDX-License-Identifier: Apache-2.0
// The driver's functions that copy and fill memory and arrays (cuMemcpy*, cuMemset*).
#include "sim/cuda/export.h"
#include "sim/cuda/peers.h"
#include "sim/driver/call.h"
#include "sim/driver/copies.h"
#include "sim/driver/pointers.h"

namespace sassim::cuda {
namespace {

Result plain(const char* name, void* to, const void* from, std::size_t bytes, CopyKind kind, Stream stream) {
  return in_context(name, [&](Session& session) {
    if (const Result result = check_stream(session, stream); result != kSuccess) return result;
    return submit(session, stream, copy_work(session, to, from, {.width = bytes}, kind));
  });
}

bool known(const Context* context) { return Contexts::of_this_process().known(context) && !context->destroyed; }

Result plain_waited(const char* name, void* to, const void* from, std::size_t bytes, CopyKind kind) {
  return waited(name, [&](Session& session, NodeContents& work) {
    work = copy_work(session, to, from, {.width = bytes}, kind);
    return kSuccess;
  });
}

Result fill(const char* name, DevicePointer to, std::size_t pitch, unsigned value, unsigned element, std::size_t width,
            std::size_t height, Stream stream = {}) {
  return in_stream(name, stream, [&](Session& session, NodeContents& work) {
    return fill_rows(session, {as_pointer(to), pitch, value, element, width, height}, work);
  });
}

/// A row of an array, from a given byte on.
Side3D in_array(Array* array, std::size_t byte) {
  return {byte, 0, 0, 0, kPlaceArray, nullptr, 0, array, nullptr, 0, 0};
}
Side3D on_host(const void* host) {
  return {0, 0, 0, 0, kPlaceHost, const_cast<void*>(host), 0, nullptr, nullptr, 0, 0};
}
Side3D on_device(DevicePointer device) { return {0, 0, 0, 0, kPlaceDevice, nullptr, device, nullptr, nullptr, 0, 0}; }

Result row(const char* name, const Side3D& to, const Side3D& from, std::size_t bytes) {
  return waited(name, [&](Session& session, NodeContents& work) {
    const DriverCopy3D box{from, to, bytes, 1, 1};
    return copy_3d(session, &box, work);
  });
}
Result row(const char* name, const Side3D& to, const Side3D& from, std::size_t bytes, Stream stream) {
  return in_stream(name, stream, [&](Session& session, NodeContents& work) {
    const DriverCopy3D box{from, to, bytes, 1, 1};
    return copy_3d(session, &box, work);
  });
}

}  // namespace

SASSIM_CUDA Result cuMemcpy(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return plain_waited(__func__, as_pointer(to), as_pointer(from), bytes, kDefaultCopy);
}
SASSIM_CU_PTDS(cuMemcpy);
SASSIM_CUDA Result cuMemcpyAsync(DevicePointer to, DevicePointer from, std::size_t bytes, Stream stream) {
  return plain(__func__, as_pointer(to), as_pointer(from), bytes, kDefaultCopy, stream);
}
SASSIM_CU_PTSZ(cuMemcpyAsync);
SASSIM_CUDA Result cuMemcpyHtoD_v2(DevicePointer to, const void* from, std::size_t bytes) {
  return plain_waited(__func__, as_pointer(to), from, bytes, kHostToDevice);
}
SASSIM_CU_PTDS(cuMemcpyHtoD_v2);
SASSIM_CUDA Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, Stream stream) {
  return plain(__func__, as_pointer(to), from, bytes, kHostToDevice, stream);
}
SASSIM_CU_PTSZ(cuMemcpyHtoDAsync_v2);
SASSIM_CUDA Result cuMemcpyDtoH_v2(void* to, DevicePointer from, std::size_t bytes) {
  return plain_waited(__func__, to, as_pointer(from), bytes, kDeviceToHost);
}
SASSIM_CU_PTDS(cuMemcpyDtoH_v2);
SASSIM_CUDA Result cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, Stream stream) {
  return plain(__func__, to, as_pointer(from), bytes, kDeviceToHost, stream);
}
SASSIM_CU_PTSZ(cuMemcpyDtoHAsync_v2);
SASSIM_CUDA Result cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from, std::size_t bytes) {
  return plain(__func__, as_pointer(to), as_pointer(from), bytes, kDeviceToDevice, {});
}
SASSIM_CU_PTDS(cuMemcpyDtoD_v2);
SASSIM_CUDA Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, Stream stream) {
  return plain(__func__, as_pointer(to), as_pointer(from), bytes, kDeviceToDevice, stream);
}
SASSIM_CU_PTSZ(cuMemcpyDtoDAsync_v2);
SASSIM_CUDA Result cuMemcpyPeer(DevicePointer to, Context* to_context, DevicePointer from, Context* from_context,
                                std::size_t bytes) {
  return in_context(__func__, [&](Session& session) {
    if (!known(to_context) || !known(from_context)) return kInvalidContext;
    return copy_between(session, as_pointer(to), session.device(static_cast<int>(to_context->device)), as_pointer(from),
                        session.device(static_cast<int>(from_context->device)), bytes);
  });
}
SASSIM_CU_PTDS(cuMemcpyPeer);
SASSIM_CUDA Result cuMemcpyPeerAsync(DevicePointer to, Context* to_context, DevicePointer from, Context* from_context,
                                     std::size_t bytes, Stream stream) {
  if (!known(to_context) || !known(from_context)) return kInvalidContext;
  return plain(__func__, as_pointer(to), as_pointer(from), bytes, kDefaultCopy, stream);
}
SASSIM_CU_PTSZ(cuMemcpyPeerAsync);

SASSIM_CUDA Result cuMemcpy2D_v2(const DriverCopy2D* rows) {
  return waited(__func__, [&](Session& session, NodeContents& work) { return copy_2d(session, rows, work); });
}
SASSIM_CU_PTDS(cuMemcpy2D_v2);
SASSIM_CUDA Result cuMemcpy2DUnaligned_v2(const DriverCopy2D* rows) {
  return waited(__func__, [&](Session& session, NodeContents& work) { return copy_2d(session, rows, work); });
}
SASSIM_CU_PTDS(cuMemcpy2DUnaligned_v2);
SASSIM_CUDA Result cuMemcpy2DAsync_v2(const DriverCopy2D* rows, Stream stream) {
  return in_stream(__func__, stream,
                   [&](Session& session, NodeContents& work) { return copy_2d(session, rows, work); });
}
SASSIM_CU_PTSZ(cuMemcpy2DAsync_v2);
SASSIM_CUDA Result cuMemcpy3D_v2(const DriverCopy3D* box) {
  return waited(__func__, [&](Session& session, NodeContents& work) { return copy_3d(session, box, work); });
}
SASSIM_CU_PTDS(cuMemcpy3D_v2);
SASSIM_CUDA Result cuMemcpy3DAsync_v2(const DriverCopy3D* box, Stream stream) {
  return in_stream(__func__, stream, [&](Session& session, NodeContents& work) { return copy_3d(session, box, work); });
}
SASSIM_CU_PTSZ(cuMemcpy3DAsync_v2);
SASSIM_CUDA Result cuMemcpy3DPeer(const DriverCopy3D* box) {
  return waited(__func__, [&](Session& session, NodeContents& work) { return copy_3d(session, box, work); });
}
SASSIM_CU_PTDS(cuMemcpy3DPeer);
SASSIM_CUDA Result cuMemcpy3DPeerAsync(const DriverCopy3D* box, Stream stream) {
  return in_stream(__func__, stream, [&](Session& session, NodeContents& work) { return copy_3d(session, box, work); });
}
SASSIM_CU_PTSZ(cuMemcpy3DPeerAsync);

SASSIM_CUDA Result cuMemcpyHtoA_v2(Array* to, std::size_t at, const void* from, std::size_t bytes) {
  return row(__func__, in_array(to, at), on_host(from), bytes);
}
SASSIM_CU_PTDS(cuMemcpyHtoA_v2);
SASSIM_CUDA Result cuMemcpyHtoAAsync_v2(Array* to, std::size_t at, const void* from, std::size_t bytes, Stream stream) {
  return row(__func__, in_array(to, at), on_host(from), bytes, stream);
}
SASSIM_CU_PTSZ(cuMemcpyHtoAAsync_v2);
SASSIM_CUDA Result cuMemcpyAtoH_v2(void* to, Array* from, std::size_t at, std::size_t bytes) {
  return row(__func__, on_host(to), in_array(from, at), bytes);
}
SASSIM_CU_PTDS(cuMemcpyAtoH_v2);
SASSIM_CUDA Result cuMemcpyAtoHAsync_v2(void* to, Array* from, std::size_t at, std::size_t bytes, Stream stream) {
  return row(__func__, on_host(to), in_array(from, at), bytes, stream);
}
SASSIM_CU_PTSZ(cuMemcpyAtoHAsync_v2);
SASSIM_CUDA Result cuMemcpyDtoA_v2(Array* to, std::size_t at, DevicePointer from, std::size_t bytes) {
  return row(__func__, in_array(to, at), on_device(from), bytes);
}
SASSIM_CU_PTDS(cuMemcpyDtoA_v2);
SASSIM_CUDA Result cuMemcpyAtoD_v2(DevicePointer to, Array* from, std::size_t at, std::size_t bytes) {
  return row(__func__, on_device(to), in_array(from, at), bytes);
}
SASSIM_CU_PTDS(cuMemcpyAtoD_v2);
SASSIM_CUDA Result cuMemcpyAtoA_v2(Array* to, std::size_t at, Array* from, std::size_t from_at, std::size_t bytes) {
  return row(__func__, in_array(to, at), in_array(from, from_at), bytes);
}
SASSIM_CU_PTDS(cuMemcpyAtoA_v2);

/// Fills with values of so many bits: rows or one row, and the host waits or goes on.
#define SASSIM_FILLS(bits, Value)                                                                                  \
  SASSIM_CUDA Result cuMemsetD##bits##_v2(DevicePointer to, Value value, std::size_t count) {                      \
    return fill(__func__, to, 0, value, (bits) / 8, count, 1);                                                     \
  }                                                                                                                \
  SASSIM_CU_PTDS(cuMemsetD##bits##_v2);                                                                            \
  SASSIM_CUDA Result cuMemsetD##bits##Async(DevicePointer to, Value value, std::size_t count, Stream stream) {     \
    return fill(__func__, to, 0, value, (bits) / 8, count, 1, stream);                                             \
  }                                                                                                                \
  SASSIM_CU_PTSZ(cuMemsetD##bits##Async);                                                                          \
  SASSIM_CUDA Result cuMemsetD2D##bits##_v2(DevicePointer to, std::size_t pitch, Value value, std::size_t width,   \
                                            std::size_t height) {                                                  \
    return fill(__func__, to, pitch, value, (bits) / 8, width, height);                                            \
  }                                                                                                                \
  SASSIM_CU_PTDS(cuMemsetD2D##bits##_v2);                                                                          \
  SASSIM_CUDA Result cuMemsetD2D##bits##Async(DevicePointer to, std::size_t pitch, Value value, std::size_t width, \
                                              std::size_t height, Stream stream) {                                 \
    return fill(__func__, to, pitch, value, (bits) / 8, width, height, stream);                                    \
  }                                                                                                                \
  SASSIM_CU_PTSZ(cuMemsetD2D##bits##Async)
SASSIM_FILLS(8, unsigned char);
SASSIM_FILLS(16, unsigned short);
SASSIM_FILLS(32, unsigned);
#undef SASSIM_FILLS

}  // namespace sassim::cuda
