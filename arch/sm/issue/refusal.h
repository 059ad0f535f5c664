// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "arch/sm/code/static_code.h"
#include "arch/sm/common/stall_reason.h"

namespace sassim::arch {

/// The stall reason of a warp whose next instruction needs a busy pipe or queue.
constexpr StallReason refusal(Resource resource) {
  switch (resource) {
    case Resource::local_global:
      return StallReason::lg_throttle;
    case Resource::texture:
      return StallReason::tex_throttle;
    case Resource::shared:
    case Resource::constant:
    case Resource::mio:
    case Resource::adu:
    case Resource::xu:
      return StallReason::mio_throttle;
    default:
      return StallReason::math_pipe_throttle;
  }
}

}  // namespace sassim::arch
