// SPDX-License-Identifier: Apache-2.0
// Which line of a set goes when another one comes. A policy is one file of this folder's replacement/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sassim::arch {

class Replacement {
 public:
  static constexpr const char* kKind = "replacement policy";
  virtual ~Replacement() = default;
  /// A line is named by set * ways + way.
  virtual void used(std::size_t line) = 0;
  virtual void filled(std::size_t line) = 0;
  /// Which of the ways that `usable` allows goes; at least one is allowed.
  virtual std::uint32_t victim(std::size_t set, const std::uint8_t* usable) = 0;
  virtual void clear() = 0;

  /// Throws InputError naming the known ones.
  static std::unique_ptr<Replacement> make(const std::string& name, std::size_t sets, std::uint32_t ways);
};

}  // namespace sassim::arch
