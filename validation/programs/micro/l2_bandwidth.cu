// SPDX-License-Identifier: Apache-2.0
//
// L2 load bandwidth with .cg (T4 report section 5). `l2.bw` (GB/s) and `l2.bw.cycle` (bytes per cycle): all SMs read an
// L2-resident array, each block another piece of it in each step. `l2.bw.size.<KiB>`: over the size. `l2.bw.sms<n>`: only
// n SMs pull (those with the lowest ids); `l2.bw.pair.<other>`: SM 0 together with SM `other`, to see which share a port.
// `l2.write.sms<n>`: stores to L2-resident lines.
#include "bandwidth.h"

namespace {

// Blocks that were not asked for leave at once; one block per SM is enforced by shared memory.
template <bool Write>
__global__ void some_sms(uint4* data, uint32_t count, const uint32_t* chosen, int passes, uint32_t* sink,
                         bench::Life* lives) {
    if (chosen[blockIdx.x] == 0) {
        if (threadIdx.x == 0) lives[blockIdx.x] = {0, 0, bench::sm_id(), 0};
        return;
    }
    uint32_t origin = blockIdx.x * 4099u * blockDim.x % count;
    uint32_t sum = 0;
    uint64_t start = 0;
    uint64_t end = 0;
#pragma unroll 1
    for (int phase = 0; phase < 2; ++phase) {
        __syncthreads();
        start = bench::now();
#pragma unroll 1
        for (int pass = 0; pass < (phase == 0 ? 1 : passes); ++pass) {
#pragma unroll 1
            for (uint32_t i = threadIdx.x; i < count; i += 4 * blockDim.x) {
                uint4 v[4];
#pragma unroll
                for (int u = 0; u < 4; ++u) {
                    uint32_t at = origin + i + u * blockDim.x;
                    at = at < count ? at : at - count;
                    if (Write) {
                        __stcg(data + at, make_uint4(at, at, at, at));
                    } else {
                        v[u] = bandwidth::load<bandwidth::Path::cg>(data + at);
                    }
                }
                if (!Write) {
#pragma unroll
                    for (int u = 0; u < 4; ++u) sum ^= bandwidth::fold(v[u]);
                }
            }
        }
        if (Write) __threadfence();
        __syncthreads();
        end = bench::now();
    }
    if (sum == 0x12345u) *sink = sum;
    if (threadIdx.x == 0) lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
}

// One block per SM. The array is cut into pieces of one 16-byte element per thread, and these into a run for each block. A
// block reads one run after the other, 7 runs further each time: the SMs always read different ones, and none is read
// again soon (an H200 answers SMs that ask for the same line at about the same time with one access to its L2).
__global__ void __launch_bounds__(1024, 1)
rotating(const uint4* data, uint32_t run, uint32_t runs, int steps, uint32_t* sink, bench::Life* lives) {
    uint32_t sum = 0;
    uint64_t start = 0;
    uint32_t at = blockIdx.x % runs;
    uint32_t piece = 0;
#pragma unroll 1
    for (int step = -8; step < steps; step += 8) {
        if (step == 0) start = bench::now();
        uint4 v[8];
#pragma unroll
        for (int u = 0; u < 8; ++u) {
            v[u] = bandwidth::load<bandwidth::Path::cg>(data + (at * run + piece) * 1024 + threadIdx.x);
            if (++piece == run) {
                piece = 0;
                at += 7;
                while (at >= runs) at -= runs;
            }
        }
#pragma unroll
        for (int u = 0; u < 8; ++u) sum ^= bandwidth::fold(v[u]);
    }
    if (sum == 0x12345u) *sink = sum;
    __syncthreads();
    uint64_t end = bench::now();
    if (threadIdx.x == 0) lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
}

class Runner {
public:
    Runner(int sms, uint32_t kib, int passes)
        : sms_(sms), count_(kib * 64), passes_(passes), data_(count_), chosen_(static_cast<std::size_t>(sms)),
          lives_(static_cast<std::size_t>(sms)) {
        data_.clear();
        CUDA_OK(cudaFuncSetAttribute(bench::write_places, cudaFuncAttributeMaxDynamicSharedMemorySize, kRoom));
        CUDA_OK(cudaFuncSetAttribute(some_sms<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, kRoom));
        CUDA_OK(cudaFuncSetAttribute(some_sms<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, kRoom));
    }
    /// Bytes per cycle of all chosen SMs together; -1 when blocks do not go where they went in another launch.
    template <bool Write>
    double rate(const std::vector<uint32_t>& sms) {
        for (int attempt = 0; attempt < 8; ++attempt) {
            bench::write_places<<<sms_, 1024, kRoom>>>(chosen_.get());
            bench::finish();
            std::vector<uint32_t> mask = chosen_.download();
            for (uint32_t& sm : mask) sm = std::count(sms.begin(), sms.end(), sm) != 0 ? 1 : 0;
            chosen_.upload(mask);
            some_sms<Write><<<sms_, 1024, kRoom>>>(data_.get(), count_, chosen_.get(), passes_, sink_.get(), lives_.get());
            bench::finish();
            std::vector<bench::Life> busy;
            std::vector<uint32_t> used;
            for (const bench::Life& life : lives_.download()) {
                if (life.end == 0) continue;
                busy.push_back(life);
                used.push_back(life.sm);
            }
            std::sort(used.begin(), used.end());
            if (used != sms) continue;
            return static_cast<double>(count_) * 16 * passes_ * static_cast<double>(sms.size()) /
                   static_cast<double>(bench::span(busy));
        }
        return -1;
    }

private:
    static constexpr int kRoom = 33 * 1024;  // more than half of the smallest carve-out below
    int sms_;
    uint32_t count_;
    int passes_;
    bench::Buffer<uint4> data_;
    bench::Buffer<uint32_t> chosen_;
    bench::Buffer<uint32_t> sink_{1};
    bench::Buffer<bench::Life> lives_;
};

void emit(const std::string& id, double rate) {
    if (rate > 0) bench::emit(id, rate, "B/cycle");
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    int sms = bench::device().multiProcessorCount;
    double ghz = bench::clock_ghz();
    auto passes = static_cast<int>(args.number("passes", 1, 8));
    auto rate_of = [&](long kib, long steps_asked) {
        auto steps = static_cast<int>(args.number("steps", steps_asked, 1024)) / 8 * 8;
        auto pieces = static_cast<uint32_t>(std::max<long>(kib / 16, 1));
        uint32_t run = std::max(pieces / static_cast<uint32_t>(sms), 1u);
        uint32_t runs = std::min(pieces / run, static_cast<uint32_t>(sms));
        bench::Buffer<uint4> data(static_cast<std::size_t>(pieces) * 1024);
        data.clear();
        bench::Buffer<uint32_t> sink(1);
        bench::Buffer<bench::Life> lives(static_cast<std::size_t>(sms));
        // Cycles of `count` steps, behind a first launch that reads all of it, unless the L2 can hold next to nothing of it.
        auto taken = [&](int count) {
            rotating<<<sms, 1024>>>(data.get(), run, runs, count, sink.get(), lives.get());
            bench::finish();
            return static_cast<double>(bench::span(lives.download()));
        };
        if (kib < 8 * (bench::device().l2CacheSize / 1024)) taken(static_cast<int>(run) / 8 * 8);
        // A long run less a short one: its start and its end, when not all SMs read, drop out.
        int few = steps / 24 * 8;
        return 16384.0 * sms * (steps - few) / (taken(steps) - taken(few));
    };
    // A quarter of the cache: all of it hits, and each block's part is long enough to fill the pipe.
    double quarter = rate_of(bench::device().l2CacheSize / 4096, 192);
    bench::emit("l2.bw.cycle", quarter, "B/cycle");
    bench::emit("l2.bw", quarter * ghz, "GB/s");
    for (long kib : args.list("kib", "1024", "512,1024,2048,4096,8192,16384,24576,28672,32768,40960,49152,57344,65536,98304,"
                                             "262144")) {
        bench::emit("l2.bw.size." + std::to_string(kib), rate_of(kib, 48), "B/cycle");
    }
    Runner runner(sms, static_cast<uint32_t>(args.number("pull_kib", 256, 1024)), passes);
    for (long n : args.list("sms", "1,2,8", "1,2,3,4,6,8,12,16,18,24,32,48,64,66,96,128,132")) {
        std::vector<uint32_t> chosen;
        for (long sm = 0; sm < std::min<long>(n, sms); ++sm) chosen.push_back(static_cast<uint32_t>(sm));
        emit("l2.bw.sms" + std::to_string(chosen.size()), runner.rate<false>(chosen));
        emit("l2.write.sms" + std::to_string(chosen.size()), runner.rate<true>(chosen));
    }
    for (long other : args.list("pairs", "1", "1,2,3,4,5,6,8,10,12,14,16,18,20,24,32,36,48,64,65,66,67,80,96,112,128,131")) {
        if (other >= sms) continue;
        emit("l2.bw.pair." + std::to_string(other), runner.rate<false>({0, static_cast<uint32_t>(other)}));
    }
    return 0;
}
