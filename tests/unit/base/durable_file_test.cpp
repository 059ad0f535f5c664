// SPDX-License-Identifier: Apache-2.0
#include "sim/base/durable_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/file_calls.h"
#include "sim/base/input_file.h"
#include "tests/support/test_folder.h"

namespace sassim {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

enum Kind { kOpen, kWrite, kFsync, kClose, kLink, kRename, kKinds };
constexpr std::array<const char*, kKinds> kNames = {"open", "write", "fsync", "close", "link", "rename"};

/// Which call fails, and how: what the table's functions, which have no object, look at.
struct Plan {
  int kind = -1, number = 0, error = 0;
  bool no_unnamed_files = false;  ///< as on NFS
  std::array<int, kKinds> calls{};
};
Plan plan;
FileCalls real;

bool fails(Kind kind) {
  if (plan.calls[kind]++ != plan.number || plan.kind != kind) return false;
  errno = plan.error;
  return true;
}

int open_or_fail(const char* path, int flags, mode_t mode) {
  if (plan.no_unnamed_files && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return fails(kOpen) ? -1 : real.open(path, flags, mode);
}

class DurableFileTest : public ::testing::TestWithParam<bool> {
 protected:
  DurableFileTest() {
    plan = {};
    plan.no_unnamed_files = GetParam();
    real = file_calls();
    file_calls() = {
        .open = open_or_fail,
        .write = [](int d, const void* b, std::size_t n) -> ssize_t {
          return fails(kWrite) ? -1 : real.write(d, b, n);
        },
        .fsync = [](int d) { return fails(kFsync) ? -1 : real.fsync(d); },
        .close =
            [](int d) {
              const bool fail = fails(kClose);
              const int result = real.close(d);
              if (fail) errno = plan.error;
              return fail ? -1 : result;
            },
        .link = [](int d, const char* path) { return fails(kLink) ? -1 : real.link(d, path); },
        .rename = [](const char* from, const char* to) { return fails(kRename) ? -1 : real.rename(from, to); },
    };
  }
  ~DurableFileTest() override { file_calls() = real; }

  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  TestFolder folder_;
  const std::string path_ = folder_ / "result.json";
};

std::string piece(char c) { return std::string(50'000, c); }
const std::string kNew = piece('a') + piece('b') + piece('c') + piece('d');

void write_new(const std::string& path) {
  DurableFile file(path);
  for (const char c : {'a', 'b', 'c', 'd'}) file.write(piece(c));
  file.commit();
}

// Each call in turn fails: there is the old file or the new one, in whole, and nothing else.
TEST_P(DurableFileTest, WhicheverCallFailsTheOldOrTheNewFileIsWhole) {
  write_new(path_);
  const std::array<int, kKinds> all = plan.calls;
  EXPECT_GE(all[kWrite], 3);
  EXPECT_EQ(all[kFsync], 2) << "the file and its folder";
  EXPECT_EQ(all[kRename], 1);
  int failures = 0;
  for (int kind = 0; kind < kKinds; ++kind)
    for (int number = 0; number < all[static_cast<std::size_t>(kind)]; ++number)
      for (const bool old : {false, true}) {
        SCOPED_TRACE(fmt::format("{} number {}", kNames[static_cast<std::size_t>(kind)], number));
        fs::remove(path_);
        plan = {.no_unnamed_files = GetParam()};
        if (old) write_durably(path_, "old");
        plan = {.kind = kind, .number = number, .error = EIO, .no_unnamed_files = GetParam()};
        try {
          write_new(path_);
          // Nobody asks how the folder was closed.
          EXPECT_TRUE(kind == kClose && number == 1);
        } catch (const InputError& error) {
          ++failures;
          EXPECT_EQ(error.status(), ExitStatus::bad_input);
          EXPECT_THAT(error.what(), HasSubstr(path_ + ": cannot be written: Input/output error"));
        }
        const bool renamed = (kind == kFsync && number == 1) || (kind == kOpen && number == 1) || kind == kClose;
        const auto text = read_whole_file(path_);
        if (renamed && text == kNew)
          EXPECT_EQ(files(), 1u);
        else {
          EXPECT_EQ(text, old ? std::optional<std::string>("old") : std::nullopt);
          EXPECT_EQ(files(), old ? 1u : 0u);
        }
      }
  EXPECT_GE(failures, 2 * (all[kOpen] + all[kWrite] + all[kFsync] + all[kLink] + all[kRename]));
}

TEST_P(DurableFileTest, TheReasonAndTheWayOutAreInTheMessage) {
  const std::vector<std::pair<int, std::string>> reasons = {{ENOSPC, "No space left on device; make room"},
                                                            {EFBIG, "File too large; raise the limit"},
                                                            {EROFS, "Read-only file system; name a file"}};
  for (const auto& [number, words] : reasons) {
    plan = {.kind = kWrite, .error = number, .no_unnamed_files = GetParam()};
    try {
      write_durably(path_, "text");
      ADD_FAILURE() << words;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(words));
    }
  }
}

TEST_P(DurableFileTest, AShortWriteAndAnInterruptedOneGoOn) {
  file_calls().write = [](int d, const void* b, std::size_t n) -> ssize_t {
    if (++plan.calls[kWrite] % 2 == 0) {
      errno = EINTR;
      return -1;
    }
    return real.write(d, b, std::min<std::size_t>(n, 7));
  };
  write_durably(path_, "a text of more than seven bytes");
  EXPECT_EQ(read_whole_file(path_), "a text of more than seven bytes");
}

TEST_P(DurableFileTest, WithoutCommitNothingHappens) {
  write_durably(path_, "old");
  {
    DurableFile file(path_);
    file.write(piece('x') + piece('y'));
    EXPECT_EQ(read_whole_file(path_), "old");
    EXPECT_EQ(files(), GetParam() ? 2u : 1u);
  }
  EXPECT_EQ(read_whole_file(path_), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_P(DurableFileTest, AChildProcessLeavesItsParentsFileAlone) {
  DurableFile file(path_);
  file.write("text");
  if (const pid_t child = fork(); child == 0) {
    file.~DurableFile();
    _exit(0);
  } else {
    waitpid(child, nullptr, 0);
  }
  file.commit();
  EXPECT_EQ(read_whole_file(path_), "text");
}

TEST_P(DurableFileTest, ASignalThatEndsTheProcessLeavesNothingBehind) {
  const pid_t child = fork();
  if (child == 0) {
    remove_temporaries_at_signals();
    DurableFile file(path_);
    file.write("half");
    raise(SIGTERM);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  EXPECT_EQ(files(), 0u);
}

TEST_P(DurableFileTest, ALinkStaysAndItsTargetIsReplaced) {
  fs::create_directory(folder_ / "far");
  fs::create_symlink("far/real.json", path_);
  write_durably(path_, "first");  // the target is not there yet
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(read_whole_file(folder_ / "far/real.json"), "first");
  write_durably(path_, "second");
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(read_whole_file(folder_ / "far/real.json"), "second");
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_THROW(write_durably(folder_ / "loop", "x"), InputError);
}

TEST_P(DurableFileTest, AReplacedFileKeepsItsPermissions) {
  write_durably(path_, "old");
  chmod(path_.c_str(), 0640);
  write_durably(path_, "new");
  EXPECT_EQ(fs::status(path_).permissions(), static_cast<fs::perms>(0640));
}

TEST_P(DurableFileTest, PipesAndDevicesGetTheBytes) {
  write_durably("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  write_durably(fmt::format("/dev/fd/{}", ends[1]), "through a pipe");
  char text[32] = {};
  EXPECT_EQ(read(ends[0], text, sizeof text), 14);
  EXPECT_STREQ(text, "through a pipe");
  close(ends[0]);
  close(ends[1]);
  EXPECT_THROW(write_durably("/dev/full", "x"), InputError);
}

// Standard output that goes to a file: what was written there before stays, and what follows comes behind.
TEST_P(DurableFileTest, AnOpenFileOfThisProcessGoesOnWhereItIs) {
  const int descriptor = open(path_.c_str(), O_RDWR | O_CREAT, 0666);
  EXPECT_EQ(write(descriptor, "before ", 7), 7);
  write_durably(fmt::format("/dev/fd/{}", descriptor), "between");
  EXPECT_EQ(write(descriptor, " after", 6), 6);
  close(descriptor);
  EXPECT_EQ(read_whole_file(path_), "before between after");
}

TEST_P(DurableFileTest, AFileThatOpensAndCannotBeReadIsNothing) {
  EXPECT_EQ(read_whole_file(folder_.path()), std::nullopt);  // a folder; as a file of /proc whose process has ended
}

TEST_P(DurableFileTest, SaysWhatIsWrongWithTheName) {
  const auto message = [](const std::string& path) -> std::string {
    try {
      write_durably(path, "x");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(folder_ / "none/a.json"), HasSubstr("make the folder " + (folder_ / "none") + " first"));
  EXPECT_THAT(message(folder_.path().string()), HasSubstr("Is a directory; name a file in it"));
  EXPECT_THAT(message(folder_.path().string() + "/"), HasSubstr("Is a directory"));
  write_durably(path_, "x");
  EXPECT_THAT(message(path_ + "/b.json"), HasSubstr("Not a directory"));
  EXPECT_THAT(message(folder_ / std::string(300, 'n')), HasSubstr("File name too long"));
  EXPECT_EQ(message(folder_ / std::string(255, 'n')), "") << "a temporary name must not be longer";
}

TEST_P(DurableFileTest, TheLimitOfFileSizesIsAnErrorAndKillsNobody) {
  write_durably(path_, "old");
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_durably(path_, kNew);
    } catch (const InputError& error) {
      _exit(std::strstr(error.what(), "File too large") != nullptr ? 3 : 1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(read_whole_file(path_), "old");
  EXPECT_EQ(files(), 1u);
}

INSTANTIATE_TEST_SUITE_P(, DurableFileTest, ::testing::Bool(),
                         [](const auto& kind) { return kind.param ? "Named" : "Unnamed"; });

}  // namespace
}  // namespace sassim
