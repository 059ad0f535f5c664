// SPDX-License-Identifier: Apache-2.0
// The description of a GPU to simulate, by name or file, as `--config` and `-o` of the command give it.
#pragma once

#include <sassim/error.h>
#include <sassim/version.h>

#include <memory>
#include <string>
#include <vector>

namespace sassim {

/// Copies share the same immutable values.
class Configuration {
 public:
  /// `gpu`: a name ("t4"; names() lists them) or a YAML file. `overrides`: "KEY=VALUE", such as "l1.size=64KiB". Throws
  /// Error (bad_input) that names the file, line and key.
  static Configuration load(const std::string& gpu, const std::vector<std::string>& overrides = {});
  /// The names of the configurations that are installed.
  static std::vector<std::string> names();

  /// "t4", or with overrides "t4+l1.size=64KiB".
  std::string name() const;
  /// Differs if any value that results depend on differs.
  std::string hash() const;
  /// 75 for sm_75.
  int architecture() const;
  /// Every key with its value; loading this text again gives the same results.
  std::string yaml() const;

  struct Impl;
  /// For the library itself.
  explicit Configuration(std::shared_ptr<const Impl> impl);
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace sassim
