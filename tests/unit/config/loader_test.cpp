// SPDX-License-Identifier: Apache-2.0
#include "sim/config/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "sim/base/error.h"
#include "sim/config/field.h"
#include "sim/config/gpu_config.h"
#include "sim/isa/architecture.h"
#include "tests/unit/config/load.h"

namespace sassim::config {
namespace {

using ::testing::HasSubstr;

TEST(Loader, DefaultsAreValid) { EXPECT_EQ(problems("{}"), ""); }

TEST(Loader, ReadsValuesWithTheirUnits) {
  const auto loaded = read(
      "clock: {sm: 1.59GHz}\nsm:\n  count: 40\n  l1: {size: 96KiB, replacement: lru}\n"
      "  occupancy: {carveouts: [32KiB, 64KiB], shared_per_block: 64KiB}\n"
      "  pipes: {fp64: {lanes: 2, shared_by_sm: true}, ops: {fp64_fma: {latency: 54}}}\narch: sm_75\n");
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems.front();
  const GpuConfig& c = loaded.config;
  EXPECT_EQ(c.clock.sm, 1'590'000'000u);
  EXPECT_EQ(c.sm.count, 40u);
  EXPECT_EQ(c.sm.l1.size, 96u * 1024);
  EXPECT_EQ(c.sm.l1.replacement, "lru");
  EXPECT_EQ(c.sm.occupancy.carveouts, (std::vector<std::uint64_t>{32768, 65536}));
  EXPECT_TRUE(c.sm.pipes.fp64.shared_by_sm);
  EXPECT_EQ(c.sm.pipes.ops[static_cast<std::size_t>(isa::OpClass::fp64_fma)].latency, 54u);
  EXPECT_EQ(c.arch, 75);
}

TEST(Loader, MisspeltKeyNamesThePlaceAndTheLikelyKey) {
  EXPECT_EQ(problems("sm:\n  l1:\n    hit_lantency: 3\n"),
            "test.yaml:3:5: unknown key 'hit_lantency' in sm.l1 (did you mean 'hit_latency'?)");
  EXPECT_EQ(problems("smm: {}\n"), "test.yaml:1:1: unknown key 'smm' at the top level (did you mean 'sm'?)");
}

TEST(Loader, DuplicateKeyIsRefused) {
  EXPECT_EQ(problems("sm:\n  count: 4\n  l1: {}\n  count: 5\n"),
            "test.yaml:4:3: key 'count' appears twice; the first is in line 2");
  EXPECT_THAT(problems("sm: {}\nsm: {}\n"), HasSubstr("test.yaml:2:1: key 'sm' appears twice"));
}

TEST(Loader, OutOfRangeSaysTheRange) {
  EXPECT_EQ(problems("sm:\n  count: 0\n"), "test.yaml:2:10: sm.count: 0 is out of range; allowed: 1..1024");
  EXPECT_THAT(problems("sm: {l1: {hit_latency: 100000}}"), HasSubstr("allowed: 1..10000 cycles"));
  EXPECT_THAT(problems("sm: {count: 99999999999999999999}"), HasSubstr("is not a whole number"));
  EXPECT_THAT(problems("sm: {count: -1}"), HasSubstr("'-1' is not a whole number"));
}

TEST(Loader, UnknownArchitectureNamesTheKnownOnes) {
  EXPECT_EQ(problems("arch: sm_30"), "test.yaml:1:7: arch: " + isa::unknown_architecture(30));
  EXPECT_EQ(problems("arch: sm_71"), "test.yaml:1:7: arch: " + isa::unknown_architecture(71));
  EXPECT_THAT(problems("arch: sm_4294967366"), HasSubstr("is not supported; the nearest is sm_90"));
}

TEST(Loader, WrongUnitSaysWhatToWrite) {
  EXPECT_THAT(problems("sm: {l1: {size: 64KB}}"), HasSubstr("'64KB' could mean 1000 or 1024 bytes; write 64KiB"));
  EXPECT_THAT(problems("sm: {l1: {size: 64MHz}}"), HasSubstr("has the unit 'MHz'; write a size in bytes, KiB"));
  EXPECT_THAT(problems("clock: {sm: 1590}"), HasSubstr("'1590' has no unit; write a clock in kHz, MHz or GHz"));
  EXPECT_THAT(problems("clock: {sm: 1590Mhz}"), HasSubstr("did you mean 'MHz'?"));
  EXPECT_THAT(problems("sm: {l1: {hit_latency: 28ns}}"),
              HasSubstr("has the unit 'ns', but this is a whole number of cycles"));
}

TEST(Loader, WrongShapeSaysWhatIsExpected) {
  EXPECT_THAT(problems("sm: 3"), HasSubstr("test.yaml:1:5: sm: expected keys below it: count"));
  EXPECT_THAT(problems("sm: {count: [1]}"), HasSubstr("sm.count: expected one value"));
  EXPECT_THAT(problems("sm: {count: }"), HasSubstr("sm.count: expected one value"));
  EXPECT_THAT(problems("sm: {occupancy: {carveouts: 3}}"), HasSubstr("expected a list"));
  EXPECT_THAT(problems("[1, 2]"), HasSubstr("a configuration is a mapping"));
  EXPECT_THAT(problems(""), HasSubstr("a configuration is a mapping"));
  EXPECT_THAT(problems("sm: {register_file: {reuse_cache: maybe}}"), HasSubstr("neither true nor false"));
  EXPECT_THAT(problems("sm: {issue: {dependence: scorebord}}"), HasSubstr("did you mean 'scoreboard'?"));
}

TEST(Loader, BrokenYamlNamesThePlace) {
  EXPECT_THAT(problems("sm: {count: 4\n"), HasSubstr("test.yaml:2:1: not YAML: "));
  EXPECT_THAT(problems("sm: &a {count: 4}\nmemory: *a\n"),
              HasSubstr("test.yaml:2:9: aliases (*name) are not supported"));
  EXPECT_THAT(problems("sm: !!int 4\n"), HasSubstr("tags (!name) are not supported"));
  EXPECT_THAT(problems("{}\n---\n{}\n"), HasSubstr("more than one YAML document"));
  EXPECT_THAT(problems(std::string("sm:\n\0 1", 7)), HasSubstr("test.yaml:2:1: byte 0x00 is not text"));
  EXPECT_NE(problems(std::string(100'000, '[')), "");
}

TEST(Loader, AllProblemsOfAFileAreListed) {
  const auto loaded = read("sm: {count: 0, coutn: 1}\nmemory: {l2: {ways: x}}\n");
  EXPECT_EQ(loaded.problems.size(), 3u);
  EXPECT_THROW(require_valid(loaded), InputError);
}

TEST(Loader, ProvenanceHasPlaceAndComment) {
  const auto loaded =
      read("# of the report\nsm:\n  count: 40  # Table 1\n  shared: {latency: 20}\n", {"l1.size=64KiB"});
  EXPECT_EQ(loaded.provenance.at("sm.count").place, "test.yaml:3:10");
  EXPECT_EQ(loaded.provenance.at("sm.count").comment, "Table 1");
  EXPECT_EQ(loaded.provenance.at("sm.shared.latency").comment, "of the report") << "taken from the group's heading";
  EXPECT_EQ(loaded.provenance.at("sm.l1.size").place, "-o l1.size=64KiB");
  EXPECT_FALSE(loaded.provenance.contains("sm.tlb.entries"));
}

TEST(Loader, TheFileNamesTheGpu) {
  EXPECT_EQ(read("{}").config.name, "test");
  EXPECT_EQ(read("name: mine").config.name, "mine");
}

TEST(Loader, KnownNamesOfPoliciesAreChecked) {
  const LoadOptions options{{}, {{"memory.l2.replacement", {"lru", "random"}}}, true};
  const auto loaded = read_config_text("memory: {l2: {replacement: rl}}", "test.yaml", options);
  ASSERT_EQ(loaded.problems.size(), 1u);
  EXPECT_EQ(loaded.problems.front(), "test.yaml:1:28: memory.l2.replacement: unknown name 'rl'; known: lru, random");
}

}  // namespace
}  // namespace sassim::config

namespace sassim::config {
namespace {

std::string slurp(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string without(std::string text, const char* pattern) { return std::regex_replace(text, std::regex(pattern), ""); }

/// The members that gpu_config.h and the headers of its groups declare, by name.
std::set<std::string> declared_members() {
  const std::filesystem::path folder = std::filesystem::path(SASSIM_SOURCE_DIR) / "sim/config";
  std::string text = slurp(folder / "gpu_config.h");
  for (const auto& group : std::filesystem::directory_iterator(folder / "groups")) text += slurp(group.path());
  text = without(text, "//[^\n]*");
  text = without(text, "\\{[^{};]*\\}");  // initialisers
  const std::regex declaration(R"(\n  [\w:]+(?:<[^;]*>)? ([^;(]+);)");
  const std::regex name(R"((\w+)(?:\s*=[^,]*)?(?:,|$))");
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), declaration), end; it != end; ++it) {
    const std::string list = (*it)[1];
    for (std::sregex_iterator n(list.begin(), list.end(), name); n != end; ++n) names.insert((*n)[1]);
  }
  return names;
}

/// The members that the field lists name.
std::set<std::string> described_members() {
  std::set<std::string> names;
  const std::regex path(R"(\b(?:c|pipes)((?:\.\w+)+)\b)"), name(R"(\w+)");
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(SASSIM_SOURCE_DIR) / "sim/config")) {
    if (!entry.path().filename().string().starts_with("fields_")) continue;
    const std::string text = slurp(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), path), end; it != end; ++it) {
      const std::string members = (*it)[1];
      for (std::sregex_iterator part(members.begin(), members.end(), name); part != end; ++part)
        names.insert(part->str());
    }
  }
  return names;
}

TEST(Fields, EveryMemberOfTheStructsHasALine) {
  auto described = described_members();
  described.insert("modified");  // what -o changed; no key
  const auto members = declared_members();
  ASSERT_GT(members.size(), 100u) << "the groups are not written as this test reads them";
  for (const std::string& member : members)
    EXPECT_TRUE(described.contains(member))
        << "a group has '" << member << "', but no fields_*.cpp describes it: add one line there";
}

TEST(Fields, PathsAreUniqueAndEveryMeaningIsALine) {
  GpuConfig config;
  const FieldList list(config);
  std::set<std::string> paths;
  for (const Field& field : list.fields()) {
    EXPECT_TRUE(paths.insert(field.path).second) << field.path;
    EXPECT_FALSE(field.meaning.empty()) << field.path;
    EXPECT_EQ(field.meaning.find('\n'), std::string::npos) << field.path;
  }
}

TEST(Fields, EveryMeaningIsASentence) {
  GpuConfig config;
  const FieldList list(config);
  const auto check = [](const std::string& path, const std::string& meaning) {
    EXPECT_TRUE(meaning.size() > 8 && std::isupper(static_cast<unsigned char>(meaning[0])) && meaning.back() == '.')
        << path << ": '" << meaning << "' is no sentence";
  };
  for (const Field& field : list.fields()) check(field.path, field.meaning);
  for (const Group& group : list.groups()) check(group.path, group.meaning);
}

TEST(Fields, EveryDefaultIsInItsRange) {
  GpuConfig config;
  const FieldList list(config);
  for (const Field& field : list.fields()) {
    if (field.is_list()) continue;
    EXPECT_EQ(field.spec.unit == Unit::text ? "" : field.parse(field.format()), "")
        << field.path << " = " << field.format();
  }
}

}  // namespace
}  // namespace sassim::config
