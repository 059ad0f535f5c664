// SPDX-License-Identifier: Apache-2.0
// Builds the SystemC modules of a GPU, and the process that steps it from epoch to epoch.
#include "arch/gpu/gpu_module.h"

#include <cmath>
#include <exception>
#include <systemc>
#include <utility>

#include "arch/gpu/memory_sockets.h"
#include "arch/gpu/signal_dump.h"
#include "arch/sm/sm.h"
#include "sim/config/gpu_config.h"

namespace sassim::arch {

using sc_core::sc_module_name;

/// What the memory offers to an SM through its SystemC port.
class MemoryDoor : public virtual sc_core::sc_interface {
 public:
  virtual MemoryPort& port_of(SmId sm) = 0;
};

class MemoryModule : public sc_core::sc_module, public MemoryDoor {
 public:
  MemoryModule(sc_module_name name, const config::GpuConfig& config)
      : sc_module(name), door("door"), system(MemorySystem::make(config)), sockets(config, system->outside_channels()) {
    door.bind(*this);
    if (sockets.size() != 0) system->answer_by(sockets);
  }
  MemoryPort& port_of(SmId sm) override { return system->port(sm); }

  sc_core::sc_export<MemoryDoor> door;
  std::unique_ptr<MemorySystem> system;
  MemorySockets sockets;
};

class ProcessingBlockModule : public sc_core::sc_module {
 public:
  explicit ProcessingBlockModule(sc_module_name name) : sc_module(name) {}
};

class SmModule : public sc_core::sc_module {
 public:
  SmModule(sc_module_name name, const config::GpuConfig& config, SmId id)
      : sc_module(name), memory("memory"), config_(config), id_(id) {
    for (std::uint32_t i = 0; i < config.sm.processing_blocks; ++i)
      blocks_.push_back(std::make_unique<ProcessingBlockModule>(fmt::format("processing_block{}", i).c_str()));
  }
  void end_of_elaboration() override { sm = std::make_unique<Sm>(config_, id_, memory->port_of(id_)); }

  sc_core::sc_port<MemoryDoor> memory;
  std::unique_ptr<Sm> sm;

 private:
  const config::GpuConfig& config_;
  SmId id_;
  std::vector<std::unique_ptr<ProcessingBlockModule>> blocks_;
};

class TopModule : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(TopModule);
  TopModule(sc_module_name name, System& system, const config::GpuConfig& config)
      : sc_module(name),
        memory("memory", config),
        system_(system),
        config_(config),
        picoseconds_(1e12 / static_cast<double>(config.clock.sm)) {
    for (std::uint32_t i = 0; i < config.sm.count; ++i) {
      sms.push_back(
          std::make_unique<SmModule>(fmt::format("sm{}", i).c_str(), config, SmId(static_cast<std::uint16_t>(i))));
      sms.back()->memory.bind(memory.door);
    }
    SC_METHOD(epochs);
  }

  const config::GpuConfig& config() const { return config_; }
  sc_core::sc_time time_of(Cycle cycle) const {
    return {static_cast<double>(cycle.value) * picoseconds_, sc_core::SC_PS};
  }
  Cycle clock() const {
    const double now = sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS);
    return Cycle(static_cast<std::uint64_t>(std::ceil(now / picoseconds_)));
  }
  void start(const std::function<Cycle()>& step) {
    step_ = &step;
    error = nullptr;
    system_.begin();
    begin_.notify(sc_core::SC_ZERO_TIME);
  }
  void wait_for_end() { sc_core::wait(end_); }

  MemoryModule memory;
  std::vector<std::unique_ptr<SmModule>> sms;
  std::exception_ptr error;

 private:
  // A method, not a thread: the simulation stays on the caller's stack, where sanitizers and debuggers can follow it.
  void epochs() {
    while (step_ != nullptr) {
      Cycle next = kNever;
      try {
        next = (*step_)();
      } catch (...) {
        error = std::current_exception();
      }
      if (next == kNever) {
        step_ = nullptr;
        end_.notify(sc_core::SC_ZERO_TIME);
        system_.end();
        break;
      }
      const sc_core::sc_time at = time_of(next);
      if (at > sc_core::sc_time_stamp()) {
        next_trigger(at - sc_core::sc_time_stamp());
        return;
      }
    }
    next_trigger(begin_);
  }

  System& system_;
  const config::GpuConfig& config_;
  double picoseconds_;
  const std::function<Cycle()>* step_ = nullptr;
  sc_core::sc_event begin_, end_;
};

struct GpuModule::Impl {
  System& system;
  std::unique_ptr<TopModule> top{};
  std::unique_ptr<SignalDump> dump{};
};

GpuModule::GpuModule(System& system, const config::GpuConfig& config, const std::string& name)
    : impl_(new Impl{system}) {
  system.join();
  system.use([&] { impl_->top = std::make_unique<TopModule>(name.c_str(), system, config); });
}

GpuModule::~GpuModule() {
  impl_->system.use([&] {
    impl_->dump.reset();
    impl_->top.reset();
  });
}

std::vector<Sm*> GpuModule::sms() {
  std::vector<Sm*> all;
  for (auto& module : impl_->top->sms) all.push_back(module->sm.get());
  return all;
}

MemorySockets& GpuModule::sockets() { return impl_->top->memory.sockets; }

MemorySystem& GpuModule::memory() { return *impl_->top->memory.system; }

std::vector<std::string> GpuModule::names() const {
  std::vector<std::string> all;
  const std::function<void(const sc_core::sc_object&)> visit = [&](const sc_core::sc_object& object) {
    if (dynamic_cast<const sc_core::sc_module*>(&object) == nullptr) return;
    all.push_back(object.name());
    for (const sc_core::sc_object* child : object.get_child_objects()) visit(*child);
  };
  visit(*impl_->top);
  return all;
}

Cycle GpuModule::clock() const {
  Cycle at;
  impl_->system.use([&] { at = impl_->top->clock(); });
  return at;
}

SignalDump& GpuModule::dump(const SignalFile& file) {
  if (!impl_->dump) impl_->system.use([&] { impl_->dump = std::make_unique<SignalDump>(file, impl_->top->config()); });
  return *impl_->dump;
}

void GpuModule::start(const std::function<Cycle()>& step) {
  impl_->system.use([&] { impl_->top->start(step); });
}

void GpuModule::rethrow() {
  if (impl_->top->error) std::rethrow_exception(std::exchange(impl_->top->error, nullptr));
}

void GpuModule::run(const std::function<Cycle()>& step) {
  start(step);
  if (impl_->system.in_platform())
    impl_->top->wait_for_end();
  else
    impl_->system.run_processes();
  rethrow();
}

void GpuModule::wait_until(Cycle at) {
  if (!impl_->system.in_platform()) return;
  const sc_core::sc_time end = impl_->top->time_of(at);
  if (end > sc_core::sc_time_stamp()) sc_core::wait(end - sc_core::sc_time_stamp());
}

}  // namespace sassim::arch
