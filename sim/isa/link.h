// SPDX-License-Identifier: Apache-2.0
// Runs the CUDA Toolkit's linker on machine code and PTX.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sassim::isa {

struct LinkInput {
  enum class Kind { cubin, ptx, object, archive };  ///< object: of the host, with device code inside
  Kind kind;
  std::string name;  ///< for messages
  std::vector<std::uint8_t> bytes;
};

/// The cubin for sm_`sm` that the inputs make together. PTX that is alone is only compiled, so that it need not be
/// relocatable. Throws InputError with the first line of what the linker or ptxas says, and NotSupported if the toolkit
/// is not here.
std::vector<std::uint8_t> link_code(const std::vector<LinkInput>& inputs, int sm);

}  // namespace sassim::isa
