// SPDX-License-Identifier: Apache-2.0
// Bundles that are damaged, or made to do harm: one error that names the place, and nothing outside of the folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/bundle/archive_format.h"
#include "tests/e2e/bundle/bundles.h"

namespace sassim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class HostileBundle : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(make_bundle(folder_ / "good.sasb").status, 0);
    good_ = bytes_of(folder_ / "good.sasb");
  }

  /// What unpack() says; "": nothing.
  std::string error_of(const std::string& bytes) {
    const std::string file = folder_ / "bad.sasb", to = folder_ / "to";
    write_file(file, bytes);
    std::filesystem::remove_all(to);
    std::filesystem::create_directory(to);
    try {
      bundle::unpack(file, to);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  static void write_file(const std::string& file, const std::string& bytes) {
    DurableFile out(file, Sync::no);
    out.write(bytes);
    out.commit();
  }

  /// Runs the command on it: one line, status 3.
  void expect_refused(const std::string& file, const std::string& message) {
    const Outcome outcome = sassim_run("reproduce " + file);
    EXPECT_EQ(outcome.status, 3) << outcome.out << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(file), HasSubstr(message)));
  }

  /// The index of the good bundle, with something changed.
  nlohmann::ordered_json good_index() {
    bundle::ArchiveReader archive(folder_ / "good.sasb");
    return nlohmann::ordered_json::parse(archive.text(bundle::kIndex, 1 << 20));
  }

  TestFolder folder_;
  std::string good_;
};

TEST_F(HostileBundle, AChangedByteAnywhereIsFound) {
  std::set<std::string> parts;
  for (std::size_t at = 0; at < good_.size(); at += at < 200 || at + 200 > good_.size() ? 1 : 23) {
    std::string bad = good_;
    bad[at] = static_cast<char>(bad[at] ^ (1 << at % 8));
    const std::string error = error_of(bad);
    EXPECT_THAT(error, HasSubstr("bad.sasb, ")) << "byte " << at;
    for (const char* part : {"bundle.json", "config.yaml", "traces/0.sast", "traces/1.sast", "result.json", "end"})
      if (error.find(std::string("part ") + part + ":") != std::string::npos) parts.insert(part);
  }
  EXPECT_EQ(parts.size(), 6u) << "every part was damaged, and named";
}

TEST_F(HostileBundle, TheErrorNamesThePart) {
  const std::string file = folder_ / "one.sasb";
  auto index = good_index();
  std::vector<Piece> pieces;
  const std::string to = folder_ / "pieces";
  std::filesystem::create_directory(to);
  bundle::unpack(folder_ / "good.sasb", to);
  for (const auto& part : index["parts"])
    pieces.push_back({part["name"], bytes_of(to + "/" + part["name"].get<std::string>())});
  for (Piece& piece : pieces) {
    const Piece whole = piece;
    piece.content[piece.content.size() / 2] ^= 1;
    write_archive(file, index.dump(), pieces);
    expect_refused(file, "part " + piece.name + ": the hash of its content differs from bundle.json");
    piece = whole;
  }
}

TEST_F(HostileBundle, ANumberThatIsNotWholeIsRefused) {
  const std::string file = folder_ / "number.sasb", to = folder_ / "pieces";
  std::filesystem::create_directory(to);
  bundle::unpack(folder_ / "good.sasb", to);
  std::vector<Piece> pieces;
  for (const auto& part : good_index()["parts"])
    pieces.push_back({part["name"], bytes_of(to + "/" + part["name"].get<std::string>())});
  for (const char* key : {"max_cycles", "no_progress_cycles"})
    for (const char* value : {"1e300", "-1", "0.5", "18446744073709551616"}) {
      auto index = good_index();
      index["options"][key] = nlohmann::json::parse(value);
      write_archive(file, index.dump(), pieces);
      expect_refused(file, std::string("\"") + key + "\" is ");
      expect_refused(file, "; expected a whole number from 0 to 18446744073709551615");
    }
  auto index = good_index();
  index["parts"][0]["bytes"] = -1;
  write_archive(file, index.dump(), pieces);
  expect_refused(file, "\"bytes\" is -1; expected a whole number");
}

TEST_F(HostileBundle, IsRefusedWhereverItIsCut) {
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t at = good_.size() * i / 200;
    EXPECT_THAT(error_of(good_.substr(0, at)), HasSubstr("bad.sasb, byte ")) << "cut at " << at;
  }
  for (std::size_t i = 0; i < 200; i += 20) {
    write_file(folder_ / "cut.sasb", good_.substr(0, good_.size() * i / 200));
    expect_refused(folder_ / "cut.sasb", ", byte ");
  }
}

