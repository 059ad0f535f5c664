// SPDX-License-Identifier: Apache-2.0
// Small helpers to run hand-written kernels.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "sim/emu/core/emulator.h"
#include "sim/isa/assembly.h"

namespace sassim::emu {

template <class T>
std::uint64_t copy_in(DeviceMemory& memory, const std::vector<T>& values) {
  const std::uint64_t address = memory.allocate(values.size() * sizeof(T));
  memory.write(address, values.data(), values.size() * sizeof(T));
  return address;
}

template <class T>
std::vector<T> copy_out(const DeviceMemory& memory, std::uint64_t address, std::size_t count) {
  std::vector<T> values(count);
  memory.read(address, values.data(), count * sizeof(T));
  return values;
}

/// Kernel parameters in their natural alignment.
template <class... Args>
std::vector<std::uint8_t> pack(Args... args) {
  std::vector<std::uint8_t> bytes;
  const auto add = [&bytes](const void* value, std::size_t size) {
    bytes.resize((bytes.size() + size - 1) / size * size + size);
    std::memcpy(bytes.data() + bytes.size() - size, value, size);
  };
  (add(&args, sizeof args), ...);
  return bytes;
}

}  // namespace sassim::emu
