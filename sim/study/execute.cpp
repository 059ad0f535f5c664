// SPDX-License-Identifier: Apache-2.0
#include "sim/study/execute.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "sim/base/durable_file.h"
#include "sim/base/error.h"
#include "sim/config/dump.h"

extern char** environ;

namespace sassim::study {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRuntime = "libcudart.so.11.0";

/// Removed with everything in it when the run is over.
class SessionFolder {
 public:
  SessionFolder() {
    std::string name = (fs::temp_directory_path() / "sassim-XXXXXX").string();
    if (!mkdtemp(name.data())) throw InputError("{}: cannot make a folder for the session", name);
    path_ = name;
  }
  ~SessionFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

fs::path find_runtime(const std::string& asked) {
  std::vector<fs::path> places;
  if (!asked.empty()) {
    places.emplace_back(asked);
  } else {
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    for (const char* folder : {"lib", "../lib/sassim", "../lib"}) places.push_back(here / folder / kRuntime);
  }
  for (const fs::path& place : places)
    if (fs::exists(place)) return fs::canonical(place);
  throw InputError("cannot find {} (looked for {}); build the target 'cudart'", kRuntime, places.front().string());
}

fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (!fs::is_regular_file(name)) throw InputError("{}: no such program", name);
    return name;
  }
  const char* search = std::getenv("PATH");
  std::istringstream folders(search ? search : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path candidate = fs::path(folder) / name;
        access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate))
      return candidate;
  throw InputError("{}: no such program on the PATH (write ./{} for one in this folder)", name, name);
}

void check_program(const fs::path& program) {
  const ProgramKind kind = inspect_program(program.string());
  if (!kind.elf || !kind.has_device_code) return;  // a script or launcher: what it starts may use CUDA
  if (kind.runtime.empty())
    throw NotSupported(
        "{}: linked with the static CUDA runtime, which cannot be replaced; link it again with 'nvcc -cudart shared'",
        program.string());
  if (kind.runtime != kRuntime)
    throw NotSupported("{}: needs {}, this runtime is {}; build it with CUDA 11 ('nvcc -cudart shared')",
                       program.string(), kind.runtime, kRuntime);
}

std::vector<std::string> environment_for(const ExecuteOptions& options, const fs::path& runtime,
                                         const fs::path& session) {
  std::map<std::string, std::string> set = {
      {"SASSIM_SESSION", session.string()},
      {"SASSIM_CONFIG", (session / "config.yaml").string()},
      {"SASSIM_SAVE_TRACES", options.trace_dir.empty() ? "" : fs::absolute(options.trace_dir).string()},
      {"SASSIM_TIMING", options.timing ? "1" : "0"},
      {"SASSIM_THREADS", std::to_string(options.threads)},
      {"SASSIM_CACHES", options.caches},
      {"SASSIM_MAX_INSTRUCTIONS", std::to_string(options.max_instructions)},
      {"LD_LIBRARY_PATH", runtime.parent_path().string()},
  };
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    if (name == "LD_LIBRARY_PATH")
      set[name] += ":" + text.substr(name.size() + 1);
    else if (!set.contains(name))
      all.push_back(text);
  }
  for (const auto& [name, value] : set) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& string : strings) out.push_back(string.data());
  out.push_back(nullptr);
  return out;
}

// The program's exit status as a shell reports it: 128 and the signal's number when it was killed.
int run_program(const fs::path& program, std::vector<std::string> arguments, std::vector<std::string> environment) {
  const std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
  const pid_t child = fork();
  if (child < 0) throw InputError("{}: cannot start another process", program.string());
  if (child == 0) {
    execve(program.c_str(), argv.data(), envp.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void read_kernels(const fs::path& file, report::RunReport& report) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::ordered_json::parse(line);
    report.kernels.push_back(report::kernel_from_json(json, file.string()));
    report.host.warp_instructions += report.kernels.back().warp_instructions;
    report.host.seconds += json.value("host_seconds", 0.0);
  }
}

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::uint64_t children_peak_rss() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

ExecuteResult execute(const config::GpuConfig& config, const ExecuteOptions& options) {
  if (options.command.empty())
    throw UsageError("no program was given: sassim exec --config NAME -- PROGRAM [ARGUMENTS]");
  const fs::path program = find_program(options.command.front());
  check_program(program);
  const fs::path runtime = find_runtime(options.runtime);
  const SessionFolder session;
  write_durably(session.path() / "config.yaml", config::dump_yaml(config));
  if (!options.trace_dir.empty()) fs::create_directories(options.trace_dir);

  ExecuteResult result;
  result.program_status = run_program(program, options.command, environment_for(options, runtime, session.path()));
  if (fs::exists(session.path() / "ended")) {  // the simulation, not the program, ended the process
    const int status = std::stoi(first_line(session.path() / "ended"));
    throw Error(static_cast<ExitStatus>(status), fmt::format("{}: the simulation ended the program", program.string()));
  }
  result.report.config_name = config::shown_name(config);
  result.report.config_hash = config::config_hash(config);
  result.report.config_json = config::to_json(config).dump();
  read_kernels(session.path() / "kernels.jsonl", result.report);
  result.report.host.threads = options.threads;
  result.report.host.peak_rss_bytes = children_peak_rss();
  return result;
}

}  // namespace sassim::study
