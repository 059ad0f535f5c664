// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/journal.h"

#include <gtest/gtest.h>

#include <fstream>

#include "sim/base/input_file.h"
#include "tests/support/test_folder.h"

namespace sassim::campaign {
namespace {

using Lines = std::vector<std::string>;

void write(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

const Lines kEvents = {"{\"event\":\"begin\"}", "{\"event\":\"start\",\"key\":\"a\"}", "x", "", "the last one"};

std::string whole_file() {
  std::string text;
  for (const std::string& event : kEvents) text += Journal::line(event);
  return text;
}

TEST(Journal, RemembersAcrossRuns) {
  const TestFolder folder;
  for (const std::string& event : kEvents) Journal(folder / "journal").append(event);
  EXPECT_EQ(Journal(folder / "journal").past(), kEvents);
  EXPECT_EQ(read_whole_file(folder / "journal"), whole_file());
}

// Wherever a killed process stopped writing, what was whole before stays, and the next event is readable after it.
TEST(Journal, TornAtEveryByteKeepsTheWholeLines) {
  const TestFolder folder;
  const std::string file = folder / "journal", all = whole_file();
  for (std::size_t size = 0; size <= all.size(); ++size) {
    write(file, all.substr(0, size));
    Lines whole;
    for (std::size_t end = 0; whole.size() < kEvents.size();) {
      end += Journal::line(kEvents[whole.size()]).size();
      if (end > size) break;
      whole.push_back(kEvents[whole.size()]);
    }
    {
      Journal journal(file);
      EXPECT_EQ(journal.past(), whole) << "cut at " << size;
      EXPECT_EQ(journal.damaged(), 0u);
      journal.append("after");
    }
    whole.emplace_back("after");
    EXPECT_EQ(Journal(file).past(), whole) << "cut at " << size;
  }
}

TEST(Journal, AChangedByteLosesItsLineAlone) {
  const TestFolder folder;
  const std::string file = folder / "journal", all = whole_file();
  for (std::size_t at = 0; at < all.size(); ++at) {
    std::string damaged = all;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write(file, damaged);
    const Lines past = Journal(file).past();
    // A line end that is gone takes the next line along.
    EXPECT_GE(past.size(), kEvents.size() - (all[at] == '\n' ? 2 : 1)) << at;
    EXPECT_LT(past.size(), kEvents.size()) << at;
    for (const std::string& line : past) EXPECT_NE(std::find(kEvents.begin(), kEvents.end(), line), kEvents.end());
  }
}

}  // namespace
}  // namespace sassim::campaign
