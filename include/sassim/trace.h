// SPDX-License-Identifier: Apache-2.0
// What kernels executed: the input of a simulation.
#pragma once

#include <sassim/configuration.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sassim {

using Shape = std::array<std::uint32_t, 3>;

struct KernelInfo {
  std::string name;  ///< as the program has it, mangled
  Shape grid{}, block{};
  int architecture = 0;  ///< 75 for sm_75
  std::string hash;      ///< of the trace's contents
};

/// The kernels of an application in the order of their launches. Copies share them.
class Trace {
 public:
  /// A .sast file, or a folder of Accel-Sim traces. Throws Error (bad_input).
  static Trace open(const std::string& path);
  /// Several files one behind the other, as one application.
  static Trace open(const std::vector<std::string>& paths);
  /// Runs a CUDA program (linked with -cudart shared) without timing and keeps the trace of each launch in a folder,
  /// which must be new or empty. Throws Error, also if the program fails.
  static Trace record(const std::vector<std::string>& program, const Configuration& configuration,
                      const std::string& folder);

  std::size_t size() const;
  /// Reads the head of the kernel, not its body.
  KernelInfo kernel(std::size_t number) const;

  struct Impl;
  /// For the library itself.
  explicit Trace(std::shared_ptr<const Impl> impl);
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace sassim
