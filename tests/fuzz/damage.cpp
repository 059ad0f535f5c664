// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>

#include "tests/fuzz/parser.h"

namespace sassim::fuzz {

namespace {

/// std::uniform_int_distribution gives other numbers with other libraries; this does not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t any() { return engine_(); }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(engine_() % n); }

 private:
  std::mt19937_64 engine_;
};

constexpr std::string_view kMarks = "{}[]()<>,:;#&*!|'\"%@`~+-/=?^._ \t\r\n\\0123456789aAxX\x00\x7f\x80\xff";
constexpr std::array<std::uint64_t, 12> kNumbers{0,      1,          0x7f,       0x80,       0xff,       0x7fff,
                                                 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, ~0ull >> 1, ~0ull};
constexpr std::array<std::string_view, 8> kWords{"-1",   "18446744073709551616", "1e999", "nan",
                                                 "null", "99999999999",          "''",    "\xf0\x9f\x92\xa9"};
constexpr std::array<std::string_view, 7> kNests{"(", "[", "{", "- ", "{\"a\":", "max(", "-"};
constexpr std::size_t kNested = 100'000, kMostRepeats = 200;

void insert(Input& input, std::size_t at, std::string_view text) {
  input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), text.begin(), text.end());
}

Input part(const Input& of, Dice& dice, std::size_t longest) {
  const std::size_t from = dice.below(of.size()), size = std::min(dice.below(longest) + 1, of.size() - from);
  return {of.begin() + static_cast<std::ptrdiff_t>(from), of.begin() + static_cast<std::ptrdiff_t>(from + size)};
}

void put_number(Input& input, std::size_t at, Dice& dice) {
  std::uint64_t number = kNumbers[dice.below(kNumbers.size())];
  if (dice.below(4) == 0) number = input.size() + dice.below(3) - 1;
  for (std::size_t width = std::size_t{1} << dice.below(4); width > 0 && at < input.size(); --width, number >>= 8)
    input[at++] = static_cast<std::uint8_t>(number);
}

void nest(Input& input, std::size_t at, Dice& dice) {
  const std::string_view unit = kNests[dice.below(kNests.size())];
  std::string text;
  while (text.size() < kNested) text += unit;
  insert(input, at, text);
}

void repeat(Input& input, std::size_t at, Dice& dice) {
  const Input piece = part(input, dice, 40);
  Input all;
  for (std::size_t times = 1 + dice.below(kMostRepeats); times > 0; --times)
    all.insert(all.end(), piece.begin(), piece.end());
  input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), all.begin(), all.end());
}

void edit(Input& input, const Input& other, Dice& dice) {
  const std::size_t at = dice.below(input.size());
  const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
  switch (dice.below(9)) {
    case 0:
      input[at] ^= static_cast<std::uint8_t>(1u << dice.below(8));
      break;
    case 1:
      input[at] = static_cast<std::uint8_t>(dice.any());
      break;
    case 2:
      input[at] = static_cast<std::uint8_t>(kMarks[dice.below(kMarks.size())]);
      break;
    case 3:
      put_number(input, at, dice);
      break;
    case 4:
      input.erase(place, place + static_cast<std::ptrdiff_t>(std::min(1 + dice.below(60), input.size() - at)));
      break;
    case 5:
      insert(input, at, kWords[dice.below(kWords.size())]);
      break;
    case 6: {
      const Input piece = part(other, dice, 200);
      input.insert(place, piece.begin(), piece.end());
      break;
    }
    case 7:
      if (dice.below(8) == 0)
        repeat(input, at, dice);
      else
        insert(input, at, kMarks.substr(dice.below(kMarks.size()), 1));
      break;
    default:
      if (dice.below(8) == 0) input.resize(at);
  }
}

}  // namespace

Input damage(const std::vector<Input>& seeds, std::uint64_t round) {
  Dice dice(round);
  Input input = seeds[dice.below(seeds.size())];
  const Input& other = seeds[dice.below(seeds.size())];
  if (round % 200 == 199) nest(input, dice.below(input.size() + 1), dice);
  for (std::size_t edits = 1 + dice.below(4); edits > 0 && !input.empty(); --edits) edit(input, other, dice);
  return input;
}

}  // namespace sassim::fuzz
