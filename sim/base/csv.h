// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sassim {

/// A cell of a CSV file. Spreadsheets take a cell that begins with = + - @ or with a tab or carriage return as a
/// formula, which may start programs: such a text gets a ' in front, as OWASP recommends ("CSV Injection"). A number
/// stays as it is. A text with commas, quotes or line ends is put in quotes.
std::string csv_cell(std::string_view text);

/// The same, always in quotes, as Nsight Compute writes its cells.
std::string quoted_csv_cell(std::string_view text);

}  // namespace sassim
