// SPDX-License-Identifier: Apache-2.0
// The names of the groups of configuration keys, for headers that pass them on without reading them.
#pragma once

namespace sassim::config {

struct CacheGeometry;
struct Clocks;
struct ConstantCaches;
struct CrossbarConfig;
struct DramConfig;
struct Environment;
struct FrontEnd;
struct GpuConfig;
struct Halves;
struct Issue;
struct L1Config;
struct L2Config;
struct Launch;
struct Match;
struct Memory;
struct MemoryIo;
struct Occupancy;
struct OpConfig;
struct PipeConfig;
struct Pipes;
struct RegisterFile;
struct SharedMemory;
struct Sm;
struct Tensor;
struct TlbConfig;

}  // namespace sassim::config
