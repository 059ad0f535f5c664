// SPDX-License-Identifier: Apache-2.0
// Runs launches on one or several GPUs at once, in a SystemC simulation of their own or of a platform.
#include "arch/gpu/system.h"

#include <exception>
#include <optional>
#include <set>
#include <systemc>

#include "arch/common/simulation_context.h"
#include "arch/common/thread_team.h"
#include "arch/gpu/gpu_impl.h"
#include "sim/base/default_float.h"
#include "sim/base/error.h"

namespace sassim::arch {

struct System::Impl {
  std::optional<SimulationContext> own;
  bool elaborated = false;
  unsigned gpus = 0, active = 0;
  std::weak_ptr<ThreadTeam> team;
};

System::System(Simulation simulation) : impl_(std::make_unique<Impl>()) {
  if (simulation == Simulation::own) impl_->own.emplace();
}
System::~System() = default;

bool System::in_platform() const { return !impl_->own; }
bool System::shared() const { return in_platform() || impl_->gpus > 1; }

void System::use(const std::function<void()>& work) {
  if (impl_->own)
    impl_->own->use(work);
  else
    work();
}

void System::join() {
  if (impl_->elaborated) throw UsageError("a GPU joins a system before the first launch on any GPU of that system");
  ++impl_->gpus;
}

void System::elaborate() {
  if (impl_->elaborated) return;
  if (impl_->own)
    use([] { sc_core::sc_start(sc_core::SC_ZERO_TIME); });
  else if (!sc_core::sc_start_of_simulation_invoked())
    throw UsageError(
        "a launch on a GPU in a SystemC platform before the simulation has started: call it in an SC_THREAD");
  impl_->elaborated = true;
}

void System::begin() { ++impl_->active; }

void System::end() {
  if (--impl_->active == 0 && impl_->own) sc_core::sc_pause();
}

void System::run_processes() {
  use([] { sc_core::sc_start(); });
}

std::shared_ptr<ThreadTeam> System::team(unsigned threads) {
  std::shared_ptr<ThreadTeam> team = impl_->team.lock();
  if (!team) impl_->team = team = std::make_shared<ThreadTeam>(threads);
  return team;
}

namespace {

void check(const System& system, const std::vector<System::Work>& all) {
  if (system.in_platform()) throw UsageError("in a SystemC platform, each launch is run by a thread of the platform");
  std::set<const Gpu*> used;
  for (const System::Work& work : all)
    if (!used.insert(work.gpu).second) throw UsageError("a GPU has two works in one run; join them to one");
}

}  // namespace

/// Takes a GPU through its launches, in its process.
struct System::Program {
  const Work& work;
  Gpu::Impl& gpu;
  std::size_t number = 0;
  std::function<Cycle()> step;

  explicit Program(const Work& of) : work(of), gpu(*of.gpu->impl_), step([this] { return next(); }) { begin(); }
  void begin() { gpu.begin(*work.launches[number].source, work.launches[number].options); }
  Cycle next() {
    const Cycle at = gpu.running->step();
    if (at != kNever) return at;
    work.done(number, gpu.finish());
    if (++number == work.launches.size()) return kNever;
    begin();
    return gpu.start;
  }
};

void System::run(const std::vector<Work>& all) {
  const DefaultFloat default_float;
  check(*this, all);
  std::vector<std::unique_ptr<Program>> programs;
  for (const Work& work : all)
    if (!work.launches.empty()) programs.push_back(std::make_unique<Program>(work));
  for (const auto& program : programs) program->gpu.module.start(program->step);
  if (!programs.empty()) run_processes();
  std::exception_ptr error;
  for (const auto& program : programs) try {
      program->gpu.module.rethrow();
    } catch (...) {
      if (!error) error = std::current_exception();
    }
  if (error) std::rethrow_exception(error);
}

}  // namespace sassim::arch
