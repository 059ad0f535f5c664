// SPDX-License-Identifier: Apache-2.0
// The binary interface of the CUDA 11 runtime that programs built with `nvcc -cudart shared` use: values of
// enumerations and layouts of structs. tests/stage/cuda compares them with the toolkit's headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sassim::cuda {

/// cudaError_t
enum Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInitializationError = 3,
  kInvalidConfiguration = 9,
  kInvalidPitchValue = 12,
  kInvalidSymbol = 13,
  kInvalidTexture = 18,
  kInvalidMemcpyDirection = 21,
  kInsufficientDriver = 35,
  kDevicesUnavailable = 46,
  kMissingConfiguration = 52,
  kInvalidDeviceFunction = 98,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidKernelImage = 200,
  kInvalidContext = 201,
  kNoKernelImageForDevice = 209,
  kUnsupportedLimit = 215,
  kPeerAccessUnsupported = 217,
  kJitCompilerNotFound = 221,
  kInvalidSource = 300,
  kFileNotFound = 301,
  kInvalidResourceHandle = 400,
  kIllegalState = 401,
  kSymbolNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kPeerAccessAlreadyEnabled = 704,
  kPeerAccessNotEnabled = 705,
  kPrimaryContextActive = 708,
  kContextIsDestroyed = 709,
  kAssert = 710,
  kHostMemoryAlreadyRegistered = 712,
  kHostMemoryNotRegistered = 713,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailure = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotPermitted = 800,
  kNotSupported = 801,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureMerge = 902,
  kCaptureUnmatched = 903,
  kCaptureUnjoined = 904,
  kCaptureIsolation = 905,
  kCaptureImplicit = 906,
  kCapturedEvent = 907,
  kGraphExecUpdateFailure = 910,
  kInvalidClusterSize = 912,
  kUnknown = 999,
};

/// cudaMemcpyKind
enum CopyKind : int { kHostToHost = 0, kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3, kDefaultCopy = 4 };

/// dim3
struct Dim {
  unsigned x, y, z;
};

using Stream = struct StreamState*;
using Event = struct EventState*;
inline Stream const kLegacyStream = reinterpret_cast<Stream>(std::uintptr_t{1});
inline Stream const kPerThreadStream = reinterpret_cast<Stream>(std::uintptr_t{2});

/// The argument of __cudaRegisterFatBinary.
struct FatbinWrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* file;
};
inline constexpr std::uint32_t kFatbinWrapperMagic = 0x466243b1;

/// cudaFuncAttributes
struct FunctionAttributes {
  std::size_t shared_bytes, const_bytes, local_bytes;
  int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared_bytes,
      preferred_shared_carveout;
};

/// cudaMemoryType
enum MemoryType : int { kUnregistered = 0, kHostMemory = 1, kDeviceMemory = 2, kManagedMemory = 3 };

/// cudaPointerAttributes
struct PointerAttributes {
  MemoryType type;
  int device;
  void *device_pointer, *host_pointer;
};

/// cudaPitchedPtr
struct Pitched {
  void* pointer;
  std::size_t pitch, width, height;
};
/// cudaExtent
struct Extent {
  std::size_t width, height, depth;
};

/// cudaMemcpy3DParms
struct Copy3D {
  void* from_array;
  Extent from_position;
  Pitched from;
  void* to_array;
  Extent to_position;
  Pitched to;
  Extent extent;
  CopyKind kind;
};

/// cudaChannelFormatDesc
struct ChannelFormat {
  int x, y, z, w, kind;
};

/// cudaResourceDesc
enum ResourceType : int { kArrayResource = 0, kMipmappedResource = 1, kLinearResource = 2, kPitchedResource = 3 };
struct TextureResource {
  ResourceType type;
  union {
    void* array;
    struct {
      void* pointer;
      ChannelFormat format;
      std::size_t bytes;
    } linear;
    struct {
      void* pointer;
      ChannelFormat format;
      std::size_t width, height, pitch;
    } pitched;
  } of;
};

/// cudaTextureDesc
struct TextureDescription {
  int addressing[3], filter, read_mode, srgb;
  float border[4];
  int normalized;
  unsigned anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_least, mipmap_most;
  int no_trilinear_optimization;
};

/// cudaResourceViewDesc
struct ResourceView {
  int format;
  std::size_t width, height, depth;
  unsigned first_level, last_level, first_layer, last_layer;
};

/// textureReference
struct TextureReference {
  int normalized, filter, addressing[3];
  ChannelFormat format;
  int srgb;
  unsigned anisotropy;
  int mipmap_filter;
  float mipmap_bias, mipmap_least, mipmap_most;
  int no_trilinear_optimization, reserved[14];
};

/// cudaKernelNodeParams
struct KernelNodeParams {
  void* function;
  Dim grid, block;
  unsigned dynamic_shared;
  void** arguments;
  void** extra;
};

/// cudaMemsetParams
struct FillNodeParams {
  void* to;
  std::size_t pitch;
  unsigned value, element_bytes;
  std::size_t width, height;
};

/// cudaHostNodeParams
struct HostNodeParams {
  void (*function)(void*);
  void* data;
};

/// cudaLaunchAttribute
struct LaunchAttribute {
  int id, padding;
  union {
    char bytes[64];
    int number;
  } value;
};
/// cudaLaunchConfig_t
struct LaunchConfigEx {
  Dim grid, block;
  std::size_t dynamic_shared;
  Stream stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// cudaDeviceProp
struct DeviceProperties {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_device_node_mask;
  std::size_t total_global_memory, shared_per_block;
  int registers_per_block, warp_size;
  std::size_t memory_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3], clock_khz;
  std::size_t total_constant_memory;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int device_overlap, multiprocessors, kernel_timeout, integrated, can_map_host_memory, compute_mode;
  int textures_and_surfaces[40];
  std::size_t surface_alignment;
  int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc_driver, async_engines, unified_addressing,
      memory_clock_khz, memory_bus_bits, l2_bytes, persisting_l2_bytes, max_threads_per_multiprocessor,
      stream_priorities, global_l1_cache, local_l1_cache;
  std::size_t shared_per_multiprocessor;
  int registers_per_multiprocessor, managed_memory, multi_gpu_board, multi_gpu_group, host_native_atomics,
      single_to_double_ratio, pageable_access, concurrent_managed, compute_preemption, host_pointer_registered,
      cooperative_launch, cooperative_multi_device;
  std::size_t shared_per_block_optin;
  int pageable_uses_host_tables, direct_managed_from_host, max_blocks_per_multiprocessor, access_policy_window;
  std::size_t reserved_shared_per_block;
};

}  // namespace sassim::cuda