TEST_F(HostileBundle, IsRefusedWhereverItIsCutWithAGoodEnd) {
  const std::string end = good_.substr(good_.size() - bundle::kSumFrame);
  for (std::size_t i = 1; i < 200; ++i) {
    const std::size_t at = (good_.size() - bundle::kSumFrame) * i / 200;
    bundle::RunningHash hash;
    hash.add(std::string_view(good_).substr(0, at));
    std::string sum = end;
    bundle::store(sum.data() + 8, hash.value());
    EXPECT_THAT(error_of(good_.substr(0, at) + sum), HasSubstr("bad.sasb, byte ")) << "cut at " << at;
  }
}

TEST_F(HostileBundle, NamesNeverLeaveTheFolder) {
  const std::string victim = folder_ / "victim";
  for (const std::string& name :
       std::vector<std::string>{"../victim", "traces/../../victim", victim, "traces/0.sast/../../../victim",
                                "traces//0.sast", "traces/01.sast", "/etc/passwd", "traces/1.sast", "..", "."}) {
    const std::vector<Piece> pieces = {{"config.yaml", "x"}, {name, "x"}, {"result.json", "x"}};
    bundle::Index index{.version = "1", .recipe = {}, .parts = parts_of(pieces)};
    index.recipe.traces = {{"t", {name}}};
    const std::string file = folder_ / "names.sasb";
    write_archive(file, bundle::index_text(index), pieces);
    expect_refused(file, "expected traces/0.sast");
    EXPECT_FALSE(std::filesystem::exists(victim)) << name;
  }
}

TEST_F(HostileBundle, NamesInTheArchiveAreThoseOfTheIndex) {
  const std::vector<Piece> right = {{"config.yaml", "x"}, {"result.json", "y"}};
  const auto parts = parts_of(right);
  write_archive(folder_ / "names.sasb", bundle::index_text({.version = "1", .recipe = {}, .parts = parts}),
                {{"config.yaml", "x"}, {"../victim", "y"}});
  expect_refused(folder_ / "names.sasb", "part result.json: its header does not agree with bundle.json");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "victim"));
}

TEST_F(HostileBundle, AnIndexThatMakesNoSenseIsRefused) {
  const auto refused = [&](const nlohmann::ordered_json& index, const std::string& message) {
    write_archive(folder_ / "index.sasb", index.dump(), {{"config.yaml", "x"}});
    expect_refused(folder_ / "index.sasb", message);
  };
  const auto with = [&](const char* pointer, const nlohmann::ordered_json& value) {
    auto index = good_index();
    index[nlohmann::ordered_json::json_pointer(pointer)] = value;
    return index;
  };
  refused(with("/schema", "sassim-bundle/2"), "this sassim reads 'sassim-bundle/1'");
  refused(with("/result_schema", "sassim-result/2"), "this sassim reads 'sassim-result/1'");
  refused(with("/options/caches", "hot"), "\"caches\" is 'hot'");
  refused(with("/options/max_cycles", "many"), "part bundle.json");
  refused(with("/parts", nlohmann::ordered_json::array()), "part config.yaml is missing");
  refused(with("/parts/0/xxh64", "12"), "'12' is not an XXH64");
  refused(with("/parts/0/bytes", std::uint64_t{1} << 60), "but at most 1048576 are allowed");
  refused(with("/parts/0/bytes", 1000000), "larger than a bundle of this size can have");
  refused(with("/parts/9", nullptr), "part bundle.json");
  refused(nlohmann::ordered_json::array(), "part bundle.json");
}

TEST_F(HostileBundle, ASmallFileDoesNotBecomeALargeOne) {
  const std::string zeros(std::size_t{64} << 20, '\0');
  bundle::ArchiveWriter archive(folder_ / "bomb.sasb");
  archive.add(bundle::kIndex, zeros);
  EXPECT_THROW(archive.finish(), InputError) << "the writer does not make one";
}

TEST_F(HostileBundle, AConfigurationStandsByItself) {
  const std::string to = folder_ / "unpacked";
  std::filesystem::create_directory(to);
  bundle::Bundle bundle = bundle::unpack(folder_ / "good.sasb", to);
  for (const char* key : {"base", "generation", "dram", "host", "sample"}) {
    bundle::Recipe recipe = bundle.recipe;
    recipe.config = std::string(key) + ": /dev/zero\n";
    bundle::BundleWriter(recipe).write(folder_ / "base.sasb", bundle.result);
    expect_refused(folder_ / "base.sasb", "part config.yaml:1:1: '" + std::string(key) + "' names another file");
  }
}

TEST_F(HostileBundle, OtherFilesAreNoBundles) {
  expect_refused(kBundledTrace, "byte 0: not a bundle");
  expect_refused("/dev/null", "not a file");
  expect_refused(folder_ / "nowhere.sasb", "no such file");
  write_file(folder_ / "empty", "");
  expect_refused(folder_ / "empty", "byte 0: not a bundle");
}

}  // namespace
}  // namespace sassim
