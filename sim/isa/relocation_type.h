// SPDX-License-Identifier: Apache-2.0
// The kinds of relocations in a cubin: where and how an address is written into code or data when it is loaded.
#pragma once

#include <cstdint>

namespace sassim::isa {

/// The relocation types that the code of kernels uses, with nvlink's numbers.
enum class RelocationType : std::uint32_t {
  none = 0,
  word32 = 1,                    ///< R_CUDA_32
  word64 = 2,                    ///< R_CUDA_64
  generic32 = 3,                 ///< R_CUDA_G32: a generic address
  generic64 = 4,                 ///< R_CUDA_G64
  texture_object = 6,            ///< R_CUDA_TEX_HEADER_INDEX: the object behind a texture reference
  function_word32 = 34,          ///< R_CUDA_FUNC_DESC_32
  function_word64 = 35,          ///< R_CUDA_FUNC_DESC_64
  call_near = 42,                ///< R_CUDA_ABS32_20: the target of a JCAL
  short_immediate_low = 43,      ///< R_CUDA_ABS32_LO_20: the low half of an address in bits 51:20 of an instruction
  short_immediate_high = 44,     ///< R_CUDA_ABS32_HI_20: the same for the high half
  immediate = 55,                ///< R_CUDA_ABS32_32: bits 63:32 of an instruction
  immediate_low = 56,            ///< R_CUDA_ABS32_LO_32: the same for the low half of an address
  immediate_high = 57,           ///< R_CUDA_ABS32_HI_32: the same for the high half
  call = 58,                     ///< R_CUDA_ABS47_34: the target of a CALL.ABS
  function_immediate = 61,       ///< R_CUDA_FUNC_DESC32_32
  function_immediate_low = 62,   ///< R_CUDA_FUNC_DESC32_LO_32
  function_immediate_high = 63,  ///< R_CUDA_FUNC_DESC32_HI_32
  call_far = 75,                 ///< the target of a CALL.ABS from Hopper on
};

}  // namespace sassim::isa
