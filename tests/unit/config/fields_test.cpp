// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "sim/config/field.h"
#include "sim/config/gpu_config.h"

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
