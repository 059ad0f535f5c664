// SPDX-License-Identifier: Apache-2.0
// How reliable a value is: the first word of the comment beside it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sassim::config {

enum class Status : std::uint8_t {
  unstated,      ///< the comment begins with no such word
  documented,    ///< by the vendor or by a standard
  measured,      ///< on hardware of this generation, by the cited source
  carried_over,  ///< measured on other hardware; the comment says why it should apply here
  chosen,        ///< so that the model meets the cited measurement; or a setting of the model
  assumed,       ///< an estimate without a source
  absent,        ///< the hardware lacks it; the comment gives the reason
};

/// "carried over" and so on, as in comments; "" for unstated.
std::string_view status_word(Status status);

/// The words that comments may begin with.
std::vector<std::string> status_words();

/// The parts of a comment: "measured: V100 report table 3.1" is {measured, "V100 report table 3.1"}.
struct Reason {
  Status status = Status::unstated;
  std::string text;
};
Reason reason_of(std::string_view comment);

}  // namespace sassim::config
