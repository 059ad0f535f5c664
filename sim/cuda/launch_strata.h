// SPDX-License-Identifier: Apache-2.0
// Times only some of the launches that do the same work (exec --sample-launches). All launches are executed, so their
// warp instructions are known. Those of one kernel with the same shape and about as many warp instructions are a
// stratum. It is timed until the mean of its cycles is known as well as was asked for; from then on launches get the
// reports of the timed ones, in turn, so that their sum has that mean.
//
// What a launch takes depends on what the launch before it left in the caches. So a timed launch counts for the mean
// only if the one before it was timed too, and a launch before one of a stratum that needs samples is timed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/cuda/launch_mode.h"
#include "sim/report/result.h"

namespace sassim::cuda {

class LaunchStrata {
 public:
  /// `wanted`: the largest half of the 95 % interval of a mean, as a part of it.
  explicit LaunchStrata(double wanted) : wanted_(wanted) {}

  /// True if the last launch of this kernel and shape was left out: this one is likely to be, too.
  bool likely_left_out(const DeviceLaunch& request) const;
  /// Call it for each launch that has been executed. True: it is left out, and next_report() stands for its own.
  bool leaves_out(const DeviceLaunch& request, std::uint64_t warp_instructions);
  /// For the launch that leaves_out() was called for last.
  report::KernelReport next_report(std::uint64_t warp_instructions);
  void timed(const report::KernelReport& report);
  /// A launch that is in no stratum was timed: a live one.
  void other_timed();
  /// The caches are those of a new context.
  void renewed();

 private:
  struct Stratum {
    std::uint64_t number = 0, launches = 0;
    std::uint64_t next_check = 16;              ///< the launch that is timed however well the mean is known
    std::vector<double> cycles{};               ///< of timed launches that count, the last ones
    std::vector<report::KernelReport> timed{};  ///< their reports
    std::size_t turn = 0;                       ///< of these, the next to stand for a launch
    const Stratum* followed_by = nullptr;       ///< the stratum of the launch that came after the last one of this
  };
  struct Shape {
    std::map<std::uint64_t, Stratum> strata{};  ///< by warp instructions
    bool left_out = false;                      ///< the last launch
  };
  static std::string name_of(const DeviceLaunch& request);
  bool known(const Stratum& stratum, std::uint64_t launches) const;

  const double wanted_;
  const Stratum outside_{};  ///< of launches that are in no stratum: it is never known
  std::map<std::string, Shape> shapes_;
  std::uint64_t count_ = 0;
  Stratum* last_ = nullptr;        ///< of the last launch; nullptr: it is in none
  bool timed_before_last_ = true;  ///< the launch before it was timed
  bool timed_last_ = true;
};

}  // namespace sassim::cuda
