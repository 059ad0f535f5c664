// SPDX-License-Identifier: Apache-2.0
// A fresh folder for a test, removed afterwards.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace sassim {

class TestFolder {
 public:
  TestFolder() {
    // In memory where that can be had: what is tested reaches for the disk after every line.
    const std::filesystem::path memory = "/dev/shm";
    const auto parent = access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
    std::string name = (parent / "sassim-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace sassim
