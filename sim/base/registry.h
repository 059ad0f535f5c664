// SPDX-License-Identifier: Apache-2.0
// Plug-ins by name: a policy is one source file that registers itself under the name used in YAML.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/suggest.h"

namespace sassim {

/// One registry per interface: `Registry<WarpScheduler, const SmConfig&>`. `Interface::kKind` names it in messages.
template <class Interface, class... Args>
class Registry {
 public:
  using Factory = std::function<std::unique_ptr<Interface>(Args...)>;

  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  void add(const std::string& name, Factory factory) {
    if (!factories_.emplace(name, std::move(factory)).second)
      throw std::logic_error(fmt::format("{} '{}' is registered twice", Interface::kKind, name));
  }

  std::unique_ptr<Interface> make(const std::string& name, Args... args) const {
    auto found = factories_.find(name);
    if (found == factories_.end())
      throw InputError("unknown {} '{}'{}; known: {}", Interface::kKind, name, did_you_mean(name, names()),
                       fmt::join(names(), ", "));
    return found->second(args...);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, factory] : factories_) all.push_back(name);
    return all;
  }

 private:
  std::map<std::string, Factory> factories_;
};

/// `static const Registered<WarpScheduler, Oldest, const SmConfig&> registered("oldest");`
template <class Interface, class Implementation, class... Args>
struct Registered {
  explicit Registered(const char* name) {
    Registry<Interface, Args...>::instance().add(
        name, [](Args... args) -> std::unique_ptr<Interface> { return std::make_unique<Implementation>(args...); });
  }
};

}  // namespace sassim
