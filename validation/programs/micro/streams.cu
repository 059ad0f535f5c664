// SPDX-License-Identifier: Apache-2.0
//
// Kernels and copies of several streams. `streams.<case>.<way>`: microseconds between two events, the first behind a kernel
// that holds all streams back until everything is submitted, the second behind all work of the case. Blocks of `half`,
// `quarter`, `tail` and `priority` fill an SM each by their shared memory; w<n>: dependent additions of a thread.
//   half        kernels of half as many blocks as SMs: alone, two in one stream, two in two streams, with an event between
//   quarter     four kernels of a quarter of the SMs in one and in four streams; with the legacy default stream between
//   tail        kernels of one and a half waves: alone, two in one stream, in two streams
//   fit         blocks that fit together on one SM, of kernels that cover all SMs; `issue`: the same with all issue slots in use
//   carveout    a kernel without shared memory, then one whose blocks need most of an SM's
//   short       sixteen short kernels: in one stream and in turn in two and four, of a quarter of the SMs and of all
//   priority    eight waves, and a kernel of one wave that is ready in the middle of the first: end of each
//   take        cycles on one SM from the end of a block to the start of the next one, of the next kernel
//   copy        copies between host and device: pinned and pageable, alone and beside other work
#include <chrono>
#include <functional>

#include "bench.h"

