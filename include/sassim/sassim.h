// SPDX-License-Identifier: Apache-2.0
// All of the library, without SystemC (sassim/gpu_module.h has that). docs/library.md explains it.
#pragma once

#include <sassim/configuration.h>
#include <sassim/error.h>
#include <sassim/gpu.h>
#include <sassim/result.h>
#include <sassim/trace.h>
#include <sassim/version.h>
