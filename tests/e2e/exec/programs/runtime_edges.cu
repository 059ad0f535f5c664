// SPDX-License-Identifier: Apache-2.0
// What a CUDA runtime answers at its edges: each case prints the results of its steps on one line. A case runs in a
// process of its own, several of them side by side. With a name as argument, only that case runs. The answers of an
// H200 are in runtime_edges_h200.txt of validation/measured/outputs.tar.xz. No case prints an address.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <string>

#include "runtime_edges/code.h"
#include "runtime_edges/common.h"
#include "runtime_edges/registered.h"
#include "runtime_edges/reset_objects.h"
#include "runtime_edges/reset_state.h"
#include "runtime_edges/sizes.h"

namespace {

#define CASE(name, ...)       \
  {                           \
    name, [] { __VA_ARGS__; } \
  }
const std::map<std::string, void (*)()> kCases = {
    CASE("register", register_plain(cudaHostRegisterDefault)),
    CASE("register-mapped", register_plain(cudaHostRegisterMapped)),
    CASE("register-portable", register_plain(cudaHostRegisterPortable)),
    CASE("register-low", register_unmapped_low()),
    CASE("register-unmapped", register_unmapped()),
    CASE("register-half", register_half_mapped()),
    CASE("register-none", register_protected(PROT_NONE, 0)),
    CASE("register-read", register_protected(PROT_READ, 0)),
    CASE("register-read-mapped", register_protected(PROT_READ, cudaHostRegisterMapped)),
    CASE("register-read-only", register_protected(PROT_READ, cudaHostRegisterReadOnly)),
    CASE("register-write-read-only", register_protected(PROT_READ | PROT_WRITE, cudaHostRegisterReadOnly)),
    CASE("register-none-read-only", register_protected(PROT_NONE, cudaHostRegisterReadOnly)),
    CASE("register-attribute", register_read_only_attribute()),
    CASE("register-constants", register_program_constants()),
    CASE("register-overlaps", register_overlaps()),
    CASE("register-page", register_in_one_page()),
    CASE("register-arguments", register_arguments()),
    CASE("register-others", register_other_memory()),
    CASE("register-shared-file", register_file(0)),
    CASE("register-private-file", register_file(1)),
    CASE("register-short-file", register_file(2)),
    CASE("device-pointer", device_pointer_of_others()),
    CASE("registered-unmapped", registered_then(0)),
    CASE("registered-read-only", registered_then(1)),
    CASE("registered-protected", registered_then(2)),
    CASE("registered-replaced", registered_then(3)),
    CASE("registered-freed", registered_then_freed()),
    CASE("pageable", pageable_store()),
    CASE("copy-from-unmapped", copy_unmapped(0)),
    CASE("copy-to-unmapped", copy_unmapped(1)),
    CASE("copy-to-read-only", copy_unmapped(2)),
    CASE("copy-from-registered-unmapped", copy_registered_then_unmapped(0)),
    CASE("copy-to-registered-unmapped", copy_registered_then_unmapped(1)),
    CASE("call-null", call_pointer(0)),
    CASE("call-16", call_pointer(16)),
    CASE("call-low", call_pointer(0x10000)),
    CASE("call-nowhere", call_pointer(0x123456789a)),
    CASE("call-high", call_pointer(0xffffffffffffff00)),
    CASE("call-data", call_pointer(1)),
    CASE("call-null-by-one-lane", call_pointer_some(0)),
    CASE("call-nowhere-by-one-lane", call_pointer_some(0x1234567890)),
    CASE("call-function", call_pointer_real(0)),
    CASE("call-function-8", call_pointer_real(8)),
    CASE("constant-15", read_constant(15)),
    CASE("constant-16", read_constant(16)),
    CASE("constant-64", read_constant(64)),
    CASE("constant-1000", read_constant(1000)),
    CASE("constant-8000", read_constant(8000)),
    CASE("constant-16383", read_constant(16383)),
    CASE("constant-16384", read_constant(16384)),
    CASE("constant-20000", read_constant(20000)),
    CASE("constant-1Mi", read_constant(1 << 20)),
    CASE("constant-512Mi", read_constant(1 << 29)),
    CASE("constant-minus-1", read_constant(-1)),
    CASE("constant-minus-9", read_constant(-9)),
    CASE("constant-minus-1Mi", read_constant(-(1 << 20))),
    CASE("constant-by-lane-16", read_constant_by_lane(16)),
    CASE("constant-by-lane-16384", read_constant_by_lane(16384)),
    CASE("constant-by-lane-minus-9", read_constant_by_lane(-9)),
    CASE("constant-wide-8192", read_wide_constant(8192)),
    CASE("parameter-15", read_parameter(15)),
    CASE("parameter-5000", read_parameter(5000)),
    CASE("parameter-16384", read_parameter(16384)),
    CASE("parameter-1Mi", read_parameter(1 << 20)),
    CASE("parameter-minus-1Mi", read_parameter(-(1 << 20))),
    CASE("pitch-4Ei", malloc_pitch(std::size_t{1} << 62, 4)),
    CASE("pitch-all", malloc_pitch(~std::size_t{0}, 1)),
    CASE("pitch-wraps", malloc_pitch(std::size_t{1} << 32, std::size_t{1} << 32)),
    CASE("pitch-all-but-511", malloc_pitch(~std::size_t{0} - 511, 1)),
    CASE("pitch-high", malloc_pitch(4, ~std::size_t{0})),
    CASE("pitch-no-width", malloc_pitch(0, 4)),
    CASE("pitch-no-height", malloc_pitch(4, 0)),
    CASE("pitch-large", malloc_pitch(std::size_t{1} << 40, 64)),
    CASE("pitch-3Gi", malloc_pitch(std::size_t{3} << 30, 1)),
    CASE("pitch-100", malloc_pitch(100, 3)),
    CASE("3d-wraps", malloc_3d(std::size_t{1} << 40, 1 << 20, 1 << 10)),
    CASE("3d-all", malloc_3d(~std::size_t{0} - 5, 1, 1)),
    CASE("3d-rows-wrap", malloc_3d(4, std::size_t{1} << 32, std::size_t{1} << 32)),
    CASE("3d-no-depth", malloc_3d(4, 4, 0)),
    CASE("3d-small", malloc_3d(100, 3, 2)),
    CASE("malloc-sizes", malloc_sizes()),
    CASE("malloc-async-sizes", malloc_async_sizes()),
    CASE("host-sizes", host_sizes()),
    CASE("managed-sizes", managed_sizes()),
    CASE("array-sizes", array_sizes()),
    CASE("reset-variables", reset_variables()),
    CASE("reset-frees", reset_frees()),
    CASE("reset-pending", reset_pending()),
    CASE("reset-pending-copy", reset_pending_copy()),
    CASE("reset-pointer-copy", reset_pointer(0)),
    CASE("reset-pointer-free", reset_pointer(1)),
    CASE("reset-pointer-store", reset_pointer(2)),
    CASE("reset-pointer-fill", reset_pointer(3)),
    CASE("reset-pointer-attributes", reset_pointer(4)),
    CASE("reset-stream-synchronize", reset_stream(0)),
    CASE("reset-stream-query", reset_stream(1)),
    CASE("reset-stream-destroy", reset_stream(2)),
    CASE("reset-stream-launch", reset_stream(3)),
    CASE("reset-stream-copy", reset_stream(4)),
    CASE("reset-event-record", reset_event(0)),
    CASE("reset-event-query", reset_event(1)),
    CASE("reset-event-synchronize", reset_event(2)),
    CASE("reset-event-elapsed", reset_event(3)),
    CASE("reset-event-destroy", reset_event(4)),
    CASE("reset-event-wait", reset_event(5)),
    CASE("reset-graph-launch", reset_graph(0)),
    CASE("reset-graph-instantiate", reset_graph(1)),
    CASE("reset-graph-exec-destroy", reset_graph(2)),
    CASE("reset-graph-destroy", reset_graph(3)),
    CASE("reset-array-free", reset_array(0)),
    CASE("reset-texture-destroy", reset_array(1)),
    CASE("reset-array-copy", reset_array(2)),
    CASE("reset-pinned-read", reset_pinned(0)),
    CASE("reset-pinned-free", reset_pinned(1)),
    CASE("reset-pinned-store", reset_pinned(2)),
    CASE("reset-pinned-pointer", reset_pinned(3)),
    CASE("reset-registered-unregister", reset_registered(0)),
    CASE("reset-registered-register", reset_registered(1)),
    CASE("reset-registered-store", reset_registered(2)),
    CASE("reset-registered-pointer", reset_registered(3)),
    CASE("reset-managed-read", reset_managed_memory(0)),
    CASE("reset-managed-free", reset_managed_memory(1)),
    CASE("reset-managed-store", reset_managed_memory(2)),
    CASE("reset-managed-variable-read", reset_managed_variable(0)),
    CASE("reset-managed-variable-write", reset_managed_variable(1)),
    CASE("reset-managed-variable-kernel", reset_managed_variable(2)),
    CASE("reset-settings", reset_settings()),
    CASE("reset-first-device-flags", first_device_flags()),
    CASE("reset-device-flags", reset_device_flags()),
    CASE("reset-function-attribute", reset_function_attribute()),
    CASE("reset-last-error", reset_last_error()),
    CASE("reset-fault-address", reset_fault(0)),
    CASE("reset-fault-trap", reset_fault(1)),
    CASE("reset-fault-misaligned", reset_fault(2)),
    CASE("reset-fault-unseen", reset_fault_unseen()),
    CASE("reset-fault-read", reset_fault_read()),
    CASE("reset-twice", reset_twice()),
    CASE("reset-capture-global", reset_in_capture(0)),
    CASE("reset-capture-thread", reset_in_capture(1)),
    CASE("reset-capture-relaxed", reset_in_capture(2)),
    CASE("reset-thread", reset_from_a_thread()),
    CASE("reset-prints", reset_prints()),
    CASE("reset-pool", reset_pool()),
#if CUDART_VERSION < 12000
    CASE("reset-thread-exit", reset_thread_exit()),
#endif
    CASE("reset-callback", reset_callback()),
    CASE("sticky", sticky(0)),
    CASE("sticky-trap", sticky(1)),
};

void run_case(const std::string& name, void (*run)()) {
  alarm(name == "reset-frees" ? 60 : 5);
  line.clear();
  run();
  std::puts(line.c_str());
  std::fflush(stdout);
}

/// Runs a case in a child, whose output the parent reads.
struct Child {
  std::string name;
  pid_t process;
  int output;
};
Child begin(const std::string& name, void (*run)()) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    run_case(name, run);
    _exit(0);
  }
  close(ends[1]);
  return {name, process, ends[0]};
}
void finish(const Child& child) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(child.output, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(child.output);
  int status = 0;
  waitpid(child.process, &status, 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (WIFSIGNALED(status)) text += "[signal " + std::to_string(WTERMSIG(status)) + "]";
  std::printf("%s: %s\n", child.name.c_str(), text.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) {
    const auto found = kCases.find(arguments[1]);
    if (found == kCases.end()) return 2;
    run_case(found->first, found->second);
    return 0;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  constexpr std::size_t kSideBySide = 8;
  std::deque<Child> children;
  for (const auto& [name, run] : kCases) {
    if (children.size() == kSideBySide) {
      finish(children.front());
      children.pop_front();
    }
    children.push_back(begin(name, run));
  }
  for (const Child& child : children) finish(child);
  return 0;
}
