// SPDX-License-Identifier: Apache-2.0
// several_gpus FOLDER TRACE GPU TRACE GPU: runs both traces, each on its GPU, in every way that one process can, and
// writes the results into the folder: they are the same, whatever else the process simulates.
#include <sassim/sassim.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

namespace {

void write(const std::string& path, const sassim::Result& result) { std::ofstream(path) << result.json; }

void run_all(const std::string& folder, const std::array<sassim::Trace, 2>& traces,
             const std::array<sassim::Configuration, 2>& configurations) {
  std::array<sassim::Gpu, 2> gpus{sassim::Gpu(configurations[0]), sassim::Gpu(configurations[1])};
  for (const std::string turn : {"first", "second"})  // alternating
    for (int i : {0, 1}) write(folder + "/" + turn + std::to_string(i) + ".json", gpus[i].run(traces[i]));

  std::array<std::thread, 2> threads;
  for (int i : {0, 1})
    threads[i] =
        std::thread([&, i] { write(folder + "/thread" + std::to_string(i) + ".json", gpus[i].run(traces[i])); });
  for (std::thread& thread : threads) thread.join();

  sassim::System system;  // at the same simulated time
  sassim::Gpu& a = system.add(configurations[0]);
  sassim::Gpu& b = system.add(configurations[1]);
  sassim::RunOptions two_threads;
  two_threads.threads = 2;
  const auto results = system.run({{&a, &traces[0], {}}, {&b, &traces[1], two_threads}});
  for (int i : {0, 1}) write(folder + "/together" + std::to_string(i) + ".json", results[i]);
}

/// What a wrong use gives.
void show_errors(const sassim::Trace& trace, const sassim::Configuration& configuration) {
  const auto show = [](auto work) {
    try {
      work();
      std::printf("no error\n");
    } catch (const sassim::Error& error) {
      std::printf("%d %s\n", static_cast<int>(error.status()), error.what());
    }
  };
  show([] { sassim::Trace::open("nowhere.sast"); });
  show([] { sassim::Configuration::load("nothing"); });
  show([&] { sassim::Configuration::load(configuration.name(), {"l1.sise=1"}); });
  sassim::Gpu gpu(configuration);
  sassim::RunOptions limited;
  limited.max_cycles = 10;
  show([&] { gpu.run(trace, limited); });
  show([&] { gpu.run(trace).launches.at(0).metrics["gpc__cycles_elapsed.mox"]; });
  sassim::System system;
  sassim::Gpu& of_system = system.add(configuration);
  show([&] { of_system.run(trace); });
  show([&] { system.run({{&of_system, &trace, {}}, {&of_system, &trace, {}}}); });
  struct Stops : sassim::Observer {
    void launch_ended(const sassim::Launch&) override { throw 42; }
  } stops;
  sassim::RunOptions stopped;
  stopped.observer = &stops;
  try {
    gpu.run(trace, stopped);
  } catch (int thrown) {
    std::printf("the observer threw %d\n", thrown);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: several_gpus FOLDER TRACE GPU TRACE GPU\n");
    return 2;
  }
  try {
    const std::array<sassim::Trace, 2> traces{sassim::Trace::open(argv[2]), sassim::Trace::open(argv[4])};
    const std::array<sassim::Configuration, 2> configurations{sassim::Configuration::load(argv[3]),
                                                              sassim::Configuration::load(argv[5])};
    run_all(argv[1], traces, configurations);
    show_errors(traces[0], configurations[0]);
  } catch (const sassim::Error& error) {
    std::fprintf(stderr, "several_gpus: %s\n", error.what());
    return static_cast<int>(error.status());
  }
}
