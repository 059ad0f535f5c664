// SPDX-License-Identifier: Apache-2.0
// What a campaign's worker reads of its point, and what the campaign reads of a failure.
#include <filesystem>

#include "sim/campaign/campaign_folder.h"
#include "tests/fuzz/parser.h"

namespace sassim::fuzz {
namespace {

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

const Register campaign_point_parser("campaign_point", read_campaign_point);

}  // namespace
}  // namespace sassim::fuzz
