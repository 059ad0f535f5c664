// SPDX-License-Identifier: Apache-2.0
// Executes device-side printf, malloc, free, assert and the like when a kernel calls them.
#include "sim/emu/core/builtins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "sim/emu/memory/address_space.h"
#include "sim/emu/order/access_watch.h"

namespace sassim::emu {
namespace {

enum Builtin : std::size_t {
  kPrintf,
  kMalloc,
  kFree,
  kAssertFailed,
  kTrap,
  kSetCondition,
  kParameterBuffer,
  kLaunchDevice,
  kSetLastError,
  kGetLastError,
  kStreamCreate,
  kEventCreate,
  kStreamDestroy,  // from here on nothing is to be done, because launches follow each other in the order of the calls
  kEventDestroy,
  kEventRecord,
  kStreamWaitEvent,
  kCount,
};
constexpr std::array<std::string_view, kCount> kNames = {"vprintf",
                                                         "malloc",
                                                         "free",
                                                         "__assertfail",
                                                         "__trap",
                                                         "cudaGraphSetConditional",
                                                         "cnpGetParameterBufferV2",
                                                         "cnpLaunchDeviceV2",
                                                         "cnpSetLastError",
                                                         "cnpGetLastError",
                                                         "cnpStreamCreate",
                                                         "cnpEventCreate",
                                                         "cnpStreamDestroy",
                                                         "cnpEventDestroy",
                                                         "cnpEventRecord",
                                                         "cnpStreamWaitEvent"};
constexpr std::string_view kPrefixOf12 = "__cuda_syscall_cnpv2";  ///< of the functions cnp... in CUDA 12
constexpr std::uint64_t kSpacing = 16;
constexpr std::size_t kMostNames = 0xfff;  // the names that fit into the code addresses below the first kernel

/// Names of driver functions that a program uses and the emulator lacks, in the order of first use. Names beyond
/// kMostNames are not kept.
class Missing {
 public:
  std::size_t add(std::string_view name) {
    std::scoped_lock lock(mutex_);
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    if (kNames.size() + names_.size() + 1 == kMostNames) return names_.size();
    names_.emplace_back(name);
    return names_.size() - 1;
  }
  std::string name(std::size_t index) {
    std::scoped_lock lock(mutex_);
    return index < names_.size() ? names_[index] : "(a name that was not kept)";
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> names_;
};

Missing& missing() {
  static Missing names;
  return names;
}

std::uint64_t argument(const Context& c, int lane, std::uint8_t reg) {
  return c.read_row(reg)[lane] | std::uint64_t{c.read_row(static_cast<std::uint8_t>(reg + 1))[lane]} << 32;
}

void set_result(Context& c, int lane, std::uint64_t value) {
  c.row(4)[lane] = static_cast<std::uint32_t>(value);
  if (c.grid.program->registers > 5) c.row(5)[lane] = static_cast<std::uint32_t>(value >> 32);
}

/// The memory at a generic address, or nullptr unless all `bytes` of it can be read.
std::byte* generic(const Context& c, int lane, std::uint64_t address, std::uint64_t bytes) {
  const Windows windows = c.grid.windows;
  if (address - windows.local < windows.bytes) {
    const std::uint64_t offset = address - windows.local;
    if (c.warp.local.empty() || offset + bytes > c.grid.stack_bytes) return nullptr;
    return c.warp.local.data() + static_cast<std::size_t>(lane) * c.grid.stack_bytes + offset;
  }
  if (address - windows.shared < windows.bytes) {
    const std::uint64_t offset = address - windows.shared;
    return offset + bytes <= c.block.shared.size() ? c.block.shared.data() + offset : nullptr;
  }
  return c.grid.memory->host(c.grid.memory->translate(address), bytes);
}

std::string text_at(const Context& c, int lane, std::uint64_t address) {
  std::string text;
  for (;; ++address) {
    const std::byte* at = generic(c, lane, address, 1);
    if (!at || *at == std::byte{0}) return text;
    text += static_cast<char>(*at);
  }
}

/// One conversion of a printf format, with its argument from the buffer that vprintf gets.
class Formatter {
 public:
  Formatter(const Context& c, int lane, std::uint64_t arguments) : c_(c), lane_(lane), next_(arguments) {}

  std::string run(const std::string& format) {
    std::string out;
    for (std::size_t i = 0; i < format.size();) {
      if (format[i] != '%') {
        out += format[i++];
        continue;
      }
      const std::size_t end = format.find_first_of("diouxXcsfFeEgGaAp%", i + 1);
      if (end == std::string::npos) return out + format.substr(i);
      out += convert(format.substr(i, end + 1 - i));
      i = end + 1;
    }
    return out;
  }

