// SPDX-License-Identifier: Apache-2.0
// What a campaign keeps.
#include <filesystem>
#include <string>

#include "sim/campaign/campaign_events.h"
#include "sim/campaign/campaign_folder.h"
#include "sim/campaign/journal.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

void read_journal(Bytes input) {
  {
    const InputFile file(input);
    campaign::read_events(campaign::Journal(file.path()).past());
  }
  std::vector<std::string> lines;
  const std::string_view text = text_of(input);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, end - start);
    if (const std::size_t brace = line.find('{'); brace != line.npos) line.remove_prefix(brace);
    lines.emplace_back(line);
    start = end + 1;
  }
  campaign::read_events(lines);
}

const Register journal_parser(
    "journal", "The journal of a campaign: once as it lies on the disk, and once as lines whose checksums hold",
    read_journal);

void read_campaign_point(Bytes input) {
  static const campaign::CampaignFolder folder = [] {
    campaign::CampaignFolder made(scratch_folder());
    made.prepare();
    return made;
  }();
  write_file((folder.root() / "points" / "key.json").string(), input);
  write_file((folder.root() / "failures" / "key.json").string(), input);
  folder.failure("key");
  folder.read_point("key");
}

const Register campaign_point_parser(
    "campaign_point", "What a campaign's worker reads of its point, and what the campaign reads of a failure",
    read_campaign_point);

}  // namespace
}  // namespace sassim::fuzz
