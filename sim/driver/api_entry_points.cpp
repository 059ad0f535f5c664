// SPDX-License-Identifier: Apache-2.0
// How programs ask the driver for its functions: by name, and by tables whose layouts the CUDA runtimes know.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <string_view>

#include "sim/cuda/export.h"
#include "sim/driver/call.h"
#include "sim/driver/entry_points.h"
#include "sim/driver/modules.h"

namespace sassim::cuda {

/// The symbols, whatever their arguments are.
namespace entries {
// clang-format off
#define SASSIM_ENTRY(name, version, symbol) void symbol() __asm__(#symbol);
// clang-format on
#define SASSIM_ENTRY_PER_THREAD SASSIM_ENTRY
#include "sim/driver/entry_points.inc"
#undef SASSIM_ENTRY
#undef SASSIM_ENTRY_PER_THREAD
}  // namespace entries

namespace {

using Code = void (*)();

struct Entry {
  std::string_view name;
  int version;
  bool per_thread;
  Code code;
};

#define SASSIM_ENTRY(name, version, symbol) {#name, version, false, entries::symbol},
#define SASSIM_ENTRY_PER_THREAD(name, version, symbol) {#name, version, true, entries::symbol},
constexpr Entry kEntries[] = {
#include "sim/driver/entry_points.inc"
};
#undef SASSIM_ENTRY
#undef SASSIM_ENTRY_PER_THREAD
static_assert(std::is_sorted(std::begin(kEntries), std::end(kEntries),
                             [](const Entry& a, const Entry& b) { return a.name < b.name; }));

struct ByName {
  bool operator()(const Entry& entry, std::string_view name) const { return entry.name < name; }
  bool operator()(std::string_view name, const Entry& entry) const { return name < entry.name; }
};

Result lacks_slot() { return driver_lacks("this slot of a driver's table of functions"); }

template <std::size_t kSlots>
using Table = std::array<Code, kSlots>;

/// A table whose first slot holds its size.
template <std::size_t kSlots>
Table<kSlots> table() {
  Table<kSlots> slots;
  slots.fill(reinterpret_cast<Code>(&lacks_slot));
  slots[0] = reinterpret_cast<Code>(sizeof slots);
  return slots;
}
template <class F>
Code slot(F* function) {
  return reinterpret_cast<Code>(function);
}

Result thread_context(Context** out, void*) {
  *out = Contexts::current();
  return kSuccess;
}

/// nullptr stands for the current context.
const Context* or_current(const Context* context) { return context ? context : Contexts::current(); }

Result context_number(const Context* context, std::uint64_t* out) {
  const Context* which = or_current(context);
  if (!which) return kInvalidContext;
  *out = which->id;
  return kSuccess;
}
Result stream_object(const Context*, Stream stream, void** out) {
  *out = stream;
  return kSuccess;
}
Result stream_number(const Context*, void* stream, std::uint64_t* out) {
  return ask(__func__, [&](Session& session) {
    const StreamState* state = session.find(static_cast<Stream>(stream));
    if (!state) return kInvalidResourceHandle;
    *out = state->number;
    return kSuccess;
  });
}

/// Not 0: it has called `visit` for each function.
int each_function(Context*, Module* module, void (*visit)(void*, Function*), void* data) {
  std::vector<Function*> functions;
  const Result result = ask(__func__, [&](Session& session) {
    if (!Modules::get().holds(module)) return kInvalidResourceHandle;
    for (const std::string& name : module->kernels)
      functions.push_back(Modules::get().function(session, *module, name));
    return kSuccess;
  });
  for (Function* function : functions) visit(data, function);
  return result == kSuccess ? 1 : 0;
}

using Id = std::array<std::uint8_t, 16>;

const void* known_table(std::uint32_t begins) {
  static const auto tls = [] {
    auto slots = table<3>();
    slots[2] = slot(thread_context);
    return slots;
  }();
  static const auto contexts = [] {
    auto slots = table<64>();
    slots[4] = slot(context_number);
    slots[39] = slot(stream_number);
    slots[51] = slot(stream_object);
    return slots;
  }();
  static const auto modules = [] {
    auto slots = table<16>();
    slots[7] = slot(each_function);
    return slots;
  }();
  switch (begins) {
    case 0x42d85a81:
      return tls.data();
    case 0x21318c60:
      return contexts.data();
    case 0x6e163fbe:
      return modules.data();
    default:
      return nullptr;
  }
}

/// Tables that only NVIDIA's runtimes ask for.
bool is_of_runtimes(std::uint32_t begins) {
  constexpr std::uint32_t kRuntimes[] = {0x6bd5fb6c, 0xa094798c, 0xc693336e, 0x263e8860, 0xf8cff951, 0xd4082055};
  return std::find(std::begin(kRuntimes), std::end(kRuntimes), begins) != std::end(kRuntimes);
}

void report_refused(std::uint32_t begins, const Id& id, bool of_library) {
  constexpr std::uint32_t kContextStorage = 0xc693336e;
  static std::atomic<bool> told_of_runtime, told_of_storage;
  if (of_library && begins == kContextStorage) {
    if (!told_of_storage.exchange(true))
      explain(
          "cuBLAS's first interface (cublas.h) keeps its state in a table of the driver that is not supported: its "
          "calls will fail; cublas_v2.h needs no such table");
  } else if (!is_of_runtimes(begins))
    explain(fmt::format("cuGetExportTable: the driver's table {:02x} is not known; it returns CUDA_ERROR_NOT_FOUND",
                        fmt::join(id, "")));
  else if (!told_of_runtime.exchange(true))
    explain(
        "the program, or a library of it, has NVIDIA's CUDA runtime inside, which only runs on NVIDIA's own driver: "
        "its calls will fail; link with the shared runtime: NVCC_APPEND_FLAGS='-cudart shared' make, or cmake "
        "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared, and libraries from their static archives (docs/driver.md)");
}

}  // namespace

void* find_entry(const char* name, int version, std::uint64_t flags, EntryStatus& status) {
  const auto [begin, end] =
      std::equal_range(std::begin(kEntries), std::end(kEntries), std::string_view(name), ByName{});
  const Entry* best = nullptr;
  for (const Entry* entry = begin; entry != end; ++entry) {
    if (entry->version > version || (entry->per_thread && (flags & kStreamPerThread) == 0)) continue;
    const bool better = !best || entry->per_thread > best->per_thread ||
                        (entry->per_thread == best->per_thread && entry->version > best->version);
    if (better) best = entry;
  }
  status = best ? kEntryFound : begin == end ? kEntryUnknown : kEntryTooNew;
  return best ? reinterpret_cast<void*>(best->code) : nullptr;
}

Result export_table(const void** out, const void* id, bool of_library) {
  if (!out || !id) return kInvalidValue;
  Id bytes;
  std::memcpy(bytes.data(), id, sizeof bytes);
  const std::uint32_t begins = std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
                               std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
  *out = known_table(begins);
  if (!*out) report_refused(begins, bytes, of_library);
  return *out ? kSuccess : kSymbolNotFound;
}

SASSIM_CUDA Result cuGetProcAddress_v2(const char* name, void** function, int version, std::uint64_t flags,
                                       EntryStatus* status) {
  if (!name || !function) return kInvalidValue;
  EntryStatus found = kEntryUnknown;
  *function = find_entry(name, version, flags, found);
  if (status) *status = found;
  return *function || status ? kSuccess : kSymbolNotFound;
}
SASSIM_CUDA Result cuGetProcAddress(const char* name, void** function, int version, std::uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
SASSIM_CUDA Result cuGetExportTable(const void** table, const void* id) { return export_table(table, id); }

// The runtime's functions that give the same.
SASSIM_CUDA Result cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags) {
  constexpr int kRuntimeVersion = 11080;
  if (!name || !function) return remember(kInvalidValue);
  EntryStatus status = kEntryUnknown;
  *function = find_entry(name, kRuntimeVersion, flags, status);
  return remember(*function ? kSuccess : kSymbolNotFound);
}
SASSIM_CUDA Result cudaGetDriverEntryPoint_ptsz(const char* name, void** function, unsigned long long flags) {
  return cudaGetDriverEntryPoint(name, function, (flags & kWithoutThreads) != 0 ? flags : flags | kStreamPerThread);
}
SASSIM_CUDA Result cudaGetExportTable(const void** table, const void* id) {
  return remember(export_table(table, id, true));
}

}  // namespace sassim::cuda