 private:
  std::uint64_t take(unsigned bytes) {
    next_ = (next_ + bytes - 1) / bytes * bytes;
    std::uint64_t value = 0;
    if (const std::byte* at = generic(c_, lane_, next_, bytes)) std::memcpy(&value, at, bytes);
    next_ += bytes;
    return value;
  }

  std::string convert(std::string spec) {
    const char kind = spec.back();
    if (kind == '%') return "%";
    for (std::size_t star = spec.find('*'); star != std::string::npos; star = spec.find('*'))
      spec.replace(star, 1, std::to_string(static_cast<std::int32_t>(take(4))));
    char text[512];
    if (kind == 's') {
      const std::string value = text_at(c_, lane_, take(8));
      std::snprintf(text, sizeof text, spec.c_str(), value.c_str());
    } else if (kind == 'p') {
      std::snprintf(text, sizeof text, spec.c_str(), reinterpret_cast<void*>(take(8)));
    } else if (std::string_view("fFeEgGaA").find(kind) != std::string_view::npos) {
      std::snprintf(text, sizeof text, spec.c_str(), std::bit_cast<double>(take(8)));
    } else {
      const bool wide = spec.find('l') != std::string::npos || spec.find('j') != std::string::npos ||
                        spec.find('z') != std::string::npos || spec.find('t') != std::string::npos;
      std::erase_if(spec, [](char ch) { return ch == 'l' || ch == 'j' || ch == 'z' || ch == 't' || ch == 'h'; });
      if (wide) spec.insert(spec.size() - 1, "ll");
      if (wide)
        std::snprintf(text, sizeof text, spec.c_str(), static_cast<long long>(take(8)));
      else
        std::snprintf(text, sizeof text, spec.c_str(), static_cast<int>(take(4)));
    }
    return text;
  }

