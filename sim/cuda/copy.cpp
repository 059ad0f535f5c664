// SPDX-License-Identifier: Apache-2.0
// Performs and times cudaMemcpy and cudaMemset of plain memory; array.cpp has those of arrays.
#include "sim/cuda/copy.h"

#include <algorithm>
#include <cstring>

#include "sim/cuda/session.h"

namespace sassim::cuda {

namespace {

bool in_device_heap(Session& session, const void* pointer) {
  return session.memory_with(pointer).find(session.device_address(pointer)) != nullptr;
}

// The memory of one side of a row: device memory, or host memory at its own address. nullptr: no such device memory.
std::byte* side(Session& session, const void* pointer, std::size_t bytes, bool device, bool write) {
  const std::uint64_t address = session.device_address(pointer);
  const emu::DeviceMemory& memory = session.memory_with(pointer);
  if (std::byte* host = memory.host(address, bytes, write)) return host;
  const emu::Allocation* piece = memory.find(address, bytes);
  return device || (piece && piece->gaps) ? nullptr : static_cast<std::byte*>(const_cast<void*>(pointer));
}

/// All bytes have the value already.
bool holds(const std::byte* bytes, int value, std::size_t count) {
  return bytes[0] == static_cast<std::byte>(value) && std::memcmp(bytes, bytes + 1, count - 1) == 0;
}

const std::byte* at(const void* base, std::size_t offset) { return static_cast<const std::byte*>(base) + offset; }

/// `in_command`: the row is of a copy that is a part of commands if the source is the host's.
Result copy_row(Session& session, const std::byte* to, const std::byte* from, std::size_t bytes, bool to_device,
                bool from_device, bool in_command) {
  std::byte* destination = side(session, to, bytes, to_device, true);
  std::byte* source = side(session, from, bytes, from_device, false);
  if (!destination || !source) return kInvalidValue;
  if (!in_device_heap(session, to)) {
    std::memmove(destination, source, bytes);
    return kSuccess;
  }
  if (std::memcmp(destination, source, bytes) != 0) {
    std::memmove(destination, source, bytes);
    session.memory().changed();
  }
  session.device_with(to).launcher.written(session.device_address(to), bytes,
                                           !in_command && !in_device_heap(session, from));
  return kSuccess;
}

}  // namespace

bool in_commands(const Session& session, std::size_t bytes) { return bytes <= session.gpu().environment.upload_inline; }

Result copy(Session& session, void* to, const void* from, const CopyShape& shape, CopyKind kind) {
  if (shape.width == 0 || shape.height == 0 || shape.depth == 0) return kSuccess;
  if (kind < kHostToHost || kind > kDefaultCopy) return kInvalidMemcpyDirection;
  if (!to || !from) return kInvalidValue;
  session.host_memory().look();
  if (shape.height > 1 && (shape.width > shape.to_pitch || shape.width > shape.from_pitch)) return kInvalidPitchValue;
  bool to_device = kind == kHostToDevice || kind == kDeviceToDevice;
  bool from_device = kind == kDeviceToHost || kind == kDeviceToDevice;
  if (kind == kDefaultCopy) {
    to_device = in_device_heap(session, to);
    from_device = in_device_heap(session, from);
  }
  const bool in_command = in_commands(session, shape.width * shape.height * shape.depth);
  for (std::size_t z = 0; z < shape.depth; ++z)
    for (std::size_t y = 0; y < shape.height; ++y)
      if (const Result result = copy_row(session, at(to, z * shape.to_slice + y * shape.to_pitch),
                                         at(from, z * shape.from_slice + y * shape.from_pitch), shape.width, to_device,
                                         from_device, in_command);
          result != kSuccess)
        return result;
  return kSuccess;
}

Result fill(Session& session, void* to, int value, const CopyShape& shape) {
  if (shape.width == 0 || shape.height == 0 || shape.depth == 0) return kSuccess;
  if (shape.height > 1 && shape.width > shape.to_pitch) return kInvalidPitchValue;
  session.host_memory().look();
  for (std::size_t z = 0; z < shape.depth; ++z)
    for (std::size_t y = 0; y < shape.height; ++y) {
      const std::uint64_t address = session.device_address(at(to, z * shape.to_slice + y * shape.to_pitch));
      std::byte* bytes = session.memory_with(to).host(address, shape.width, true);
      if (!bytes) return kInvalidValue;
      if (!holds(bytes, value, shape.width)) {
        std::memset(bytes, value, shape.width);
        session.memory().changed();
      }
      session.device_with(to).launcher.written(address, shape.width, false);
    }
  return kSuccess;
}

namespace {
Engine engine_of(Session& session, const void* to, const void* from, CopyKind kind) {
  if (kind == kDefaultCopy) return engine_between(in_device_heap(session, to), in_device_heap(session, from));
  return engine_between(kind == kHostToDevice || kind == kDeviceToDevice,
                        kind == kDeviceToHost || kind == kDeviceToDevice);
}

/// The time of a copy. One between two devices goes as one from the first to the host and one from the host to the
/// second at the same time, and takes as long as the slower of the two.
void book_copy(Session& session, Stream stream, const void* to, const void* from, CopyKind kind, std::uint64_t bytes) {
  Timeline& timeline = session.timeline();
  const auto is_of_device = [&](const void* pointer) {
    return session.has_device(static_cast<int>(emu::device_of(reinterpret_cast<std::uintptr_t>(pointer))));
  };
  Device &target = session.device_with(to), &source = session.device_with(from);
  if (&target == &source || !is_of_device(to) || !is_of_device(from))
    return timeline.copy(stream, engine_of(session, to, from, kind), bytes);
  const Picoseconds out = source.timeline.copy_costs().copy(Engine::to_host, bytes);
  const Picoseconds in = target.timeline.copy_costs().copy(Engine::to_device, bytes);
  timeline.occupy(stream, &target == &session.device() ? Engine::to_device : Engine::to_host, std::max(out, in));
}
}  // namespace

NodeContents copy_work(Session& session, void* to, const void* from, const CopyShape& shape, CopyKind kind) {
  return {.type = kCopyNode, .work = [=, &session](Stream stream) {
            const Result result = copy(session, to, from, shape, kind);
            if (result == kSuccess)
              book_copy(session, stream, to, from, kind, shape.width * shape.height * shape.depth);
            return result;
          }};
}

NodeContents fill_work(Session& session, void* to, int value, const CopyShape& shape) {
  return {.type = kFillNode, .work = [=, &session](Stream stream) {
            const Result result = fill(session, to, value, shape);
            if (result == kSuccess) session.timeline().fill(stream, shape.width * shape.height * shape.depth);
            return result;
          }};
}

NodeContents box_work(Session& session, const Copy3D& box) {
  const auto corner = [](const Pitched& memory, const Extent& at) {
    return static_cast<std::byte*>(memory.pointer) + (at.depth * memory.height + at.height) * memory.pitch + at.width;
  };
  return copy_work(session, corner(box.to, box.to_position), corner(box.from, box.from_position),
                   {.width = box.extent.width,
                    .height = box.extent.height,
                    .depth = box.extent.depth,
                    .to_pitch = box.to.pitch,
                    .from_pitch = box.from.pitch,
                    .to_slice = box.to.pitch * box.to.height,
                    .from_slice = box.from.pitch * box.from.height},
                   box.kind);
}

}  // namespace sassim::cuda
