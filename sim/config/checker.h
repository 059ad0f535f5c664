// SPDX-License-Identifier: Apache-2.0
// What the checks of a configuration share: Checker, which reports a problem with the place of the value, and
// ConfigCheck, with which parts of the hardware register checks of their own. Also the parts of check() (check.h).
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "sim/base/registry.h"
#include "sim/config/loader.h"
#include "sim/config/units.h"

namespace sassim::config {

inline std::string size_text(std::uint64_t bytes) { return format_quantity(bytes, Unit::bytes); }

class Checker {
 public:
  explicit Checker(LoadedConfig& loaded) : loaded_(loaded) {}

  /// The level of the file or option that set the key (Provenance); 0: it has its default.
  int level(std::string_view key) const {
    const auto found = loaded_.provenance.find(key);
    return found == loaded_.provenance.end() ? 0 : found->second.level;
  }
  /// Adds a problem: why the value of `key` is wrong, with the place where it was set.
  void refuse(std::string_view key, const std::string& why) {
    const auto found = loaded_.provenance.find(key);
    loaded_.problems.push_back(
        fmt::format("{}: {}: {}", found == loaded_.provenance.end() ? "default" : found->second.place, key, why));
  }
  /// Adds a note for the user.
  void note(std::string text) { loaded_.notes.push_back(std::move(text)); }

  void power_of_two(std::string_view key, std::uint64_t value) {
    if (!std::has_single_bit(value)) refuse(key, fmt::format("{} is not a power of two", size_text(value)));
  }
  /// `what` describes `unit`, such as "128B lines x 16 ways".
  void whole_number(std::string_view key, std::uint64_t value, std::uint64_t unit, const std::string& what) {
    if (unit == 0 || value % unit == 0) return;
    const std::uint64_t below = value / unit * unit;
    const std::string nearest =
        below == 0 ? size_text(unit) : fmt::format("{} or {}", size_text(below), size_text(below + unit));
    refuse(key, fmt::format("{} is not a whole number of {} = {}; nearest: {}", size_text(value), what, size_text(unit),
                            nearest));
  }

 private:
  LoadedConfig& loaded_;
};

/// A check of values that one part of the hardware reads together. A part registers its check under its group's key:
/// `Registered<ConfigCheck, MyCheck>("memory.dram")`.
class ConfigCheck {
 public:
  static constexpr const char* kKind = "check of a configuration";
  virtual ~ConfigCheck() = default;
  virtual void check(Checker& c, const GpuConfig& config) const = 0;
};
using ConfigChecks = Registry<ConfigCheck>;

void check_sectors(Checker& c, const std::string& path, std::uint32_t line, std::uint32_t sector);
void check_tlb(Checker& c, const std::string& path, const TlbConfig& tlb);
void check_memory(Checker& c, const GpuConfig& config);
/// Limits the simulator's own memory: the lines of all caches and the entries of all TLBs together.
void check_storage(Checker& c, const GpuConfig& config);

}  // namespace sassim::config
