// SPDX-License-Identifier: Apache-2.0
// What ptxas has made of a program's PTX, kept between runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::isa {

/// A cubin in the folder that SASSIM_PTX_CACHE names (empty: there is no cache), else in sassim/ptx of the user's cache
/// folder. Its name is a hash of the text, the target and the compiler, so that nothing has to be checked but damage.
/// Processes may use the folder at the same time: a file is complete or not there.
class KeptCubin {
 public:
  /// `compiler`: the path of ptxas, with its size and time of change part of the name.
  KeptCubin(std::string_view text, int sm, const std::string& compiler);
  /// nullopt if it is not there or damaged.
  std::optional<std::vector<std::uint8_t>> read() const;
  /// A failure to keep it is ignored.
  void keep(std::span<const std::uint8_t> cubin) const;
  /// Empty if there is no cache.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace sassim::isa
