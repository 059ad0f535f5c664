// SPDX-License-Identifier: Apache-2.0
// Declares for each group of keys the function that lists its keys (fields_*.cpp).
#pragma once

#include "sim/config/field.h"
#include "sim/config/gpu_config.h"

namespace sassim::config {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20, kGiB = std::uint64_t{1} << 30;

void describe(FieldList&, GpuConfig&);
void describe(FieldList&, Clocks&);
void describe(FieldList&, Launch&);
void describe(FieldList&, Environment&);
void describe(FieldList&, CacheGeometry&);

void describe(FieldList&, Sm&);
void describe(FieldList&, Occupancy&);
void describe(FieldList&, FrontEnd&);
void describe(FieldList&, Issue&);
void describe(FieldList&, RegisterFile&);
void describe(FieldList&, ConstantCaches&);
void describe(FieldList&, MemoryIo&);
void describe(FieldList&, L1Config&);
void describe(FieldList&, SharedMemory&);

void describe(FieldList&, Pipes&);
void describe(FieldList&, PipeConfig&);
void describe(FieldList&, Tensor&);
void describe(FieldList&, OpConfig&);

void describe(FieldList&, Memory&);
void describe(FieldList&, TlbConfig&);
void describe(FieldList&, CrossbarConfig&);
void describe(FieldList&, L2Config&);
void describe(FieldList&, DramConfig&);

}  // namespace sassim::config
