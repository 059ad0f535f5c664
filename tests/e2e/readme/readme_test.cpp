// SPDX-License-Identifier: Apache-2.0
// The commands that pages show work, typed as they stand there but for /tmp, which each test has for itself, and the
// output shown is what they give. SASSIM_UPDATE=1 brings the output in the README up to date.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/e2e/readme/console.h"
#include "tests/support/program.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

const std::string kRoot = SASSIM_SOURCE_DIR "/";

std::string read(const std::string& page) {
  std::ifstream in(kRoot + page);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// In the source tree, with `sassim` as the program that was built and Debian's CUDA, as the page says; without the
/// line that a command prints each minute where the machine is slow.
Outcome run_shown(const std::string& command, const std::string& folder) {
  return run_command("exec 2>&1; cd " + kRoot +
                     "; PATH=/usr/bin:$PATH; export SASSIM_HEARTBEAT=0; sassim() { " SASSIM_COMMAND " \"$@\"; }; " +
                     replaced(command, "/tmp/", folder));
}

/// Runs what a page shows; returns how many commands that were.
std::size_t run_console(const std::string& page, bool cuda) {
  const TestFolder folder;
  Lines lines = split_lines(read(page));
  const std::vector<ShownCommand> commands = shown_commands(lines);
  std::size_t ran = 0, moved = 0;
  for (const ShownCommand& shown : commands) {
    if ((shown.info == "console cuda") != cuda) continue;
    const Outcome outcome = run_shown(shown.command, folder / "");
    const Lines output = split_lines(replaced(outcome.out, folder / "", "/tmp/"));
    EXPECT_EQ(outcome.status, 0) << shown.command << "\n" << outcome.out;
    Lines expected = shown.output;
    if (std::getenv("SASSIM_UPDATE") && !shows(shown.output, output)) {
      expected = updated(shown.output, output);
      const auto at = lines.begin() + static_cast<std::ptrdiff_t>(shown.line + moved);
      lines.insert(lines.erase(at, at + static_cast<std::ptrdiff_t>(shown.output.size())), expected.begin(),
                   expected.end());
      moved += expected.size() - shown.output.size();
    }
    EXPECT_TRUE(shows(expected, output)) << page << ":" << shown.line << " shows another output than this of\n"
                                         << shown.command << "\n"
                                         << outcome.out << "(SASSIM_UPDATE=1 and this test bring the page up to date)";
    ++ran;
  }
  if (std::getenv("SASSIM_UPDATE")) {
    std::ofstream out(kRoot + page);
    for (const std::string& line : lines) out << line << "\n";
  }
  return ran;
}

/// Blocks ```sh: their commands succeed.
std::size_t run_scripts(const std::string& page) {
  const TestFolder folder;
  std::size_t ran = 0;
  std::string info;
  for (const std::string& line : split_lines(read(page))) {
    if (line.starts_with("```")) info = line.substr(3);
    if (info != "sh" || !line.starts_with("sassim ")) continue;
    const Outcome outcome = run_shown(line, folder / "");
    EXPECT_EQ(outcome.status, 0) << line << "\n" << outcome.out;
    ++ran;
  }
  return ran;
}

TEST(Readme, ItsCommandsGiveTheOutputShown) {
  EXPECT_GE(run_console("README.md", false), 10u) << "the README shows the command at work";
}

TEST(Readme, ItsCommandsForCudaGiveTheOutputShown) {
  if (!SASSIM_HAS_CUDA) GTEST_SKIP() << "CUDA 11.8 is not installed (tools/bootstrap --with-cuda)";
  EXPECT_GE(run_console("README.md", true), 2u);
}

/// The pages below docs/ that show a command at work, as parameters of a test each.
std::vector<std::string> pages_with_commands() {
  std::vector<std::string> pages;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot + "docs"))
    if (entry.path().extension() == ".md" &&
        read("docs/" + entry.path().filename().string()).find("```console") != std::string::npos)
      pages.push_back(entry.path().stem().string());
  std::sort(pages.begin(), pages.end());
  return pages;
}