  const Context& c_;
  int lane_;
  std::uint64_t next_;
};

void print_format(Context& c, int lane) {
  const std::string format = text_at(c, lane, argument(c, lane, 4));
  const std::string text = Formatter(c, lane, argument(c, lane, 6)).run(format);
  if (c.grid.watch)
    c.grid.watch->print(text);
  else
    print(c.grid, text);
  set_result(c, lane, text.size());
}

void assert_failed(Context& c, const MicroOp& op, int lane) {
  const std::string what = text_at(c, lane, argument(c, lane, 4)), file = text_at(c, lane, argument(c, lane, 6));
  const std::string function = text_at(c, lane, argument(c, lane, 10));
  c.fault(FaultKind::assertion, op, lane, 0,
          fmt::format("{}:{}: {}: Assertion `{}' failed", file, c.read_row(8)[lane], function, what));
}

/// The last value counts, so blocks that set one take turns.
void set_condition(Context& c, const MicroOp& op, int lane) {
  if (c.grid.watch) c.grid.watch->give_up();
  const std::uint64_t handle = argument(c, lane, 4);
  std::map<std::uint64_t, std::uint32_t>* all = c.grid.launch->conditions;
  const auto found = all ? all->find(handle) : std::map<std::uint64_t, std::uint32_t>::iterator{};
  if (!all || found == all->end())
    throw NotSupported("{} sets a condition of a graph by handle {}, which no graph has",
                       place(*c.grid.kernel, op.index), handle);
  found->second = c.read_row(6)[lane];
}

ChildLaunches& children_of(Context& c, const MicroOp& op) {
  if (c.grid.watch) c.grid.watch->give_up();  // launches are made in the order of the calls
  if (!ChildLaunches::active())
    throw NotSupported(
        "{} launches a kernel from a kernel, which only a run without timing and traces executes "
        "(--functional)",
        place(*c.grid.kernel, op.index));
  return *ChildLaunches::active();
}

std::uint32_t& last_error(Context& c, const MicroOp& op, int lane) {
  const std::uint64_t thread = c.warp.index * std::uint64_t{32} + static_cast<unsigned>(lane);
  return children_of(c, op).last_errors[c.block.id.value * c.grid.launch->block.count() + thread];
}

/// R4: the kernel, R6: grid, R9: block, R12: bytes of shared memory.
void give_parameter_buffer(Context& c, const MicroOp& op, int lane) {
  const auto number = [&](std::uint8_t reg) { return c.read_row(reg)[lane]; };
  const ChildLaunch launch{.function = argument(c, lane, 4),
                           .grid = {number(6), number(7), number(8)},
                           .block = {number(9), number(10), number(11)},
                           .dynamic_shared = number(12)};
  const ChildLaunches::Parameters parameters = children_of(c, op).prepare(launch);
  if (parameters.address == 0) last_error(c, op, lane) = parameters.error;
  set_result(c, lane, parameters.address);
}

/// R4: parameters, R6: stream.
void launch_device(Context& c, const MicroOp& op, int lane) {
  constexpr std::uint64_t kTailLaunch = 3;    // cudaStreamTailLaunch
  constexpr std::uint32_t kInvalidValue = 1;  // of the driver's numbers in kernels, as of cudaError_t
  const bool known = children_of(c, op).launch(argument(c, lane, 4), argument(c, lane, 6) == kTailLaunch);
  set_result(c, lane, known ? 0 : kInvalidValue);
}

/// R4: where the handle of a new stream or event goes.
void make_object(Context& c, const MicroOp& op, int lane) {
  constexpr std::uint64_t kFirstHandle = 16;  // those below have names: cudaStreamLegacy, ...
  const std::uint64_t handle = kFirstHandle + children_of(c, op).objects++, address = argument(c, lane, 4);
  std::byte* to = generic(c, lane, address, sizeof handle);
  if (!to) c.fault(FaultKind::illegal_address, op, lane, address, "the handle of a stream or event goes there");
  std::memcpy(to, &handle, sizeof handle);
  set_result(c, lane, 0);
}

}  // namespace

void print(const Grid& grid, const std::string& text) {
  if (grid.options->print)
    grid.options->print(text);
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
}

std::uint64_t builtin_address(std::string_view name) {
  const bool of_12 = name.starts_with(kPrefixOf12);
  const std::string in_11 = of_12 ? "cnp" + std::string(name.substr(kPrefixOf12.size())) : std::string(name);
  const auto found = std::find(kNames.begin(), kNames.end(), in_11);
  const std::size_t known = static_cast<std::size_t>(found - kNames.begin());
  return kCodeBase + kSpacing * (1 + (found != kNames.end() ? known : kNames.size() + missing().add(name)));
}

bool is_builtin(std::uint64_t address) {
  return address > kCodeBase && address <= kCodeBase + kSpacing * kMostNames && address % kSpacing == 0;
}

void call_builtin(Context& c, const MicroOp& op, std::uint64_t address, int lane) {
  ++c.grid.changes;
  ++c.grid.effects;
  const std::size_t index = (address - kCodeBase) / kSpacing - 1;
  if (c.deferred != nullptr && (index == kMalloc || index == kFree))
    throw NotSupported("{}: malloc and free in a live run; run it with --live=auto", place(*c.grid.kernel, op.index));
  switch (index) {
    case kPrintf:
      print_format(c, lane);
      break;
    case kMalloc:
      if (c.grid.watch) c.grid.watch->give_up();
      set_result(c, lane, c.grid.memory->allocate_on_heap(argument(c, lane, 4), c.grid.launch->heap_bytes));
      break;
    case kFree:
      if (c.grid.watch) c.grid.watch->give_up();
      c.grid.memory->free_on_heap(argument(c, lane, 4));
      break;
    case kAssertFailed:
      assert_failed(c, op, lane);
      break;
    case kTrap:
      c.fault(FaultKind::trap, op, lane, 0, "the kernel executed a trap");
    case kSetCondition:
      set_condition(c, op, lane);
      break;
    case kParameterBuffer:
      give_parameter_buffer(c, op, lane);
      break;
    case kLaunchDevice:
      launch_device(c, op, lane);
      break;
    case kSetLastError:
      last_error(c, op, lane) = c.read_row(4)[lane];
      break;
    case kGetLastError:
      set_result(c, lane, last_error(c, op, lane));
      break;
    case kStreamCreate:
    case kEventCreate:
      make_object(c, op, lane);
      break;
    case kStreamDestroy:
    case kEventDestroy:
    case kEventRecord:
    case kStreamWaitEvent:
      children_of(c, op);
      set_result(c, lane, 0);
      break;
    default:
      throw NotSupported("{} calls the driver's function {}, which is not emulated (known: {})",
                         place(*c.grid.kernel, op.index), missing().name(index - kNames.size()),
                         fmt::join(kNames, ", "));
  }
}

}  // namespace sassim::emu
