// SPDX-License-Identifier: Apache-2.0
// The commands that the README shows work, typed as they stand there but for /tmp, which each test has for itself.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/support/test_folder.h"

namespace sassim {
namespace {

struct Block {
  std::string info;  ///< what follows ``` : "sh", "sh cuda"
  std::vector<std::string> lines;
};

std::vector<Block> code_blocks(const std::string& page) {
  std::ifstream in(std::string(SASSIM_SOURCE_DIR) + "/" + page);
  std::vector<Block> blocks;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      if (!inside) blocks.push_back({line.substr(3), {}});
      inside = !inside;
    } else if (inside) {
      blocks.back().lines.push_back(line);
    }
  }
  return blocks;
}

std::size_t run_commands(const std::string& page) {
  const TestFolder folder;
  const std::regex tmp("/tmp/");
  std::size_t ran = 0;
  for (const Block& block : code_blocks(page)) {
    if (block.info != "sh") continue;
    for (const std::string& line : block.lines) {
      if (!line.starts_with("sassim ")) continue;
      const std::string command = std::string("cd ") + SASSIM_SOURCE_DIR + " && " + SASSIM_COMMAND +
                                  std::regex_replace(line.substr(6), tmp, (folder / "")) + " > /dev/null";
      EXPECT_EQ(std::system(command.c_str()), 0) << line;
      ++ran;
    }
  }
  return ran;
}

TEST(Readme, ItsCommandsSucceed) {
  EXPECT_GE(run_commands("README.md"), 10u) << "the README shows the command at work";
}

TEST(Studies, ItsCommandsSucceed) { EXPECT_GE(run_commands("docs/studies.md"), 2u); }

TEST(Readme, ItsLinksAndFoldersExist) {
  std::ifstream in(std::string(SASSIM_SOURCE_DIR) + "/README.md");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::regex link(R"(\]\(([^)#:]+)\))");
  std::size_t links = 0;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), link); at != std::sregex_iterator(); ++at, ++links)
    EXPECT_TRUE(std::filesystem::exists(std::string(SASSIM_SOURCE_DIR) + "/" + (*at)[1].str())) << (*at)[1];
  EXPECT_GE(links, 3u);
}

}  // namespace
}  // namespace sassim
