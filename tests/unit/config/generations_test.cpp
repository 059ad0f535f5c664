// SPDX-License-Identifier: Apache-2.0
// The layers that ship: what they must say, and that no number stands in two places and differs.
#include <gtest/gtest.h>

#include <filesystem>

#include "sim/config/field.h"
#include "sim/config/layers.h"
#include "sim/config/status.h"
#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

/// One layer and its bases alone.
LoadedConfig layer(const std::string& name) {
  const std::string path = SASSIM_SOURCE_DIR "/configs/" + name + ".yaml";
  return read_config_text(read_text(path), path, {{}, {}, true});
}

bool set_in(const LoadedConfig& loaded, const std::string& path, const std::string& file) {
  const auto found = loaded.provenance.find(path);
  return found != loaded.provenance.end() && found->second.place.find(file + ".yaml:") != std::string::npos;
}

TEST(Generations, DefaultsAreTheCommonValues) {
  GpuConfig defaults;
  auto common = layer("generations/common");
  const FieldList expected(common.config), actual(defaults);
  int compared = 0;
  for (std::size_t i = 0; i < expected.fields().size(); ++i) {
    const Field& field = expected.fields()[i];
    // The table of op classes has one default for all.
    if (!set_in(common, field.path, "common") || field.path.starts_with("sm.pipes.ops.")) continue;
    EXPECT_EQ(actual.fields()[i].format(), field.format())
        << field.path << ": its group's header and " << common.provenance.at(field.path).place << " differ";
    ++compared;
  }
  EXPECT_GT(compared, 150);
}

TEST(Generations, VoltaAndTuringDecideWhatIsKnownOfHopper) {
  auto hopper = layer("generations/hopper");
  const FieldList list(hopper.config);
  for (const char* name : {"volta", "turing"}) {
    const auto loaded = layer(std::string("generations/") + name);
    int decided = 0;
    for (const Field& field : list.fields()) {
      if (!set_in(hopper, field.path, "hopper")) continue;
      const auto found = loaded.provenance.find(field.path);
      ASSERT_NE(found, loaded.provenance.end())
          << field.path << ": hopper.yaml has it; say in " << name << ".yaml what is known of it there, or why 'none'";
      const Status status = reason_of(found->second.comment).status;
      EXPECT_NE(status, Status::unstated) << found->second.place;
      if (set_in(loaded, field.path, name))
        ++decided;
      else
        EXPECT_NE(status, Status::assumed)
            << field.path << ": hopper.yaml has it and common.yaml only assumes it; decide in " << name << ".yaml";
    }
    EXPECT_GT(decided, 90) << name;
  }
}

TEST(Generations, EveryValueOfEveryLayerHasAReason) {
  for (const char* folder : {"generations", "dram", "hosts", "samples"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::string(SASSIM_SOURCE_DIR "/configs/") + folder)) {
      const auto loaded = layer(folder + ("/" + entry.path().stem().string()));
      // A layer alone need not fit the sizes of the chip that the defaults are, and a sample is no chip.
      for (const std::string& problem : loaded.problems)
        EXPECT_TRUE(problem.starts_with("default: ") || problem.ends_with("made_for_sms: belongs into a sample"))
            << problem;
      for (const auto& [path, from] : loaded.provenance)
        EXPECT_TRUE(from.level == 0 || reason_of(from.comment).status != Status::unstated)
            << from.place << ": " << path << ": '" << from.comment << "'";
    }
  }
}

}  // namespace
}  // namespace sassim::config
