// SPDX-License-Identifier: Apache-2.0
// Checks cuMemcpy2D, cuMemcpy3D and cuMemsetD*, and makes the runtime's work of them.
#include "sim/driver/copies.h"

#include <cstring>

#include "sim/cuda/session.h"
#include "sim/driver/call.h"
#include "sim/driver/pointers.h"

namespace sassim::cuda {
namespace {

/// Sets the place of one side of a copy of `rows` rows of `width` bytes.
Result place(Session& session, const Side3D& from, std::size_t width, std::size_t rows, std::size_t slices,
             CopySide& side, bool& known) {
  if (from.level != 0) return kInvalidValue;
  side.byte = from.byte, side.row = from.row, side.layer = from.slice;
  known = from.place != kPlaceUnified;
  if (from.place == kPlaceArray) {
    side.array = from.array;
    return check_array(session, from.array);
  }
  if (from.place < kPlaceHost || from.place > kPlaceUnified) return kInvalidValue;
  const std::size_t pitch = from.pitch != 0 ? from.pitch : from.byte + width;
  const std::size_t height = from.height != 0 ? from.height : from.row + rows;
  if ((rows > 1 || slices > 1) && pitch < from.byte + width) return kInvalidValue;
  if (slices > 1 && height < from.row + rows) return kInvalidValue;
  void* base = from.place == kPlaceHost ? from.host : as_pointer(from.device);
  if (!base) return kInvalidValue;
  side.pitch = pitch, side.slice = pitch * height;
  side.pointer = static_cast<std::byte*>(base) + from.slice * side.slice + from.row * pitch + from.byte;
  side.byte = side.row = side.layer = 0;
  return kSuccess;
}

CopyKind kind_of(const Side3D& to, const Side3D& from) {
  if (to.place == kPlaceUnified || from.place == kPlaceUnified) return kDefaultCopy;
  if (to.place == kPlaceHost) return from.place == kPlaceHost ? kHostToHost : kDeviceToHost;
  return from.place == kPlaceHost ? kHostToDevice : kDeviceToDevice;
}

Side3D with_depth(const Side2D& side) {
  return {side.byte, side.row, 0, 0, side.place, side.host, side.device, side.array, nullptr, side.pitch, 0};
}

Result fill_elements(Session& session, const FillNodeParams& params) {
  const std::size_t row = params.width * params.element_bytes;
  const std::uint64_t first = session.device_address(params.to);
  session.host_memory().look();
  for (std::size_t y = 0; y < params.height; ++y) {
    const std::uint64_t address = first + y * params.pitch;
    std::byte* to = session.memory_with(params.to).host(address, row, true);
    if (!to) return kInvalidValue;
    for (std::size_t x = 0; x < params.width; ++x)
      std::memcpy(to + x * params.element_bytes, &params.value, params.element_bytes);
    session.memory().changed();
    session.device_with(params.to).launcher.written(address, row, false);
  }
  return kSuccess;
}

}  // namespace

Result copy_3d(Session& session, const DriverCopy3D* box, NodeContents& contents) {
  if (!box) return kInvalidValue;
  CopySide to, from;
  bool known = false;
  for (const auto& [side, place_of] : {std::pair{&to, &box->to}, std::pair{&from, &box->from}})
    if (const Result result = place(session, *place_of, box->width, box->height, box->depth, *side, known);
        result != kSuccess)
      return result;
  const CopyKind kind = kind_of(box->to, box->from);
  const Extent extent{box->width, box->height, box->depth};
  contents = to.array || from.array ? array_copy_work(session, to, from, extent, kind)
                                    : copy_work(session, to.pointer, from.pointer,
                                                {.width = box->width,
                                                 .height = box->height,
                                                 .depth = box->depth,
                                                 .to_pitch = to.pitch,
                                                 .from_pitch = from.pitch,
                                                 .to_slice = to.slice,
                                                 .from_slice = from.slice},
                                                kind);
  return kSuccess;
}

Result copy_2d(Session& session, const DriverCopy2D* rows, NodeContents& contents) {
  if (!rows) return kInvalidValue;
  const DriverCopy3D box{with_depth(rows->from), with_depth(rows->to), rows->width, rows->height, 1};
  return copy_3d(session, &box, contents);
}

Result fill_rows(Session& session, const FillNodeParams& fill, NodeContents& contents) {
  const std::uint64_t address = as_address(fill.to);
  if (address % fill.element_bytes != 0 || (fill.height > 1 && fill.pitch % fill.element_bytes != 0))
    return kInvalidValue;
  if (fill.height > 1 && fill.pitch < fill.width * fill.element_bytes) return kInvalidValue;
  if (fill.width == 0 || fill.height == 0) {
    contents = {.type = kFillNode};
    return kSuccess;
  }
  if (!session.memory_with(fill.to).find(session.device_address(fill.to))) return kInvalidValue;
  if (fill.element_bytes == 1) {
    contents = fill_work(session, fill.to, static_cast<int>(fill.value),
                         {.width = fill.width, .height = fill.height, .to_pitch = fill.pitch});
    return kSuccess;
  }
  contents = {.type = kFillNode, .work = [&session, fill](Stream stream) {
                const Result result = fill_elements(session, fill);
                if (result == kSuccess) session.timeline().fill(stream, fill.width * fill.element_bytes * fill.height);
                return result;
              }};
  return kSuccess;
}

Result waited(const char* name, const std::function<Result(Session&, NodeContents&)>& make) {
  return in_context(name, [&](Session& session) {
    NodeContents work;
    Result result = make(session, work);
    if (result == kSuccess) result = submit(session, {}, work);
    Timeline& timeline = session.timeline();
    timeline.wait_on_host(timeline.defers() ? timeline.end_of({}) : timeline.end());
    return result;
  });
}

Result in_stream(const char* name, Stream stream, const std::function<Result(Session&, NodeContents&)>& make) {
  return in_context(name, [&](Session& session) {
    NodeContents work;
    if (const Result result = check_stream(session, stream); result != kSuccess) return result;
    const Result result = make(session, work);
    return result == kSuccess ? submit(session, stream, work) : result;
  });
}

}  // namespace sassim::cuda
