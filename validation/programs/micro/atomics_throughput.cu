// SPDX-License-Identifier: Apache-2.0
//
// Throughput of global atomics under contention, the four scenarios of the T4 report (section 13), in operations per
// cycle: 1: one block of 1024 threads, groups of R threads on one address, addresses sequential; 2: the same, but each
// group has its own L2 line; 3: many blocks, all threads on one address; 4: many blocks, one address per block.
// `atomicthr.s1.r<R>`, `.s2.r<R>`, `.s3.b<blocks>`, `.s4.b<blocks>`; `atomicthr.shared.r<R>`: shared memory, one block.
#include "bench.h"

namespace {

__global__ void global(uint32_t* memory, uint32_t group, uint32_t group_words, uint32_t block_words, int repeats,
                       uint32_t addend, bench::Life* lives) {
    uint32_t* at = memory + threadIdx.x / group * group_words + blockIdx.x * block_words;
    uint64_t start = bench::now();
#pragma unroll 1
    for (int i = 0; i < repeats; ++i) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(addend) : "memory");
    // The last value returned waits for all of them: atomics of one thread on one address stay in order.
    uint32_t last = atomicAdd(at, addend);
    if (last == 0xffffffffu) memory[0] = last;
    __syncthreads();
    uint64_t end = bench::now();
    if (threadIdx.x == 0) lives[blockIdx.x] = {start, end, bench::sm_id(), 0};
}

__global__ void shared(uint32_t group, int repeats, uint32_t addend, uint32_t* sink, bench::Life* lives) {
    __shared__ uint32_t room[1024];
    room[threadIdx.x] = 0;
    __syncthreads();
    uint64_t start = bench::now();
#pragma unroll 1
    for (int i = 0; i < repeats; ++i) atomicAdd(room + threadIdx.x / group, addend);
    __syncthreads();
    sink[threadIdx.x] = room[threadIdx.x];
    uint64_t end = bench::now();
    if (threadIdx.x == 0) lives[0] = {start, end, bench::sm_id(), 0};
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    auto repeats = static_cast<int>(args.number("repeats", 4, 64));
    int sms = bench::device().multiProcessorCount;
    bench::Buffer<uint32_t> memory(1024 * 1024);
    memory.clear();
    bench::Buffer<uint32_t> sink(1024);
    std::vector<long> groups = args.list("groups", "1,4,32", "1,2,4,8,16,32");
    auto run = [&](const std::string& id, int blocks, uint32_t group, uint32_t group_words, uint32_t block_words) {
        bench::Buffer<bench::Life> lives(static_cast<std::size_t>(blocks));
        for (int warm = 0; warm < 2; ++warm) {
            global<<<blocks, 1024>>>(memory.get(), group, group_words, block_words, repeats, 3, lives.get());
            bench::finish();
        }
        double operations = 1024.0 * blocks * (repeats + 1);
        bench::emit("atomicthr." + id, operations / static_cast<double>(bench::span(lives.download())), "atomics/cycle");
    };
    for (long group : groups) {
        auto r = static_cast<uint32_t>(group);
        run("s1.r" + std::to_string(r), 1, r, 1, 0);
        run("s2.r" + std::to_string(r), 1, r, 32, 0);
    }
    std::vector<long> blocks = args.list("blocks", "1,8", "1,2,4,8,16,32,64,132");
    for (long b : blocks) {
        int count = std::min(static_cast<int>(b), sms);
        run("s3.b" + std::to_string(count), count, 1024, 0, 0);
        run("s4.b" + std::to_string(count), count, 1024, 0, 32);
    }
    bench::Buffer<bench::Life> lives(1);
    for (long group : groups) {
        for (int warm = 0; warm < 2; ++warm) {
            shared<<<1, 1024>>>(static_cast<uint32_t>(group), repeats * 4, 3, sink.get(), lives.get());
            bench::finish();
        }
        bench::emit("atomicthr.shared.r" + std::to_string(group),
                    1024.0 * repeats * 4 / static_cast<double>(bench::span(lives.download())), "atomics/cycle/SM");
    }
    return 0;
}
