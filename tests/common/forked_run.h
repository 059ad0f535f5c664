// SPDX-License-Identifier: Apache-2.0
// Random traffic in four kernels through a memory system that can be saved between two epochs. A fork goes on from the
// saved bytes with a memory system of its own.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "arch/common/epoch_engine.h"
#include "arch/memory/memory_system.h"
#include "sim/base/state_archive.h"
#include "tests/common/random_sm.h"

namespace sassim::arch::testing {

class ForkedRun final : private AccessObserver, private RequestObserver {
 public:
  /// Of the SMs, `active` send requests: as many of each half as of the other.
  ForkedRun(const config::GpuConfig& gpu, const RandomTraffic& traffic, std::uint32_t active)
      : gpu_(gpu), kernel_requests_(traffic.requests), active_(active) {
    build();
    RandomTraffic own = traffic;
    for (std::uint32_t i = 0; i < active; ++i) {
      own.seed = traffic.seed * 1000 + i;
      add_sm(std::make_unique<RandomSm>(port(i), own));
    }
    connect();
  }
  /// Goes on from what `other` has saved as `bytes`.
  ForkedRun(const ForkedRun& other, const std::string& bytes)
      : gpu_(other.gpu_),
        kernel_requests_(other.kernel_requests_),
        active_(other.active_),
        kernels_(other.kernels_),
        between_(other.between_),
        metrics_(other.metrics_),
        route_(other.route_) {
    build();
    for (std::uint32_t i = 0; i < active_; ++i) add_sm(std::make_unique<RandomSm>(port(i), *other.sms_[i]));
    connect();
    StateReader reader(bytes);
    reader(*engine_);
    memory_->load(reader);
    if (!reader.at_end()) throw std::logic_error("load() left bytes of save()");
  }

  std::string save() const {
    StateWriter writer;
    writer(*engine_);
    memory_->save(writer);
    return std::move(writer.bytes());
  }

  /// An epoch, some of them in two parts, or one of two parts of what comes before a kernel. False: all is done.
  bool step() {
    engine_->cut(Cycle{(engine_->now().value / 97 + 1) * 97});
    if (engine_->step()) return true;
    if (!between_) {
      if (!memory_->idle()) throw std::logic_error("memory is not idle between kernels");
      memory_->check_conservation();
      stats::CounterValues values;
      memory_->report(values);
      metrics_.push_back(values.metrics());
      if (++kernels_ == kKernels) return false;
      memory_->start_kernel(kernels_ + 1 != kKernels);
      copy(std::uint64_t{kernels_} << 12);
    } else {
      copy(0);
      memory_->preload({std::uint64_t{kernels_} << 11, 1500, true, 0});
      memory_->read_by_launch(1 << 12, 900);
      for (auto& sm : sms_) sm->add(kernel_requests_, engine_->now());
    }
    between_ = !between_;
    return true;
  }

  /// Everything that can be seen: answers with their times and senders, requests and accesses of slices in their order,
  /// metrics of each kernel.
  std::vector<double> outcome() const {
    std::vector<double> all{static_cast<double>(engine_->epochs()), static_cast<double>(engine_->whole_end().value)};
    const auto add = [&all](std::uint64_t digest) {
      all.push_back(static_cast<double>(digest >> 32));
      all.push_back(static_cast<double>(digest & 0xffffffff));
    };
    for (const auto& sm : sms_) add(sm->digest());
    add(route_);
    for (const stats::MetricSet& metrics : metrics_)
      for (const stats::Metric& metric : metrics.all()) all.push_back(metric.value);
    return all;
  }
  const std::vector<stats::MetricSet>& metrics() const { return metrics_; }

 private:
  static constexpr std::uint32_t kKernels = 4;

  /// Each copy from the host displaces a part of those before it.
  void copy(std::uint64_t to) {
    memory_->preload({to, gpu_.environment.upload * 2 / 3, false, gpu_.environment.upload_ways});
  }
  MemoryPort& port(std::uint32_t i) {
    return memory_->port(SmId(static_cast<std::uint16_t>(i * gpu_.sm.count / active_)));
  }
  void build() {
    memory_ = MemorySystem::make(gpu_);
    memory_->observe(this);
    memory_->watch_requests(this);
    engine_ = std::make_unique<EpochEngine>(memory_->lookahead(), 1);
  }
  void add_sm(std::unique_ptr<RandomSm> sm) {
    sms_.push_back(std::move(sm));
    engine_->add(*sms_.back());
  }
  void connect() {
    for (Component* component : memory_->components()) engine_->add(*component);
    engine_->add(*memory_);
  }
  void l2_access(std::uint32_t slice, const CacheAccess& access) override {
    note({slice, access.line, access.sectors});
  }
  void sent(const MemRequest& request, Cycle arrives) override {
    note({request.address, request.sequence, arrives.value});
  }
  void note(std::initializer_list<std::uint64_t> parts) {
    for (const std::uint64_t part : parts) route_ = (route_ ^ part) * 0x9e3779b97f4a7c15ull + (route_ >> 29);
  }

  config::GpuConfig gpu_;
  std::uint64_t kernel_requests_;
  std::uint32_t active_, kernels_ = 0;
  bool between_ = false;  ///< two kernels
  std::unique_ptr<MemorySystem> memory_;
  std::unique_ptr<EpochEngine> engine_;
  std::vector<std::unique_ptr<RandomSm>> sms_;
  std::vector<stats::MetricSet> metrics_;
  std::uint64_t route_ = 0;
};

}  // namespace sassim::arch::testing