namespace {

/// `steps` dependent additions per thread, in `chains` independent chains.
template <int chains>
__global__ void add(int steps, float* sink) {
    float a[chains];
    for (int c = 0; c < chains; ++c) a[c] = sink[c];
#pragma unroll 1
    for (int i = 0; i < steps; i += 8) {
#pragma unroll
        for (int j = 0; j < 8 * chains; ++j) asm volatile("add.rn.f32 %0, %0, %0;" : "+f"(a[j % chains]));
    }
    for (int c = 0; c < chains; ++c)
        if (a[c] == 1234.0f) sink[c] = a[c];
}

__global__ void timed_add(int steps, float* sink, bench::Life* lives) {
    uint64_t start = bench::now();
    float a = sink[0];
#pragma unroll 1
    for (int i = 0; i < steps; i += 8) {
#pragma unroll
        for (int j = 0; j < 8; ++j) asm volatile("add.rn.f32 %0, %0, %0;" : "+f"(a));
    }
    if (a == 1234.0f) sink[0] = a;
    uint64_t end = bench::now();
    if (threadIdx.x == 0) lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
}

constexpr int kStreams = 4;
constexpr unsigned kThreads = 32;

class Probe {
public:
    explicit Probe(const bench::Args& args)
        : sms_(bench::device().multiProcessorCount),
          room_(static_cast<int>(bench::device().sharedMemPerBlockOptin) - 1024),
          repeats_(static_cast<int>(args.number("repeats", 1, 9))),
          only_(args.text("only", "")),
          gate_steps_(static_cast<int>(args.number("gate", 20000, 400000))),
          sink_(64) {
        sink_.clear();
        CUDA_OK(cudaDeviceGetStreamPriorityRange(&low_, &high_));
        for (cudaStream_t& stream : streams_) CUDA_OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, low_));
        for (cudaStream_t& stream : blocking_) CUDA_OK(cudaStreamCreate(&stream));
        CUDA_OK(cudaStreamCreateWithPriority(&urgent_, cudaStreamNonBlocking, high_));
        for (cudaEvent_t& event : events_) CUDA_OK(cudaEventCreate(&event));
        CUDA_OK(cudaFuncSetAttribute(add<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, room_));
        CUDA_OK(cudaFuncSetAttribute(add<2>, cudaFuncAttributePreferredSharedMemoryCarveout, 100));  // as its neighbours
        CUDA_OK(cudaFuncSetAttribute(timed_add, cudaFuncAttributeMaxDynamicSharedMemorySize, room_));
    }

    void half(int steps) {
        const std::string id = "streams.half.w" + std::to_string(steps);
        const auto one = [&](int stream) { fill(sms_ / 2, steps, streams_[stream]); };
        timed(id + ".alone", [&] { one(0); });
        timed(id + ".one_stream", [&] { one(0), one(0); });
        timed(id + ".two_streams", [&] { one(0), one(1); });
        timed(id + ".three_streams", [&] { one(0), one(1), one(2); });
        timed(id + ".event_between", [&] {
            one(0);
            CUDA_OK(cudaEventRecord(events_[kBetween], streams_[0]));
            CUDA_OK(cudaStreamWaitEvent(streams_[1], events_[kBetween], 0));
            one(1);
        });
    }

    void quarter(int steps) {
        const std::string id = "streams.quarter.w" + std::to_string(steps);
        const auto one = [&](cudaStream_t stream) { fill(sms_ / 4, steps, stream); };
        timed(id + ".one_stream", [&] { for (int i = 0; i < 4; ++i) one(streams_[0]); });
        timed(id + ".four_streams", [&] { for (int i = 0; i < 4; ++i) one(streams_[i]); });
        timed(id + ".default_between_nonblocking", [&] { one(streams_[0]), one(nullptr), one(streams_[1]); }, true);
        timed(id + ".default_between_blocking", [&] { one(blocking_[0]), one(nullptr), one(blocking_[1]); }, true);
    }

    void tail(int steps) {
        const std::string id = "streams.tail.w" + std::to_string(steps);
        const auto one = [&](int stream) { fill(sms_ + sms_ / 2, steps, streams_[stream]); };
        timed(id + ".alone", [&] { one(0); });
        timed(id + ".one_stream", [&] { one(0), one(0); });
        timed(id + ".two_streams", [&] { one(0), one(1); });
    }

    void shared_sms(int steps) {
        const auto several = [&](const std::string& name, const std::function<void(int)>& one) {
            const std::string id = "streams." + name + ".w" + std::to_string(steps);
            timed(id + ".alone", [&] { one(0); });
            timed(id + ".one_stream", [&] { one(0), one(0); });
            timed(id + ".two_streams", [&] { one(0), one(1); });
        };
        several("fit", [&](int stream) { add<1><<<sms_, 256, 0, streams_[stream]>>>(steps, sink_.get()); });
        several("issue", [&](int stream) { add<4><<<sms_, 1024, 0, streams_[stream]>>>(steps / 4, sink_.get()); });
        several("slots", [&](int stream) { add<1><<<3 * sms_, 1024, 0, streams_[stream]>>>(steps / 4, sink_.get()); });
        several("carveout", [&](int stream) {
            if (stream == 0) add<1><<<sms_, kThreads, 0, streams_[0]>>>(steps, sink_.get());
            else add<1><<<sms_, kThreads, room_ / 2, streams_[1]>>>(steps, sink_.get());
        });
        several("uncarve", [&](int stream) {
            if (stream == 0) add<1><<<sms_, kThreads, room_ / 2, streams_[0]>>>(steps, sink_.get());
            else add<1><<<sms_, kThreads, 0, streams_[1]>>>(steps, sink_.get());
        });
    }

    void shorts(int steps) {
        const std::string id = "streams.short.w" + std::to_string(steps);
        for (const bool whole : {false, true})
            for (int used : {1, 2, 4})
                timed(id + (whole ? ".whole" : ".quarter") + ".streams" + std::to_string(used), [&] {
                    for (int i = 0; i < 16; ++i) fill(whole ? sms_ : sms_ / 4, steps, streams_[i % used]);
                });
    }

    void priority(int steps) {
        for (const bool urgent : {false, true}) {
            const std::string id = std::string("streams.priority.") + (urgent ? "high" : "equal");
            cudaStream_t second = urgent ? urgent_ : streams_[1];
            std::vector<double> of_first, of_second;
            for (int i = 0; i < repeats_; ++i) {
                gate();
                CUDA_OK(cudaStreamWaitEvent(second, events_[kBegin], 0));
                add<2><<<1, kThreads, 0, second>>>(steps / 4, sink_.get());  // until the middle of the first wave
                fill(8 * sms_, steps, streams_[0]);
                fill(sms_, steps, second);
                CUDA_OK(cudaEventRecord(events_[kEnd], streams_[0]));
                CUDA_OK(cudaEventRecord(events_[kBetween], second));
                bench::finish();
                of_first.push_back(elapsed(events_[kEnd]));
                of_second.push_back(elapsed(events_[kBetween]));
            }
            median(id + ".of_eight_waves", of_first);
            median(id + ".of_one_wave", of_second);
        }
    }

    void take(int steps) {
        for (const int used : {1, 2}) {
            const auto blocks = static_cast<std::size_t>(sms_);
            bench::Buffer<bench::Life> first(blocks), second(blocks);
            for (int i = 0; i < 2; ++i) {  // the second time code is in the caches
                gate();
                hold(used);
                timed_add<<<sms_, kThreads, room_, streams_[0]>>>(steps, sink_.get(), first.get());
                timed_add<<<sms_, kThreads, room_, streams_[used - 1]>>>(steps, sink_.get(), second.get());
                bench::finish();
            }
            std::map<uint32_t, uint64_t> ends;
            for (const bench::Life& life : first.download()) ends[life.sm] = life.end;
            std::vector<double> gaps;
            for (const bench::Life& life : second.download())
                gaps.push_back(static_cast<double>(life.start) - static_cast<double>(ends[life.sm]));
            bench::emit_percentiles("streams.take.streams" + std::to_string(used), gaps, "cycles");
        }
    }

    void copies(std::size_t most, int steps) {
        char *pinned = nullptr, *back = nullptr;
        CUDA_OK(cudaMallocHost(&pinned, most));
        CUDA_OK(cudaMallocHost(&back, most));
        std::memset(pinned, 1, most);
        std::memset(back, 2, most);
        bench::Buffer<char> device(most), other(most);
        const auto in = [&](std::size_t bytes, int stream) {
            CUDA_OK(cudaMemcpyAsync(device.get(), pinned, bytes, cudaMemcpyHostToDevice, streams_[stream]));
        };
        const auto out = [&](std::size_t bytes, int stream) {
            CUDA_OK(cudaMemcpyAsync(back, other.get(), bytes, cudaMemcpyDeviceToHost, streams_[stream]));
        };
        std::vector<std::size_t> sizes;
        for (std::size_t bytes = 4; bytes < most; bytes *= 16) sizes.push_back(bytes);
        sizes.push_back(most);
        for (const std::size_t bytes : sizes) {
            const std::string id = "streams.copy.b" + std::to_string(bytes);
            timed(id + ".to_device", [&] { in(bytes, 0); });
            timed(id + ".to_host", [&] { out(bytes, 0); });
            timed(id + ".on_device", [&] {
                CUDA_OK(cudaMemcpyAsync(device.get(), other.get(), bytes, cudaMemcpyDeviceToDevice, streams_[0]));
            });
            timed(id + ".fill", [&] { CUDA_OK(cudaMemsetAsync(device.get(), 0, bytes, streams_[0])); });
        }
        const std::string id = "streams.copy.b" + std::to_string(most);
        timed(id + ".both_one_stream", [&] { in(most, 0), out(most, 0); });
        timed(id + ".both_two_streams", [&] { in(most, 0), out(most, 1); });
        timed(id + ".same_way_two_streams", [&] { in(most / 2, 0), in(most / 2, 1); });
        const std::string work = ".w" + std::to_string(steps);
        timed("streams.copy.kernel" + work, [&] { fill(sms_, steps, streams_[1]); });
        timed(id + ".beside_kernel" + work, [&] { in(most, 0), fill(sms_, steps, streams_[1]); });
        timed(id + ".before_kernel" + work, [&] { in(most, 0), fill(sms_, steps, streams_[0]); });
        pageable(most);
        CUDA_OK(cudaFreeHost(pinned));
        CUDA_OK(cudaFreeHost(back));
    }

