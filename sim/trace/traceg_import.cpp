// SPDX-License-Identifier: Apache-2.0
// Converts Accel-Sim trace files to kernel traces, block by block, and finds the files of a kernels list.
#include "sim/trace/traceg_import.h"

#include <charconv>
#include <filesystem>
#include <optional>

#include "sim/base/error.h"
#include "sim/trace/memory_trace.h"
#include "sim/trace/traceg_check.h"
#include "sim/trace/traceg_code.h"

namespace sassim::trace {
namespace {

namespace fs = std::filesystem;

/// Size of CUDA's shared and local windows in the generic address space.
constexpr std::uint64_t kWindow = std::uint64_t{1} << 24;

bool is_trace_name(const std::string& name) {
  return name.ends_with(".traceg") || name.ends_with(".traceg.xz") || name.ends_with(".traceg.gz");
}

std::optional<std::uint64_t> value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return {};
  line.remove_prefix(key.size());
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

/// Reads the blocks of a file behind its header.
class BlockWalk {
 public:
  struct Events {
    std::function<void(const Dim3&)> begin;
    std::function<void(std::uint32_t warp)> warp;
    std::function<void(const TracegInstruction&)> instruction;
    std::function<void()> end;
  };
  BlockWalk(LineReader& in, const TracegHeader& header, const Events& events)
      : in_(in), header_(header), events_(events) {}

  void run() {
    std::string_view line;
    while (in_.next(line)) {
      if (line.empty()) continue;
      if (line.starts_with("#BEGIN_TB")) {
        if (open_) in_.fail("a block starts before the last one ended");
        open_ = true;
      } else if (line.starts_with("#END_TB")) {
        if (!open_ || !placed_) in_.fail("a block ends before it started, or has no 'thread block = x,y,z'");
        check_count();
        events_.end();
        open_ = placed_ = false;
      } else if (!line.starts_with('#')) {
        if (!open_) in_.fail("expected '#BEGIN_TB'");
        content(line);
      }
    }
    if (open_) in_.fail("the file ends inside a block: it was cut off");
  }

 private:
  void content(std::string_view line) {
    if (line.starts_with("thread block")) return place(line);
    if (line.starts_with("cluster")) return;
    if (!placed_) in_.fail("expected 'thread block = x,y,z'");
    if (const auto warp = value_of(line, "warp = ")) {
      check_count();
      if (*warp >= (header_.block.count() + 31) / 32) in_.fail(fmt::format("warp {} is beyond the block", *warp));
      events_.warp(static_cast<std::uint32_t>(*warp));
      warp_ = true;
      announced_ = seen_ = 0;
    } else if (const auto count = value_of(line, "insts = ")) {
      announced_ = *count;
    } else {
      if (!warp_) in_.fail("expected 'warp = n'");
      parse_traceg_instruction(in_, line, header_.line_numbers, instruction_);
      ++seen_;
      events_.instruction(instruction_);
    }
  }

  void place(std::string_view line) {
    std::array<std::uint32_t, 3> at{};
    const char* c = line.data() + std::min(line.size(), line.find('=') + 1);
    const char* end = line.data() + line.size();
    for (auto& value : at) {
      while (c != end && (*c == ' ' || *c == ',')) ++c;
      const auto parsed = std::from_chars(c, end, value);
      if (parsed.ec != std::errc()) in_.fail("expected 'thread block = x,y,z'");
      c = parsed.ptr;
    }
    if (c != end) in_.fail("expected 'thread block = x,y,z'");
    if (at[0] >= header_.grid.x || at[1] >= header_.grid.y || at[2] >= header_.grid.z)
      in_.fail("a block lies outside the grid");
    placed_ = true;
    warp_ = false;
    events_.begin({at[0], at[1], at[2]});
  }

  void check_count() const {
    if (warp_ && announced_ != seen_)
      in_.fail(fmt::format("a warp has {} instructions, but {} were announced", seen_, announced_));
  }

  LineReader& in_;
  const TracegHeader& header_;
  const Events& events_;
  bool open_ = false, placed_ = false, warp_ = false;
  std::uint64_t announced_ = 0, seen_ = 0;
  TracegInstruction instruction_;
};

/// Converts a line to a step.
class Steps {
 public:
  Steps(const TracegHeader& header, const TracegCode& code) : header_(header), code_(code) {}

  const Step& step(const TracegInstruction& line, std::uint32_t index) {
    step_.index = index;
    // The mask has the threads whose guard was true, perhaps none; the trace does not record which other threads were
    // active.
    step_.active = step_.lanes = LaneMask(line.mask);
    step_.has_addresses = false;
    step_.space = isa::Space::none;
    const isa::Space space = code_.space(step_.index);
    if (space == isa::Space::none) return step_;
    step_.space = space;
    if (line.has_addresses && line.mask) set_addresses(line);
    return step_;
  }

