// SPDX-License-Identifier: Apache-2.0
// Lines of CUDA source beside their SASS: their text, where the file is here, and what they cost together.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/report/result.h"

namespace sassim::report {

/// The sources of a kernel. A file is read when its first line is asked for; a text is empty if the file is not here.
class CudaSources {
 public:
  /// "app.cu:12", without folders: cuda_lines_text() has the paths.
  std::string place(const LineStalls& line) const;
  /// The source text of the line, without the spaces around it.
  std::string text(const LineStalls& line);

 private:
  const std::vector<std::string>& lines_of(const std::string& file);

  std::map<std::string, std::vector<std::string>> files_;
};

/// What the SASS of a line of CUDA source cost together.
struct CudaLine {
  const LineStalls* first = nullptr;  ///< an instruction of the line
  std::uint64_t cycles = 0, executed = 0;
};

/// Those that have a source, the most warp cycles first.
std::vector<CudaLine> cuda_lines(const KernelReport& kernel);

/// A table of them, with each file's path once; empty if no line has a source.
std::string cuda_lines_text(const KernelReport& kernel, CudaSources& sources);

}  // namespace sassim::report
