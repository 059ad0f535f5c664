// SPDX-License-Identifier: Apache-2.0
// Saving and loading one object, for tests of checkpoints.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "sim/base/state_archive.h"

namespace sassim::testing {

template <class T>
std::string saved(const T& object) {
  StateWriter writer;
  writer(object);
  return std::move(writer.bytes());
}

/// Loads what saved() returned, and expects that the object reads all of it.
template <class T>
void load(T& object, const std::string& bytes) {
  StateReader reader(bytes);
  reader(object);
  EXPECT_TRUE(reader.at_end());
}

}  // namespace sassim::testing