 private:
  bool in_window(const TracegInstruction& line, std::uint64_t base) const {
    if (base == 0) return false;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
      if (line.mask >> lane & 1 && line.addresses[lane] - base >= kWindow) return false;
    return true;
  }

  void set_addresses(const TracegInstruction& line) {
    const bool may_be_shared = step_.space == isa::Space::shared || step_.space == isa::Space::generic;
    const bool may_be_local = step_.space == isa::Space::local || step_.space == isa::Space::generic;
    std::uint64_t base = 0;
    if (may_be_shared && in_window(line, header_.shared_base)) {
      base = header_.shared_base;
      step_.space = isa::Space::shared;
    } else if (may_be_local && in_window(line, header_.local_base)) {
      base = header_.local_base;
      step_.space = isa::Space::local;
    } else if (step_.space == isa::Space::generic) {
      step_.space = isa::Space::global;
    }
    step_.has_addresses = true;
    auto& list = step_.addresses.list();
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
      list[lane] = line.mask >> lane & 1 ? line.addresses[lane] - base : 0;
  }

  const TracegHeader& header_;
  const TracegCode& code_;
  Step step_;
};

TracegCode read_code(const std::string& file, const isa::Disassembly* real) {
  LineReader in(file);
  const TracegHeader header = read_traceg_header(in);
  TracegCode code(header);
  const BlockWalk::Events events{[](const Dim3&) {}, [](std::uint32_t) {},
                                 [&](const TracegInstruction& line) { code.add(in, line); }, [] {}};
  BlockWalk(in, header, events).run();
  code.finish(file, real);
  return code;
}

}  // namespace

void import_traceg(const std::string& file, const isa::Disassembly* real, const TracegSink& sink) {
  const TracegCode code = read_code(file, real);
  const KernelInfo& kernel = code.kernel();
  sink.kernel(kernel);
  LineReader in(file);
  const TracegHeader header = read_traceg_header(in);
  const auto pool = std::make_shared<BodyPool>();
  WarpStreamBuilder builder(kernel, pool);
  std::shared_ptr<BlockTrace> block;
  std::optional<std::uint32_t> warp;
  Steps steps(header, code);
  TracegCheck check(in, header, code);
  auto close_warp = [&] {
    if (warp) block->warps[*warp] = builder.finish();
    warp.reset();
  };
  const BlockWalk::Events events{[&](const Dim3& at) {
                                   check.begin_block(at);
                                   block = std::make_shared<BlockTrace>();
                                   block->id = at;
                                   block->warps.resize(kernel.warps_per_block());
                                 },
                                 [&](std::uint32_t next) {
                                   check.begin_warp(next);
                                   close_warp();
                                   warp = next;
                                 },
                                 [&](const TracegInstruction& line) {
                                   const std::uint32_t index = code.index(line);
                                   check.instruction(line, index);
                                   builder.append(steps.step(line, index));
                                 },
                                 [&] {
                                   check.end_block();
                                   close_warp();
                                   sink.block(std::move(block));
                                 }};
  BlockWalk(in, header, events).run();
  check.end_file();
}

std::shared_ptr<MemoryTrace> load_traceg(const std::string& file, const isa::Disassembly* code) {
  std::shared_ptr<MemoryTrace> trace;
  import_traceg(file, code,
                {[&](const KernelInfo& kernel) { trace = std::make_shared<MemoryTrace>(kernel); },
                 [&](std::shared_ptr<const BlockTrace> block) { trace->add(std::move(block)); }});
  return trace;
}

bool is_traceg(const std::string& path) {
  return is_trace_name(path) || fs::path(path).filename().string().starts_with("kernelslist") ||
         (fs::is_directory(path) && fs::exists(fs::path(path) / "kernelslist.g"));
}

std::vector<std::string> traceg_files(const std::string& path) {
  if (is_trace_name(path)) return {path};
  const fs::path list = fs::is_directory(path) ? fs::path(path) / "kernelslist.g" : fs::path(path);
  std::vector<std::string> files;
  LineReader in(list.string());
  for (std::string_view line; in.next(line);) {
    if (line.empty() || line.starts_with("Memcpy")) continue;
    if (!line.starts_with("kernel")) in.fail("expected the name of a kernel trace, or a Memcpy line");
    fs::path file = list.parent_path() / std::string(line);
    for (const char* ending : {".xz", ".gz"})
      if (!fs::exists(file) && fs::exists(file.string() + ending)) file += ending;
    if (!is_trace_name(file.string()))
      in.fail(fmt::format("'{}' is not a .traceg file: run the tracer's post-processing", line));
    if (!fs::exists(file)) in.fail(fmt::format("{} does not exist", file.string()));
    files.push_back(file.string());
  }
  if (files.empty()) in.fail("the list names no kernel trace");
  return files;
}

}  // namespace sassim::trace
