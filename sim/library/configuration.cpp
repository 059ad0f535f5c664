// SPDX-License-Identifier: Apache-2.0
// Implements sassim::Configuration of the library: loads a GPU's configuration, and gives its name, hash and text.
#include <sassim/configuration.h>

#include <utility>

#include "sim/config/dump.h"
#include "sim/config/find.h"
#include "sim/config/loader.h"
#include "sim/library/guarded.h"
#include "sim/library/inside.h"
#include "sim/replay/known_names.h"

namespace sassim {

Configuration::Configuration(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Configuration Configuration::load(const std::string& gpu, const std::vector<std::string>& overrides) {
  return library::guarded([&] {
    config::LoadedConfig loaded = config::read_config(gpu, {overrides, replay::known_names()});
    config::require_valid(loaded);
    config::log_notes(loaded);
    return Configuration(std::make_shared<const Impl>(Impl{std::move(loaded.config)}));
  });
}

std::vector<std::string> Configuration::names() {
  return library::guarded([] {
    std::vector<std::string> names;
    for (const config::ConfigFile& file : config::list_configs()) names.push_back(file.name);
    return names;
  });
}

std::string Configuration::name() const {
  return library::guarded([&] { return config::shown_name(impl_->config); });
}
std::string Configuration::hash() const {
  return library::guarded([&] { return config::config_hash(impl_->config); });
}
int Configuration::architecture() const { return impl_->config.arch; }
std::string Configuration::yaml() const {
  return library::guarded([&] { return config::dump_yaml(impl_->config); });
}

}  // namespace sassim
