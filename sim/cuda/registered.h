// SPDX-License-Identifier: Apache-2.0
// What a program has registered or loaded: binaries, and the functions, variables and texture references in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/cuda/abi.h"
#include "sim/emu/core/module.h"

namespace sassim::cuda {

/// A registered fat binary, or an image that the program has loaded. Each device loads its cubin at the first use
/// there.
struct RegisteredBinary {
  struct Loaded {
    std::shared_ptr<emu::Module> module;  ///< shared: graphs look whether it is still there
    bool failed = false;
  };
  const void* data = nullptr;
  std::vector<std::uint8_t> image;  ///< of a loaded one, in place of `data`: a copy of its cubin
  std::vector<Loaded> loaded = {};  ///< by device
};

struct RegisteredFunction {
  RegisteredBinary* binary = nullptr;
  std::string name;             ///< mangled name
  int max_dynamic_shared = -1;  ///< set by cudaFuncSetAttribute; -1: the default, 48 KiB less static shared memory
  int preferred_carveout = -1;  ///< percent; -1: the driver's choice
  bool non_portable_cluster = false;
  Dim cluster{0, 0, 0};  ///< set by cudaFuncSetAttribute; 0: not set
};

struct RegisteredVariable {
  RegisteredBinary* binary = nullptr;
  std::string name;
  std::size_t bytes = 0;
  void** managed = nullptr;  ///< the host's pointer to a __managed__ variable
};

/// A texture reference and the object behind it.
struct RegisteredTexture {
  RegisteredBinary* binary = nullptr;
  std::string name;
  std::uint64_t handle = 0;
  bool normalized_float = false;  ///< integers are converted to the range 0 to 1, or -1 to 1 if signed
};

}  // namespace sassim::cuda
