// SPDX-License-Identifier: Apache-2.0
// Reads whole numbers from JSON. nlohmann's get<>() converts: it makes some other number of 1e300 or -1.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/base/error.h"

namespace sassim {

/// The value of a member `key`. Throws InputError unless it is a whole number that `Whole`, an unsigned type, can hold.
template <class Whole, class Json>
Whole whole_number(const Json& value, std::string_view key) {
  constexpr std::uint64_t kMost = std::numeric_limits<Whole>::max();
  const bool whole = value.is_number_integer() &&
                     (value.is_number_unsigned() || value.template get<std::int64_t>() >= 0) &&
                     value.template get<std::uint64_t>() <= kMost;
  if (!whole)
    throw InputError("\"{}\" is {}; expected a whole number from 0 to {}", key,
                     value.is_number() ? value.dump() : value.type_name(), kMost);
  return static_cast<Whole>(value.template get<std::uint64_t>());
}

/// The same of a member that must be there (the error is that of Json::at).
template <class Whole, class Json>
Whole whole_at(const Json& object, const char* key) {
  return whole_number<Whole>(object.at(key), key);
}

/// The same of a member that may be absent.
template <class Whole, class Json>
Whole whole_or(const Json& object, const char* key, Whole otherwise) {
  const auto found = object.find(key);
  return found == object.end() ? otherwise : whole_number<Whole>(*found, key);
}

}  // namespace sassim