private:
    enum { kBegin, kEnd, kBetween, kJoin, kEvents = kJoin + 2 * kStreams };

    /// A kernel of blocks that fill an SM each.
    void fill(int blocks, int steps, cudaStream_t stream) {
        add<1><<<static_cast<unsigned>(blocks), kThreads, static_cast<std::size_t>(room_), stream>>>(steps, sink_.get());
    }
    /// Holds stream 0 until the host has submitted a case; then event kBegin.
    void gate() {
        add<1><<<1, kThreads, 0, streams_[0]>>>(gate_steps_, sink_.get());
        CUDA_OK(cudaEventRecord(events_[kBegin], streams_[0]));
    }
    void hold(int used) {
        for (int i = 1; i < used; ++i) CUDA_OK(cudaStreamWaitEvent(streams_[i], events_[kBegin], 0));
    }
    double elapsed(cudaEvent_t end) {
        float milliseconds = 0;
        CUDA_OK(cudaEventElapsedTime(&milliseconds, events_[kBegin], end));
        return milliseconds * 1e3;
    }
    /// The median, the least and the most of the repetitions; the first is a rehearsal when there are several.
    void median(const std::string& id, std::vector<double> values) {
        if (values.size() > 1) values.erase(values.begin());
        std::sort(values.begin(), values.end());
        bench::emit(id, values[values.size() / 2], "us");
        if (values.size() == 1) return;
        bench::emit(id + ".min", values.front(), "us");
        bench::emit(id + ".max", values.back(), "us");
    }
    template <class Work>
    void timed(const std::string& id, const Work& work, bool defaults = false) {
        if (id.find(only_) == std::string::npos) return;
        std::vector<double> values;
        for (int i = 0; i < repeats_; ++i) {
            gate();
            hold(kStreams);
            if (defaults) {
                CUDA_OK(cudaStreamWaitEvent(nullptr, events_[kBegin], 0));
                for (cudaStream_t stream : blocking_) CUDA_OK(cudaStreamWaitEvent(stream, events_[kBegin], 0));
            }
            work();
            int join = kJoin;
            const auto wait_for = [&](cudaStream_t stream) {
                CUDA_OK(cudaEventRecord(events_[join], stream));
                CUDA_OK(cudaStreamWaitEvent(streams_[0], events_[join++], 0));
            };
            for (int s = 1; s < kStreams; ++s) wait_for(streams_[s]);
            if (defaults) {
                wait_for(nullptr);
                for (cudaStream_t stream : blocking_) wait_for(stream);
            }
            CUDA_OK(cudaEventRecord(events_[kEnd], streams_[0]));
            bench::finish();
            values.push_back(elapsed(events_[kEnd]));
        }
        median(id, values);
    }

    /// Copies that the host waits for, by the host's clock.
    void pageable(std::size_t bytes) {
        std::vector<char> host(bytes, 3);
        bench::Buffer<char> device(bytes);
        for (const bool in : {true, false}) {
            std::vector<double> values;
            for (int i = 0; i < repeats_; ++i) {
                CUDA_OK(cudaEventRecord(events_[kBegin], nullptr));
                if (in) CUDA_OK(cudaMemcpy(device.get(), host.data(), bytes, cudaMemcpyHostToDevice));
                else CUDA_OK(cudaMemcpy(host.data(), device.get(), bytes, cudaMemcpyDeviceToHost));
                CUDA_OK(cudaEventRecord(events_[kEnd], nullptr));
                bench::finish();
                values.push_back(elapsed(events_[kEnd]));
            }
            median("streams.copy.b" + std::to_string(bytes) + ".pageable." + (in ? "to_device" : "to_host"), values);
        }
    }

    int sms_, room_, repeats_;
    std::string only_;  ///< of timed cases those whose id has this
    int gate_steps_;
    int low_ = 0, high_ = 0;
    bench::Buffer<float> sink_;
    cudaStream_t streams_[kStreams] = {}, blocking_[2] = {}, urgent_ = nullptr;
    cudaEvent_t events_[kEvents] = {};
};

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    Probe probe(args);
    const std::string cases = args.text("cases", "half,quarter,tail,shared,short,priority,take,copy");
    const auto wanted = [&](const char* name) { return cases.find(name) != std::string::npos; };
    for (const long work : args.list("work", "8000", "8000,40000,80000")) {
        const int steps = static_cast<int>(work);
        if (wanted("half")) probe.half(steps);
        if (wanted("quarter")) probe.quarter(steps);
        if (wanted("tail")) probe.tail(steps);
        if (wanted("shared")) probe.shared_sms(steps);
    }
    for (const long work : args.list("short", "800", "0,800,2000")) {
        if (wanted("short")) probe.shorts(static_cast<int>(work));
    }
    const int steps = static_cast<int>(args.number("steps", 8000, 80000));
    if (wanted("priority")) probe.priority(steps);
    if (wanted("take")) probe.take(steps);
    if (wanted("copy")) probe.copies(static_cast<std::size_t>(args.number("bytes", 1 << 20, 64 << 20)), steps);
    return 0;
}
