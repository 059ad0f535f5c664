// SPDX-License-Identifier: Apache-2.0
// What options of the command take: -o KEY=VALUE and lists of numbers, one of each.
#include "sim/base/number_list.h"
#include "sim/config/field.h"
#include "sim/config/key_path.h"
#include "sim/config/settle.h"
#include "sim/config/units.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

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

const Register override_parser("override", read_override);

}  // namespace
}  // namespace sassim::fuzz
