// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arch/common/access_observer.h"
#include "arch/common/indices.h"
#include "arch/sm/code/static_code.h"
#include "arch/sm/common/pipeline_observer.h"
#include "sim/base/types.h"
#include "sim/trace/live.h"

namespace sassim::arch {

/// What every SM is told about a kernel that is launched.
struct SmLaunch {
  const StaticCode* code = nullptr;
  Cycle begin{};               ///< when the launch begins
  std::uint32_t blocks = 1;    ///< thread blocks that the SM can hold
  std::uint64_t carveout = 0;  ///< bytes of the L1's array that are shared memory
  bool keep_caches = false;    ///< the SM's own caches of data and constants keep their contents
  PipelineObserver* observer = nullptr;
  AccessObserver* accesses = nullptr;
  std::uint64_t code_prefetch = 0;  ///< bytes of code that the launch brings to the L1 instruction cache
  Cycle code_arrives{};             ///< until then this code is in flight
  std::uint32_t busy_sms = 1;       ///< SMs to which the launch gives thread blocks
  bool keep_code = false;           ///< instruction caches keep the contents that earlier kernels left
  std::uint32_t constant_wait = 0;  ///< cycles for which the launch's constants are in flight from their first use
  /// Pages that earlier launches of the program used; nullptr: every page is known (sm.tlb_scope: program).
  const std::vector<std::uint64_t>* translated = nullptr;
  const trace::LiveMemory* live = nullptr;  ///< memory that live warps read; nullptr: the kernel is a replay
  /// Of launches in a row with this number, an SM that gets no thread block of them need start only the first one, as
  /// all bring the same to its caches (LaunchContents). 0: a launch that every SM must start.
  std::uint64_t repeats = 0;
};

/// What the start of a launch does to the caches of an SM.
struct LaunchContents {
  std::uint64_t code_address, code_bytes, code_prefetch;
  std::uint64_t constant_address, launch_bank_bytes;
  std::vector<std::uint64_t> constants;  ///< number and bytes of each bank
  std::uint64_t carveout, pages;
  const std::vector<std::uint64_t>* translated;
  bool keep_caches, keep_code;

  explicit LaunchContents(const SmLaunch& launch)
      : code_address(launch.code->kernel().code_address),
        code_bytes(launch.code->kernel().code_bytes()),
        code_prefetch(launch.code_prefetch),
        constant_address(launch.code->kernel().constant_address),
        launch_bank_bytes(launch.code->launch_bank_bytes()),
        carveout(launch.carveout),
        pages(launch.translated == nullptr ? 0 : launch.translated->size()),
        translated(launch.translated),
        keep_caches(launch.keep_caches),
        keep_code(launch.keep_code) {
    for (const trace::ConstantBank& bank : launch.code->kernel().constants)
      constants.insert(constants.end(), {bank.bank, bank.bytes.size()});
  }
  bool operator==(const LaunchContents&) const = default;
};

/// How a thread block comes to an SM where launches run side by side.
struct BlockArrival {
  LaunchIndex launch = {};                ///< number of the launch in the static code
  std::optional<std::uint64_t> carveout;  ///< the SM is empty, and its shared memory gets this size
};

}  // namespace sassim::arch
