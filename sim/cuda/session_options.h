// SPDX-License-Identifier: Apache-2.0
// The options from which the runtime makes its session, as `sassim exec` has set them in environment variables. Nothing
// else in the runtime reads environment variables.
#pragma once

#include <string>
#include <vector>

#include "sim/cuda/launch_options.h"

namespace sassim::cuda {

struct SessionOptions {
  std::string config;  ///< NAME or FILE of the GPU; empty: there is no device
  unsigned devices = 1;
  std::vector<std::string> further_configs = {};  ///< FILEs of the devices from 1 on; those without one have `config`
  LaunchOptions launches;
};

/// What `sassim exec` has set.
SessionOptions options_from_environment();
/// The session's folder, for a process whose session could not be made; empty: there is none.
std::string session_folder_from_environment();

}  // namespace sassim::cuda
