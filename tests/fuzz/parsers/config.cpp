// SPDX-License-Identifier: Apache-2.0
// Configurations and options.
#include <stdexcept>

#include "sim/base/number_list.h"
#include "sim/config/dump.h"
#include "sim/config/field.h"
#include "sim/config/key_path.h"
#include "sim/config/loader.h"
#include "sim/config/settle.h"
#include "sim/config/units.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

// What is valid is written and read again.
void read_config_yaml(Bytes input) {
  const config::LoadOptions partial{{}, {}, true};
  const auto loaded = config::read_config_text(std::string(text_of(input)), "fuzz.yaml", partial);
  if (!loaded.problems.empty()) return;
  const auto again = config::read_config_text(config::dump_yaml(loaded.config), "again.yaml", partial);
  if (!again.problems.empty() || config::config_hash(again.config) != config::config_hash(loaded.config))
    throw std::logic_error("a configuration that was written does not read as the same");
}

const Register config_parser("config", "A configuration's YAML", read_config_yaml);

void read_override(Bytes input) {
  if (input.empty()) return;
  const std::string_view text = text_of(input.subspan(1));
  std::uint64_t value = 0;
  std::string problem;
  switch (input[0] % 4) {
    case 0:
      parse_number_list(text, "--list");
      break;
    case 1:
      parse_integer_list(text, "--list", 0);
      break;
    case 2:
      config::parse_time(text, problem);
      break;
    default:
      for (const config::Unit unit : {config::Unit::count, config::Unit::bytes, config::Unit::hertz, config::Unit::rate,
                                      config::Unit::arch, config::Unit::cycles})
        if (config::parse_quantity(text, unit, value).empty()) config::format_quantity(value, unit);
  }
}

const Register override_parser("override",
                               "What options of the command take: -o KEY=VALUE and lists of numbers, one of each",
                               read_override);

}  // namespace
}  // namespace sassim::fuzz
