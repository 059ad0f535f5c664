// SPDX-License-Identifier: Apache-2.0
// Reads registers, stack, parameters and launch bounds of kernels from a cubin's .nv.info sections.
#include "sim/isa/cubin_info.h"

#include <cstring>

#include "sim/base/error.h"

namespace sassim::isa {
namespace {

// Attribute numbers, with the names (EIATTR_...) that `cuobjdump -elf` prints.
constexpr std::uint8_t kMaxThreads = 0x05, kParamCbank = 0x0a, kFrameSize = 0x11, kMinStackSize = 0x12,
                       kKernelParameter = 0x17, kParameterBytes = 0x19, kRegisterCount = 0x2f, kBlocksOfCluster = 0x3d,
                       kBarriers = 0x4c;

constexpr std::uint8_t kWithPayload = 0x04;
constexpr std::uint32_t kUnbounded = 0xffffffff;

std::uint16_t half(std::span<const std::uint8_t> bytes, std::size_t at) {
  std::uint16_t value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

}  // namespace

std::uint32_t CubinAttribute::word(std::size_t n) const {
  std::uint32_t found = 0;
  if (payload.size() >= 4 * n + 4) std::memcpy(&found, payload.data() + 4 * n, sizeof(found));
  return found;
}

std::vector<CubinAttribute> read_cubin_attributes(std::span<const std::uint8_t> section, std::string_view place) {
  std::vector<CubinAttribute> all;
  for (std::size_t at = 0; at < section.size();) {
    if (section.size() - at < 4) throw InputError("{}: expected an attribute of 4 bytes at offset 0x{:x}", place, at);
    CubinAttribute attribute;
    const std::uint8_t format = section[at];
    attribute.code = section[at + 1];
    attribute.value = half(section, at + 2);
    at += 4;
    if (format == kWithPayload) {
      if (section.size() - at < attribute.value)
        throw InputError("{}: attribute 0x{:x} at offset 0x{:x} reaches beyond the section", place, attribute.code, at);
      attribute.payload = section.subspan(at, attribute.value);
      at += attribute.value;
    } else if (format == 0 || format > kWithPayload) {
      throw InputError("{}: unknown attribute format 0x{:x} at offset 0x{:x}", place, format, at - 4);
    }
    all.push_back(attribute);
  }
  return all;
}

void apply_module_attribute(const CubinAttribute& attribute, CubinKernel& kernel) {
  const std::uint32_t value = attribute.word(1);
  switch (attribute.code) {
    case kRegisterCount:
      kernel.registers = value;
      break;
    case kFrameSize:
      kernel.frame_bytes = value;
      break;
    case kMinStackSize:
      kernel.stack_unbounded = value == kUnbounded;
      if (!kernel.stack_unbounded) kernel.stack_bytes = value;
      break;
    default:
      break;
  }
  if (kernel.stack_bytes < kernel.frame_bytes) kernel.stack_bytes = kernel.frame_bytes;
}

void apply_kernel_attribute(const CubinAttribute& attribute, CubinKernel& kernel) {
  switch (attribute.code) {
    case kMaxThreads:
      kernel.max_threads = attribute.word(0) * attribute.word(1) * attribute.word(2);
      break;
    case kParamCbank:
      kernel.parameter_base = attribute.word(1) & 0xffff;
      kernel.parameter_bytes = attribute.word(1) >> 16;
      break;
    case kBarriers:  // since CUDA 13, which no longer has it in the flags of the code's section
      kernel.barriers = attribute.value & 0xff;
      break;
    case kBlocksOfCluster:
      kernel.cluster = {attribute.word(0), attribute.word(1), attribute.word(2)};
      break;
    case kParameterBytes:
      kernel.parameter_bytes = attribute.value;
      break;
    case kKernelParameter:
      // index, ordinal and offset (16 bits each), then the size above 18 bits of flags
      kernel.parameters.push_back({attribute.word(1) & 0xffff, attribute.word(1) >> 16, attribute.word(2) >> 18});
      break;
    default:
      break;
  }
}

}  // namespace sassim::isa
