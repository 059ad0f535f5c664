// SPDX-License-Identifier: Apache-2.0
//
// Cycles per instruction of straight-line code of growing length: each cache level is a plateau. One kernel holds
// kChunks chunks of 2 KiB (FFMA and LOP3 by turns, so that the pipes take one instruction a cycle) and is entered so
// that the last `chunks` of them run; the third pass is timed, less that of an entry behind them all.
// `icache.cpi.w<warps>.<KiB>`: warps 1 (one scheduler) or 4 (all four, the same code); `icache.cold.<KiB>` is the first
// pass of one warp.
#include "bench.h"

namespace {

constexpr int kChunks = 128;
constexpr int kInstructionsPerChunk = 128;

// One chunk: FFMA on %0 to %7 and LOP3 on %8 to %15 by turns.
#define PAIR(F, I) "fma.rn.f32 %" F ", %" F ", %16, %16;\n lop3.b32 %" I ", %" I ", %17, %18, 0x9a;\n"
#define PAIRS PAIR("0", "8") PAIR("1", "9") PAIR("2", "10") PAIR("3", "11") PAIR("4", "12") PAIR("5", "13") PAIR("6", "14") PAIR("7", "15")
#define CHUNK PAIRS PAIRS PAIRS PAIRS PAIRS PAIRS PAIRS PAIRS
// A decimal digit by digit: labels, and the list of them.
#define TENTH(EACH, T) EACH(T "0") EACH(T "1") EACH(T "2") EACH(T "3") EACH(T "4") EACH(T "5") EACH(T "6") EACH(T "7") EACH(T "8") EACH(T "9")
#define ALL(EACH)                                                                                                      \
    TENTH(EACH, "0") TENTH(EACH, "1") TENTH(EACH, "2") TENTH(EACH, "3") TENTH(EACH, "4") TENTH(EACH, "5")               \
    TENTH(EACH, "6") TENTH(EACH, "7") TENTH(EACH, "8") TENTH(EACH, "9") TENTH(EACH, "10") TENTH(EACH, "11")             \
    EACH("120") EACH("121") EACH("122") EACH("123") EACH("124") EACH("125") EACH("126") EACH("127")
#define NAME(N) "at" N ", "
#define CODE(N) "at" N ":\n" CHUNK

__global__ void straight_line(const float* data, uint64_t* cycles, uint32_t* sink, int from, int passes) {
    float f[8];
    uint32_t i[8];
    for (int n = 0; n < 8; ++n) f[n] = data[n], i[n] = threadIdx.x;
    float b = data[8];
#pragma unroll 1
    for (int pass = 0; pass < passes; ++pass) {
        __syncthreads();
        uint64_t start = bench::now();
        asm volatile("{\n entries: .branchtargets " ALL(NAME) "end;\n brx.idx %18, entries;\n" ALL(CODE) "end:\n}"
                     : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]), "+f"(f[4]), "+f"(f[5]), "+f"(f[6]), "+f"(f[7]),
                       "+r"(i[0]), "+r"(i[1]), "+r"(i[2]), "+r"(i[3]), "+r"(i[4]), "+r"(i[5]), "+r"(i[6]), "+r"(i[7])
                     : "f"(b), "r"(passes), "r"(from)
                     : "memory");
        uint64_t end = bench::now();
        if (threadIdx.x % 32 == 0) cycles[pass * (blockDim.x / 32) + threadIdx.x / 32] = end - start;
    }
    float sum = 0;
    for (int n = 0; n < 8; ++n) sum += f[n] + static_cast<float>(i[n]);
    sink[threadIdx.x] = static_cast<uint32_t>(sum);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    std::vector<long> sizes = args.list("kib", "2,4,8,12,16,20,24,32,40,44,46,48,64,96,112,128,136,160,192,256",
                                        "2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,44,48,52,56,60,64,72,80,"
                                        "88,96,100,104,108,112,116,120,124,128,132,136,140,144,152,160,176,192,224,256");
    bench::Buffer<float> data(256);
    data.clear();
    bench::Buffer<uint32_t> sink(128);
    // Cycles of the first and of the third pass through the last `chunks` chunks; of several warps, the slowest.
    auto taken = [&](int warps, int chunks) {
        bench::Buffer<uint64_t> cycles(static_cast<std::size_t>(3 * warps));
        straight_line<<<1, 32 * warps>>>(data.get(), cycles.get(), sink.get(), kChunks - chunks, 3);
        bench::finish();
        std::vector<uint64_t> each = cycles.download();
        return std::make_pair(static_cast<double>(*std::max_element(each.begin(), each.begin() + warps)),
                              static_cast<double>(*std::max_element(each.end() - warps, each.end())));
    };
    for (int warps : {1, 4}) {
        std::vector<std::pair<double, double>> curve;
        auto nothing = taken(warps, 0);
        for (long kib : sizes) {
            auto chunks = static_cast<int>(std::min<long>(kib / 2, kChunks));
            auto all = taken(warps, chunks);
            double instructions = static_cast<double>(chunks) * kInstructionsPerChunk;
            std::string size = "." + std::to_string(2 * chunks);
            double cpi = (all.second - nothing.second) / instructions;
            bench::emit("icache.cpi.w" + std::to_string(warps) + size, cpi, "CPI");
            curve.push_back({2.0 * chunks, cpi});
            if (warps == 1) bench::emit("icache.cold" + size, (all.first - nothing.second) / instructions, "CPI");
        }
        if (warps != 1) continue;
        // A level ends with the last size whose CPI is nearer to its own plateau than to the next one's: what is behind it
        // costs more than twice as much, and a fifth more.
        auto last_within = [&](double from, double cpi) {
            double last = 0;
            for (const auto& [size, value] : curve) last = size >= from && value <= cpi ? size : last;
            return last;
        };
        double first = last_within(0, 1.65 * curve[1].second);
        bench::emit("icache.l0_size", first, "KiB");
        for (const auto& [size, value] : curve) {
            if (size < 2 * first) continue;
            bench::emit("icache.l1_size", last_within(size, 1.2 * value), "KiB");
            break;
        }
    }
    return 0;
}
