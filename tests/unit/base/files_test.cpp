// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/output_target.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr InputKind kSmall{"a small file", 10};

std::string refused(const std::string& path, const InputKind& kind) {
  try {
    return "read: " + read_input_file(path, kind);
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(InputFile, ARegularFileIsReadWhole) {
  const TestFolder folder;
  const std::string path = folder / "file";
  const std::string text = std::string(200'000, 'x') + std::string(1, '\0') + "end";
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(read_input_file(path, kResultFile), text);
  EXPECT_EQ(read_whole_file(path), text);
  std::ofstream(path, std::ios::binary) << "";
  EXPECT_EQ(read_input_file(path, kResultFile), "");
}

TEST(InputFile, ALargerFileThanItsKindIsRefused) {
  const TestFolder folder;
  const std::string path = folder / "file";
  std::ofstream(path) << "0123456789";
  EXPECT_EQ(refused(path, kSmall), "read: 0123456789");
  std::ofstream(path) << "0123456789a";
  EXPECT_EQ(refused(path, kSmall), path + ": larger than 10 bytes, the limit for a small file; name another file");
}

TEST(InputFile, APackedFileIsUnpackedUpToTheLimit) {
  const TestFolder folder;
  const std::string path = folder / "file.xz";
  const auto packed = [&](const std::string& text) {
    std::ofstream(folder / "file") << text;
    ASSERT_EQ(std::system(("xz -kf " + (folder / "file")).c_str()), 0);
  };
  packed("0123456789");
  EXPECT_EQ(refused(path, {"a file", 100}), "read: 0123456789");
  packed(std::string(101, 'x'));
  EXPECT_EQ(refused(path, {"a file", 100}), path + ": its content is larger than 100 bytes; name another file");
  std::filesystem::resize_file(path, 60);
  EXPECT_EQ(refused(path, {"a file", 1000}),
            path + ": damaged or cut off after 60 bytes (liblzma error 10); copy it again");
  std::ofstream(path) << "plain";
  EXPECT_THAT(refused(path, {"a file", 1000}), HasSubstr("damaged"));
}

TEST(InputFile, WhatHasNoEndIsReadUpToTheLimit) {
  for (const char* endless : {"/dev/zero", "/dev/urandom"}) {
    EXPECT_EQ(refused(endless, kSmall),
              std::string(endless) + ": larger than 10 bytes, the limit for a small file; name another file");
  }
  EXPECT_EQ(refused("/dev/zero", kResultFile),
            "/dev/zero: no end after 256 MiB, the limit for a result from a pipe or a device; write it to a regular "
            "file and name that");
}

TEST(InputFile, APipeIsReadToItsEndOrToTheLimit) {
  const TestFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  {
    std::jthread writer([&] { std::ofstream(path) << "some text"; });
    EXPECT_EQ(read_input_file(path, kSmall), "some text");
  }
  std::jthread writer([&] {
    std::ofstream out(path);
    for (int i = 0; i < 10; ++i) out << "more and more";  // fits into the pipe
  });
  EXPECT_THAT(refused(path, kSmall), HasSubstr("larger than 10 bytes"));
}

TEST(InputFile, AFileOfTheSystemThatTellsNoSizeIsRead) {
  EXPECT_THAT(read_input_file("/proc/self/status", kResultFile), StartsWith("Name:"));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they end the process where others throw
TEST(InputFile, AFileTooLargeForThisMachineIsNoMemory) {
  const TestFolder folder;
  const std::string path = folder / "file";
  std::ofstream(path) << "x";
  ASSERT_EQ(truncate(path.c_str(), off_t{1} << 43), 0);
  EXPECT_THROW(read_input_file(path, kResultFile), std::bad_alloc);
}
#endif

TEST(InputFile, TheReasonIsInTheMessage) {
  EXPECT_EQ(refused("/nowhere/file", kSmall), "/nowhere/file: cannot be read: No such file or directory");
  EXPECT_THAT(refused("/", kSmall), EndsWith("cannot be read: Is a directory"));
  EXPECT_EQ(read_whole_file("/nowhere/file"), std::nullopt);
  try {
    read_input_file("/nowhere/file", kSmall, "its name");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), StartsWith("its name: "));
  }
}

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Outputs : public ::testing::Test {
 protected:
  Outputs() { write_durably(trace_, "trace"); }

  ExitStatus check(const std::vector<NamedFile>& outputs) {
    try {
      check_outputs({trace_, folder_ / "missing"}, outputs);
    } catch (const Error& error) {
      message_ = error.what();
      return error.status();
    }
    return ExitStatus::done;
  }

  TestFolder folder_;
  const std::string trace_ = folder_ / "a.sast";
  std::string message_;
};

TEST_F(Outputs, AnInputIsNotOverwrittenUnderAnyOfItsNames) {
  fs::create_symlink("a.sast", folder_ / "link");
  fs::create_hard_link(trace_, folder_ / "hard");
  fs::create_directory(folder_ / "sub");
  for (const char* name : {"a.sast", "link", "hard", "sub/../a.sast"}) {
    EXPECT_EQ(check({{"--json", folder_ / name}}), ExitStatus::usage) << name;
    EXPECT_THAT(message_, HasSubstr("is read by this command")) << name;
  }
  EXPECT_EQ(check({{"--json", folder_ / "b.json"}}), ExitStatus::done);
}

TEST_F(Outputs, TwoOutputsAreTwoFiles) {
  EXPECT_EQ(check({{"--json", folder_ / "x"}, {"--csv", folder_ / "y"}}), ExitStatus::done);
  EXPECT_EQ(check({{"--json", folder_ / "x"}, {"--csv", folder_ / "./x"}}), ExitStatus::usage);
  EXPECT_THAT(message_, HasSubstr("--json writes the same file"));
  fs::create_symlink("x", folder_ / "link");  // to what is not there yet
  EXPECT_EQ(check({{"--json", folder_ / "x"}, {"--csv", folder_ / "link"}}), ExitStatus::usage);
  EXPECT_EQ(check({{"--json", "/dev/null"}, {"--csv", "/dev/null"}}), ExitStatus::done);
  EXPECT_EQ(check({{"--json", ""}, {"--csv", ""}}), ExitStatus::done);
}

TEST_F(Outputs, WhatCannotBeWrittenIsSaidAtTheBeginning) {
  EXPECT_EQ(check({{"--json", folder_ / "none/x"}}), ExitStatus::bad_input);
  EXPECT_THAT(message_, HasSubstr("make the folder"));
}

}  // namespace
}  // namespace sassim
