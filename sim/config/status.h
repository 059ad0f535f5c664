// SPDX-License-Identifier: Apache-2.0
// How sure a value is: the word at the beginning of the comment beside it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::config {

enum class Status : std::uint8_t {
  unstated,      ///< the comment begins with none of the words
  documented,    ///< by the vendor or a standard
  measured,      ///< on hardware of this generation, by the source named
  carried_over,  ///< measured on other hardware; the comment says why it should hold here
  chosen,        ///< so that the model meets the measurement named, or a setting of the model
  assumed,       ///< no source; a guess to start from
  absent,        ///< the hardware does not have it, with the reason
};

/// "carried over", as comments begin; "" for unstated.
std::string_view status_word(Status status);

/// The words that comments may begin with.
std::vector<std::string> status_words();

/// What a comment says: "measured: V100 report table 3.1" is {measured, "V100 report table 3.1"}.
struct Reason {
  Status status = Status::unstated;
  std::string text;
};
Reason reason_of(std::string_view comment);

}  // namespace sassim::config
