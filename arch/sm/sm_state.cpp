// SPDX-License-Identifier: Apache-2.0
// Writes and loads the part of a checkpoint that is one SM: its state between two epochs.
#include "arch/sm/sm.h"
#include "sim/base/state_archive.h"

namespace sassim::arch {

template <class Archive>
void Sm::state(Archive& archive) {
  archive.mark("sm");
  archive(used_slices_, clients_, instructions_, l15_port_, entries_, sync_, shared_units_, stalls_);
  for (auto& part : parts_) {
    archive.mark("processing_block");
    archive(*part);
  }
  archive.mark("allocator");
  archive(allocator_, now_, next_.units_called, launches_.last_memory_event, launches_.wrote, clock_reads_);
}

void Sm::save(StateWriter& to) const {
  const_cast<Sm*>(this)->state(to);  // changes nothing
  units_.save(to);
}

void Sm::load(StateReader& from, const StaticCode& code, const Allocator::FindBlock& find) {
  state(from);
  units_.load(from, code);
  for (auto& part : parts_) part->attach_code();
  allocator_.attach(find);
  next_.empty = empty();
  launches_.untouched = false;
}

}  // namespace sassim::arch
