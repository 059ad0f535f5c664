// SPDX-License-Identifier: Apache-2.0
// The edge of the library: the one type of exception that leaves it is Error, apart from those of the caller's
// observer.
#pragma once

#include <exception>
#include <filesystem>
#include <new>
#include <string>

#include "sim/base/error.h"

namespace sassim::library {

/// What an observer threw, on its way to the caller.
struct FromObserver {
  std::exception_ptr thrown;
};

template <class Work>
decltype(auto) guarded(Work work) {
  try {
    return work();
  } catch (const FromObserver& observer) {
    std::rethrow_exception(observer.thrown);
  } catch (const Error& error) {
    throw Error(error.status(), error.what());
  } catch (const std::bad_alloc&) {
    throw Error(ExitStatus::bad_input, "not enough memory: close other programs");
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(ExitStatus::bad_input, error.path1().string() + ": " + error.code().message());
  } catch (const std::exception& error) {
    throw Error(ExitStatus::internal, std::string("internal error: ") + error.what());
  }
}

/// A call of an observer.
template <class Work>
void told(Work work) {
  try {
    work();
  } catch (...) {
    throw FromObserver{std::current_exception()};
  }
}

}  // namespace sassim::library
