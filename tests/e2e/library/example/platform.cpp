// SPDX-License-Identifier: Apache-2.0
// platform TRACE GPU LATENCY: a SystemC platform with a GPU whose memory is a TLM-2.0 target of the platform, with this
// latency in nanoseconds.
#include <sassim/gpu_module.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

/// A memory that answers every access after the same time.
class Memory : public sc_core::sc_module {
 public:
  Memory(sc_core::sc_module_name name, const sc_core::sc_time& latency)
      : sc_module(name), socket("socket"), latency_(latency) {
    socket.register_b_transport(this, &Memory::transport);
  }
  tlm_utils::multi_passthrough_target_socket<Memory> socket;
  unsigned long reads = 0, writes = 0, bytes = 0;

 private:
  void transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++(payload.is_read() ? reads : writes);
    bytes += payload.get_data_length();
    delay += latency_;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  sc_core::sc_time latency_;
};

class Host : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Host);
  Host(sc_core::sc_module_name name, sassim::GpuModule& gpu, const sassim::Trace& trace)
      : sc_module(name), gpu_(gpu), trace_(trace) {
    SC_THREAD(launch);
  }
  int status = 0;

 private:
  void launch() {
    try {
      wait(1, sc_core::SC_US);
      const sc_core::sc_time begin = sc_core::sc_time_stamp();
      const sassim::Result result = gpu_.run(trace_);
      std::printf("%llu cycles, %.0f bytes read, %s\n", static_cast<unsigned long long>(result.launches.at(0).cycles),
                  result.launches.at(0).metrics["dram__bytes_read.sum"],
                  (sc_core::sc_time_stamp() - begin).to_string().c_str());
    } catch (const sassim::Error& error) {
      std::fprintf(stderr, "platform: %s\n", error.what());
      status = static_cast<int>(error.status());
    }
  }
  sassim::GpuModule& gpu_;
  sassim::Trace trace_;
};

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    const sassim::Trace trace = sassim::Trace::open(argv[1]);
    sassim::GpuModule gpu("gpu", sassim::Configuration::load(argv[2], {"memory.dram.model=tlm"}));
    Memory memory("memory", sc_core::sc_time(std::atof(argv[3]), sc_core::SC_NS));
    for (std::size_t i = 0; i < gpu.channels(); ++i) gpu.channel(i).bind(memory.socket);
    Host host("host", gpu, trace);
    sc_core::sc_start();
    std::printf("%lu reads, %lu writes, %lu bytes\n", memory.reads, memory.writes, memory.bytes);
    return host.status;
  } catch (const sassim::Error& error) {
    std::fprintf(stderr, "platform: %s\n", error.what());
    return static_cast<int>(error.status());
  }
}
