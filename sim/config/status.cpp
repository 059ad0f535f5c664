// SPDX-License-Identifier: Apache-2.0
// Reads the word (measured, documented, assumed, ...) with which the comment beside a value of a YAML file begins.
#include "sim/config/status.h"

#include <array>
#include <utility>

namespace sassim::config {

namespace {

constexpr std::array<std::pair<Status, std::string_view>, 6> kWords{{
    {Status::documented, "documented"},
    {Status::measured, "measured"},
    {Status::carried_over, "carried over"},
    {Status::chosen, "chosen"},
    {Status::assumed, "assumed"},
    {Status::absent, "absent"},
}};

}  // namespace

std::string_view status_word(Status status) {
  for (const auto& [known, word] : kWords)
    if (known == status) return word;
  return {};
}

std::vector<std::string> status_words() {
  std::vector<std::string> words;
  for (const auto& [status, word] : kWords) words.emplace_back(word);
  return words;
}

Reason reason_of(std::string_view comment) {
  for (const auto& [status, word] : kWords) {
    if (!comment.starts_with(word) || comment.size() <= word.size() + 1 || comment[word.size()] != ':') continue;
    std::string_view text = comment.substr(word.size() + 1);
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (!text.empty()) return {status, std::string(text)};
  }
  return {Status::unstated, std::string(comment)};
}

}  // namespace sassim::config
