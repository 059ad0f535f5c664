// SPDX-License-Identifier: Apache-2.0
// Files without an end, patterns that other matchers never finish, and names that lie to whoever reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "tests/support/program.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kSums = SASSIM_BINARY_DIR "/traces/sm_75/add_sums.sast";

std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Endless, EveryCommandThatReadsAFileStopsAtALimit) {
  const TestFolder folder;
  for (const std::string& endless : {std::string("/dev/zero"), std::string("/dev/urandom")})
    for (const auto& [arguments, message] :
         {std::pair{"run " + kSums + " --config t4 --resume FILE",
                    "FILE: no end after 256 MiB, the limit for a checkpoint"},
          {"compare FILE FILE", "FILE: no end after 256 MiB, the limit for a profile"},
          {"sass FILE --config t4", "FILE: larger than 16 MiB, the limit for a file of SASS"},
          {"validate --config t4 --hardware FILE", "FILE: larger than 64 MiB, the limit for a file of validation data"},
          {"config check - <FILE", "<stdin>: larger than 1 MiB, the limit for a configuration"},
          {"run " + kSums + " --config - <FILE", "<stdin>: larger than 1 MiB, the limit for a configuration"},
          {"trace import " + (folder / "k.traceg") + " " + (folder / "out.sast") + " --cubin FILE",
           "FILE: no end after 256 MiB, the limit for a cubin"},
          {"run FILE --config t4", "FILE: is a folder, a pipe or a device"},
          {"trace import FILE " + (folder / "out.sast"), "FILE: is a folder, a pipe or a device"},
          {"bundle " + (folder / "b.sasb") + " FILE --config t4", "FILE: not a file"},
          {"reproduce FILE", "FILE: not a file"}}) {
      const auto with_file = [&](std::string text) {
        for (std::size_t at = 0; (at = text.find("FILE", at)) != std::string::npos; at += endless.size())
          text.replace(at, 4, endless);
        return text;
      };
      std::filesystem::copy_file(SASSIM_BINARY_DIR "/unpacked/seeds/traceg/version-3", folder / "k.traceg",
                                 std::filesystem::copy_options::overwrite_existing);
      const Outcome outcome = sassim_run(with_file(arguments));
      EXPECT_EQ(outcome.status, 3) << with_file(arguments) << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr(with_file(message))) << with_file(arguments);
    }
}

TEST(Endless, APipeThatIsFedForeverIsReadUpToTheLimit) {
  for (const char* reader : {"compare x /dev/stdin", "sass /dev/stdin --config t4", "config check -"}) {
    const Outcome outcome = run_command("yes | " SASSIM_BINARY_DIR "/sassim " + std::string(reader));
    EXPECT_EQ(outcome.status, 3) << reader;
    EXPECT_THAT(outcome.err, HasSubstr("the limit for a")) << reader;
  }
}

TEST(Patterns, NoneTakesForeverOrCrashes) {
  EXPECT_EQ(sassim_run("run " + kSums + " --config t4 --kernel '(.*)*z'").status, 0);
  EXPECT_EQ(sassim_run("metrics '((a*)*)*$'").status, 0);
  for (const std::string& command : {"run " + kSums + " --config t4 --kernel ", std::string("metrics ")}) {
    const Outcome outcome = sassim_run(command + "'" + std::string(20'000, '(') + "'");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("the pattern has 20000 bytes, the longest allowed has 4096"));
    const Outcome wrong = sassim_run(command + "'ab(?!c)'");
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("'(?!' at byte 3"));
    EXPECT_THAT(wrong.err, HasSubstr("allowed are"));
  }
}

constexpr std::string_view kHidden[] = {"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8f", "\xd8\x9c", "\x1b"};

std::string hidden_in(std::string_view text) {
  for (const std::string_view mark : kHidden)
    if (const std::size_t at = text.find(mark); at != std::string_view::npos)
      return std::string(text.substr(at < 60 ? 0 : at - 60, 90));
  return "";
}

TEST(Names, NoOutputHoldsWhatATerminalObeysOrNobodySees) {
  const TestFolder folder;
  std::string all;
  for (const std::string_view mark : kHidden)
    if (mark != "\x1b") all += mark;  // an importer refuses control characters in names
  const std::string trace = "=a" + all + "b", file = folder / ("n\xe2\x80\xaex.traceg"),
                    gpu = folder / ("g\xd8\x9cy.yaml");
  std::string text = content(SASSIM_BINARY_DIR "/unpacked/seeds/traceg/version-3");
  const std::size_t at = text.find("-kernel name = ") + 15;
  text.replace(at, text.find('\n', at) - at, trace);
  std::ofstream(file) << text;
  std::ofstream(gpu) << "base: v100\nname: \"=g\\e[1m\\u200f<b>\"\n";
  const std::string here = "cd " + folder.path().string() + "; " SASSIM_BINARY_DIR "/sassim ";
  for (const std::string& command : std::vector<std::string>{
           "run '" + file + "' --config '" + gpu +
               "' --json r.json --csv r.csv --csv-ncu n.csv --csv-source s.csv --html r.html",
           "run '" + file + "' --config '" + gpu + "' --page source",
           "run '" + file + "' '" + file + "' --config v100 --mangled", "trace info '" + file + "'",
           "trace lint '" + file + "'", "trace dump '" + file + "'", "trace import '" + file + "' 'o\xe2\x80\xae.sast'",
           "config show '" + gpu + "'", "config check '" + gpu + "'", "config diff '" + gpu + "' v100",
           "bundle 'b\xe2\x80\xae.sasb' '" + file + "' --config '" + gpu + "'",
           std::string("reproduce 'b\xe2\x80\xae.sasb'"), "compare r.json n.csv --html c.html --all",
           "sweep --config '" + gpu + "' --workload sfu --alpha 0 --warps 4 --out sweep",
           "run '" + file + "' --config 'nowhere\xe2\x80\xae'",
           "run '" + file + "' --config t4 --kernel 'no\xe2\x80\xaene'",
           std::string("run 'nowhere\xe2\x80\xae' --config t4"),
           "run '" + file + "' --config v100 --json /nowhere/'\xe2\x80\xae'"}) {
    const Outcome outcome = run_command(here + command);
    EXPECT_NE(outcome.status, 6) << command << outcome.err;
    EXPECT_EQ(hidden_in(outcome.out), "") << command;
    EXPECT_EQ(hidden_in(outcome.err), "") << command;
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    const std::string name = entry.path().string();
    if (!name.ends_with(".csv") && !name.ends_with(".html") && !name.ends_with(".svg")) continue;
    ++files;
    EXPECT_EQ(hidden_in(content(name)), "") << name;
    if (name.ends_with(".csv")) continue;
    EXPECT_THAT(content(name), Not(HasSubstr("=g\\x1b[1m\\xe2\\x80\\x8f<b>"))) << name;
  }
  EXPECT_GE(files, 8u);
  for (const char* name : {"r.csv", "n.csv", "s.csv"}) {
    EXPECT_THAT(content(folder / name), HasSubstr("'=a\\xe2\\x80\\xae")) << name;
    EXPECT_THAT(content(folder / name), Not(HasSubstr(",=a"))) << "no formula: " << name;
    EXPECT_THAT(content(folder / name), Not(HasSubstr("\"=a"))) << "no formula: " << name;
  }
}

}  // namespace
}  // namespace sassim
