// SPDX-License-Identifier: Apache-2.0
// Collects issue, waits and end of warp instructions during a run, and writes the file of --konata.
#include "sim/timeline/konata.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>

namespace sassim::timeline {

namespace {
constexpr std::size_t kPlaces = 256;  ///< of warps in an SM: WarpSlot is a byte
}

PipelineLog::PipelineLog(Selection selection, std::uint32_t sms, std::uint64_t instructions)
    : selection_(std::move(selection)),
      most_per_sm_(std::max<std::uint64_t>(1, instructions / std::max<std::size_t>(1, selection_.sms.size()))),
      sms_(sms) {
  for (const std::uint32_t sm : selection_.sms) sms_.at(sm).shown = true;
  for (Sm& sm : sms_) {
    sm.open.resize(kPlaces);
    sm.flying.resize(kPlaces);
  }
}

void PipelineLog::kernel_started(const trace::KernelInfo& kernel, Cycle at) { log_.started(kernel, at.value); }
void PipelineLog::kernel_ended(Cycle at, const arch::CountsOverTime&) { log_.ended(at.value, {}); }

void PipelineLog::warp_started(const arch::WarpName& name, Cycle) {
  if (selection_.sms.empty() && name.block == BlockId{0}) sms_[name.sm.value].shown = true;
  if (!shows(name.sm)) return;
  sms_[name.sm.value].open[name.slot.value].clear();
  sms_[name.sm.value].flying[name.slot.value].clear();
}

void PipelineLog::kernel_resumed(SmId first) {
  if (selection_.sms.empty()) sms_[first.value].shown = true;
}

void PipelineLog::spent(const arch::WarpName& name, std::uint32_t, arch::StallReason reason, Cycle from, Cycle until) {
  if (!shows(name.sm) || from >= until) return;
  auto& open = sms_[name.sm.value].open[name.slot.value];
  if (!open.empty() && open.back().reason == reason && open.back().until == from.value)
    open.back().until = until.value;
  else
    open.push_back({reason, from.value, until.value});
}

void PipelineLog::issued(const arch::WarpName& name, std::uint32_t line, Cycle issue, Cycle result) {
  if (!shows(name.sm)) return;
  Sm& sm = sms_[name.sm.value];
  auto& open = sm.open[name.slot.value];
  const bool wanted = issue >= selection_.window.from && issue < selection_.window.until &&
                      (selection_.warps.empty() || selection_.warps.contains(name.slot.value));
  if (wanted && sm.instructions.size() >= most_per_sm_) sm.full = true;
  if (!wanted || sm.full) return open.clear();
  const bool known = result != kNever && result > issue;
  if (!known) sm.flying[name.slot.value].push_back(sm.instructions.size());
  sm.instructions.push_back({line, name.warp, name.slot.value, name.block.value, issue.value, known ? result.value : 0,
                             sm.waits.size(), open.size()});
  sm.waits.insert(sm.waits.end(), open.begin(), open.end());
  open.clear();
}

void PipelineLog::completed(const arch::WarpName& name, Cycle issue, Cycle done) {
  if (!shows(name.sm)) return;
  Sm& sm = sms_[name.sm.value];
  auto& flying = sm.flying[name.slot.value];
  const auto found =
      std::ranges::find_if(flying, [&](std::size_t i) { return sm.instructions[i].issue == issue.value; });
  if (found == flying.end()) return;
  sm.instructions[*found].done = done.value;
  flying.erase(found);
}

bool PipelineLog::full() const {
  return std::ranges::any_of(sms_, [](const Sm& sm) { return sm.full; });
}

std::uint64_t PipelineLog::instructions() const {
  std::uint64_t sum = 0;
  for (const Sm& sm : sms_) sum += sm.instructions.size();
  return sum;
}

/// A line of the file. In one cycle, stages end before others begin.
struct PipelineLog::Event {
  std::uint64_t at;
  enum class Kind : std::uint8_t { end, retire, start, stage } kind;
  std::uint32_t sm;
  std::size_t instruction;
  std::string text;  ///< what follows the instruction's number
  auto key() const { return std::tie(at, kind, sm, instruction); }
};

void PipelineLog::add_events(std::uint32_t sm_index, std::vector<Event>& events) const {
  const Sm& sm = sms_[sm_index];
  for (std::size_t i = 0; i < sm.instructions.size(); ++i) {
    const Instruction& in = sm.instructions[i];
    const auto begin = in.waits == 0 ? in.issue : sm.waits[in.first_wait].from;
    const auto end = std::max(in.done, in.issue + 1);
    events.push_back({begin, Event::Kind::start, sm_index, i, ""});
    const auto stage = [&](std::string_view name, std::uint64_t from, std::uint64_t until) {
      events.push_back({from, Event::Kind::stage, sm_index, i, std::string(name)});
      events.push_back({until, Event::Kind::end, sm_index, i, std::string(name)});
    };
    for (std::size_t w = in.first_wait; w < in.first_wait + in.waits; ++w)
      stage(stall_name(sm.waits[w].reason), sm.waits[w].from, sm.waits[w].until);
    stage("issue", in.issue, in.issue + 1);
    if (end > in.issue + 1) stage("execute", in.issue + 1, end);
    events.push_back({end, Event::Kind::retire, sm_index, i, ""});
  }
}

void PipelineLog::write(const std::function<void(std::string_view)>& out) const {
  std::vector<Event> events;
  std::vector<std::size_t> first(sms_.size(), 0);  ///< number in the file of each SM's first instruction
  std::size_t total = 0;
  for (std::uint32_t sm = 0; sm < sms_.size(); ++sm) {
    first[sm] = total;
    total += sms_[sm].instructions.size();
    add_events(sm, events);
  }
  std::ranges::stable_sort(events, {}, [](const Event& event) { return event.key(); });
  out("Kanata\t0004\n");
  std::uint64_t now = events.empty() ? 0 : events.front().at;
  std::size_t retired = 0;
  out(fmt::format("C=\t{}\n", now));
  for (const Event& event : events) {
    if (event.at != now) out(fmt::format("C\t{}\n", event.at - now));
    now = event.at;
    const Instruction& in = sms_[event.sm].instructions[event.instruction];
    const std::size_t id = first[event.sm] + event.instruction;
    if (event.kind == Event::Kind::start) {
      out(fmt::format("I\t{}\t{}\t{}\n", id, id, event.sm * kPlaces + in.slot));
      out(fmt::format("L\t{}\t0\t{:04x}: {}\n", id, log_.pc(in.issue, in.line), log_.sass(in.issue, in.line)));
      out(fmt::format("L\t{}\t1\tSM {}, warp slot {}: block {}, warp {}{}\n", id, event.sm, in.slot, in.block, in.warp,
                      in.done == 0 ? "; when its result came is not known" : ""));
    } else if (event.kind == Event::Kind::retire) {
      out(fmt::format("R\t{}\t{}\t0\n", id, retired++));
    } else {
      out(fmt::format("{}\t{}\t0\t{}\n", event.kind == Event::Kind::stage ? 'S' : 'E', id, event.text));
    }
  }
}

}  // namespace sassim::timeline