class ReadmePages : public testing::TestWithParam<std::string> {};

TEST_P(ReadmePages, ItsCommandsGiveTheOutputShown) {
  const std::size_t ran = run_console("docs/" + GetParam() + ".md", false);
  if (SASSIM_HAS_CUDA)
    EXPECT_GE(ran + run_console("docs/" + GetParam() + ".md", true), 1u);
  else if (ran == 0)
    GTEST_SKIP() << "CUDA 11.8 is not installed (tools/bootstrap --with-cuda)";
}

INSTANTIATE_TEST_SUITE_P(Docs, ReadmePages, testing::ValuesIn(pages_with_commands()), [](const auto& page) {
  return std::regex_replace(page.param, std::regex("[^a-zA-Z0-9]"), "_");
});

TEST(Studies, ItsCommandsSucceed) { EXPECT_GE(run_scripts("docs/studies.md"), 2u); }

TEST(Readme, ItsLinksAndFoldersExist) {
  for (const char* page : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "validation/README.md",
                           "docs/configuration.md", "docs/studies.md"}) {
    const std::string text = read(page);
    const auto folder = std::filesystem::path(kRoot + page).parent_path();
    const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), link); at != std::sregex_iterator(); ++at)
      EXPECT_TRUE(std::filesystem::exists(folder / (*at)[1].str())) << page << ": " << (*at)[1];
    EXPECT_FALSE(text.empty()) << page;
  }
}

TEST(Console, DotsStandForLinesOrForTextWithinALine) {
  const Lines output{"cycles 12", "hits 3 %", "hits 4 %", "written to /tmp/x: a, b, c"};
  EXPECT_TRUE(shows(output, output));
  EXPECT_TRUE(shows({"cycles 12", "...", "hits 4 %", "written to /tmp/x: a..."}, output));
  EXPECT_TRUE(shows({"..."}, output));
  EXPECT_TRUE(shows({"...", "written ...: a, ... c"}, output));
  EXPECT_FALSE(shows({"cycles 13", "..."}, output)) << "a number differs";
  EXPECT_FALSE(shows({"cycles 12"}, output)) << "lines are missing at the end";
  EXPECT_FALSE(shows({"...", "hits 3 %"}, output)) << "something follows";
  EXPECT_FALSE(shows({"...", "hits 4 %", "hits 3 %", "..."}, output)) << "in another order";
  EXPECT_FALSE(shows({}, output)) << "nothing is shown";
}

TEST(Console, CommandsAndTheirOutputAreFound) {
  const auto found = shown_commands({"text", "```console", "$ sassim a", "one", "", "$ sassim b", "```", "$ no command",
                                     "```sh", "$ nor this", "```", "```console cuda", "$ nvcc c", "two", "```"});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].command, "sassim a");
  EXPECT_EQ(found[0].output, (Lines{"one", ""}));
  EXPECT_EQ(found[0].line, 3u);
  EXPECT_EQ(found[1].output, Lines{});
  EXPECT_EQ(found[2].info, "console cuda");
}

TEST(Console, AnUpdateKeepsWhatIsLeftOut) {
  const Lines output{"cycles 5 007 cycle", "hits -3 %", "bar 9.5 % ###", "written to /tmp/x: a, b, c"};
  EXPECT_EQ(updated({"cycles   12 cycle", "...", "bar 12 % ####", "written to /tmp/x: a..."}, output),
            (Lines{"cycles 5 007 cycle", "...", "bar 9.5 % ###", "written to /tmp/x: a..."}));
  EXPECT_EQ(updated({}, output), output);
  EXPECT_EQ(updated({"misses 3"}, output), Lines{"misses 3"});
}

}  // namespace
}  // namespace sassim
