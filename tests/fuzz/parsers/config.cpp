// SPDX-License-Identifier: Apache-2.0
// A configuration's YAML. What is valid is written and read again.
#include <stdexcept>

#include "sim/config/dump.h"
#include "sim/config/loader.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_config_yaml(Bytes input) {
  const config::LoadOptions partial{{}, {}, true};
  const auto loaded = config::read_config_text(std::string(text_of(input)), "fuzz.yaml", partial);
  if (!loaded.problems.empty()) return;
  const auto again = config::read_config_text(config::dump_yaml(loaded.config), "again.yaml", partial);
  if (!again.problems.empty() || config::config_hash(again.config) != config::config_hash(loaded.config))
    throw std::logic_error("a configuration that was written does not read as the same");
}

const Register config_parser("config", read_config_yaml);

}  // namespace
}  // namespace sassim::fuzz
