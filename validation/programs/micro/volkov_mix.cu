// SPDX-License-Identifier: Apache-2.0
//
// Volkov's synthetic mixes (chapters 1, 5 and 6): every warp repeats one memory, SFU or shared-memory instruction and
// `alpha` FP32 additions, all back-to-back dependent, for many warps; occupancy is set by allocating shared memory.
// Arguments: mix=mem|sfu|smem, alpha=LIST, warps=LIST (per SM), iterations, waves (blocks launched over blocks resident).
// Nothing is freed before the end: a driver that clears freed memory does so while later kernels run, which then share the
// DRAM with it.
// `volkov.<mix>.a<alpha>.w<warps>`: groups (one memory instruction with its additions) per cycle and SM; `.latency`: mean
// life of a warp over its groups; `.occupancy`: the largest number of warps found alive at once on an SM, from the warps'
// own time stamps.
#include "bench.h"

namespace {

enum class Mix { mem, sfu, smem };

struct Settings {
    uint32_t alpha;
    int iterations;
    uint64_t* chain;
    uint64_t part;
};

__device__ __forceinline__ void additions(float& a, float b, uint32_t alpha) {
    uint32_t left = alpha;
#pragma unroll 1
    for (; left >= 16; left -= 16) {
#pragma unroll
        for (int i = 0; i < 16; ++i) asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
    }
#pragma unroll 1
    for (; left > 0; --left) asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
}

// For alpha up to 16 the additions are unrolled (Alpha >= 0), else Alpha is -1 and a loop of 16 does them.
template <Mix M, int Alpha>
__global__ void mix(Settings s, float* io, bench::Life* lives) {
    __shared__ uint32_t room[1024];
    float a = io[0];
    float b = io[1];
    uint64_t p = reinterpret_cast<uint64_t>(s.chain + blockIdx.x * s.part + threadIdx.x);
    auto at = static_cast<uint32_t>(__cvta_generic_to_shared(room + threadIdx.x));
    room[threadIdx.x] = at;
    __syncthreads();
    uint64_t start = bench::now();
#pragma unroll 4
    for (int i = 0; i < s.iterations; ++i) {
        if (M == Mix::mem) {
            // The sum feeds the address (its value is zero) so that load and additions depend on each other.
            asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
            asm volatile("{.reg .u32 l, h; mov.b64 {l, h}, %1; mov.b32 %0, h;}" : "=f"(a) : "l"(p));
        }
        if (M == Mix::sfu) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a));
        if (M == Mix::smem) {
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
            a = __uint_as_float(at);
        }
        if (Alpha >= 0) {
#pragma unroll
            for (int u = 0; u < Alpha; ++u) asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
        } else {
            additions(a, b, s.alpha);
        }
        if (M == Mix::mem) {
            // b is -0.0: the additions leave the high word of the pointer, read as a float, as it was.
            asm volatile("{.reg .u32 l, h, n; mov.b64 {l, h}, %0; mov.b32 n, %1; mov.b64 %0, {l, n};}" : "+l"(p) : "f"(a));
        }
        if (M == Mix::smem) at = __float_as_uint(a);
    }
    uint64_t end = bench::now();
    if (threadIdx.x % 32 == 0) {
        lives[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {start, end, bench::sm_id(), 0};
        if (a == 12345.0f || p == 1) io[2] = a;
    }
}

__global__ void lay_out(uint64_t* data, uint64_t count, uint32_t step) {
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += static_cast<uint64_t>(gridDim.x) * blockDim.x) {
        data[i] = reinterpret_cast<uint64_t>(data + (i + step < count ? i + step : i));
    }
}

using Kernel = void (*)(Settings, float*, bench::Life*);

template <Mix M>
Kernel kernel_for(long alpha) {
    switch (alpha) {
        case 0: return mix<M, 0>;
        case 1: return mix<M, 1>;
        case 2: return mix<M, 2>;
        case 4: return mix<M, 4>;
        case 8: return mix<M, 8>;
        case 16: return mix<M, 16>;
        default: return mix<M, -1>;
    }
}

int most_alive(const std::vector<bench::Life>& lives) {
    std::map<uint32_t, std::vector<std::pair<uint64_t, int>>> events;
    for (const bench::Life& life : lives) {
        events[life.sm].push_back({life.start, 1});
        events[life.sm].push_back({life.end, -1});
    }
    int most = 0;
    for (auto& sm : events) {
        std::sort(sm.second.begin(), sm.second.end());
        int alive = 0;
        for (const auto& event : sm.second) most = std::max(most, alive += event.second);
    }
    return most;
}

/// Few blocks per SM keep the shared-memory granularity out of the way; whole warps per scheduler.
int warps_per_block(long warps) { return warps <= 8 ? 4 : warps % 8 == 0 ? 8 : 4; }

/// What one point runs.
struct Shape {
    int per_block, blocks_per_sm, iterations;
    uint32_t blocks;
    uint64_t part;  // of the chain, for a block

    Shape(const bench::Args& args, long alpha, long warps, int waves, int sms)
        : per_block(warps_per_block(warps)),
          blocks_per_sm(static_cast<int>(warps) / per_block),
          iterations(static_cast<int>(args.number("iterations", alpha >= 64 ? 16 : 32, alpha >= 64 ? 64 : 256))),
          blocks(static_cast<uint32_t>(blocks_per_sm * sms * waves)),
          part(static_cast<uint64_t>(iterations + 1) * 32 * static_cast<uint64_t>(per_block)) {}
};

/// Dynamic shared memory that lets exactly `blocks` of this kernel live on an SM.
int room_for(Kernel kernel, int blocks, int threads, const cudaDeviceProp& device) {
    auto granularity = 256;
    auto per_block = static_cast<int>(device.sharedMemPerMultiprocessor) / blocks / granularity * granularity;
    per_block -= static_cast<int>(device.reservedSharedMemPerBlock) + 4096;
    per_block = std::min(per_block, static_cast<int>(device.sharedMemPerBlockOptin) - 4096);
    for (int room = std::max(0, per_block / granularity * granularity);; room -= granularity) {
        if (room < 0) return -1;
        int fit = 0;
        CUDA_OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, room));
        CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, static_cast<std::size_t>(room)));
        if (fit == blocks) return room;
        if (fit > blocks) return -1;
    }
}

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    cudaDeviceProp device = bench::device();
    std::string name = args.text("mix", "mem");
    std::vector<long> alphas = args.list("alpha", "0,4,32", "0,1,2,4,8,16,32,64,128,256,512");
    std::vector<long> warps = args.list("warps", "4,16,32", "4,8,12,16,20,24,28,32,40,48,56,64");
    int waves = static_cast<int>(args.number("waves", 1, 4));
    bench::Buffer<float> io(std::vector<float>{name == "sfu" ? 2.0f : 0.0f, -0.0f, 0.0f});
    uint64_t words = 1;
    std::size_t most_warps = 1;
    for (long alpha : alphas) {
        for (long count : warps) {
            Shape shape(args, alpha, count, waves, device.multiProcessorCount);
            if (name == "mem") words = std::max(words, shape.part * shape.blocks);
            most_warps = std::max(most_warps, static_cast<std::size_t>(shape.blocks) * static_cast<std::size_t>(shape.per_block));
        }
    }
    bench::Buffer<uint64_t> chain(words);
    bench::Buffer<uint64_t> flush(args.full() ? 16 << 20 : 1);
    bench::Buffer<bench::Life> lives(most_warps);
    for (long alpha : alphas) {
        Kernel kernel = name == "mem"    ? kernel_for<Mix::mem>(alpha)
                        : name == "sfu"  ? kernel_for<Mix::sfu>(alpha)
                        : name == "smem" ? kernel_for<Mix::smem>(alpha)
                                         : nullptr;
        if (kernel == nullptr) {
            std::fprintf(stderr, "mix=%s: expected mem, sfu or smem\n", name.c_str());
            return 2;
        }
        for (long count : warps) {
            Shape shape(args, alpha, count, waves, device.multiProcessorCount);
            int room = room_for(kernel, shape.blocks_per_sm, 32 * shape.per_block, device);
            if (room < 0) continue;
            Settings settings{static_cast<uint32_t>(alpha), shape.iterations, chain.get(), shape.part};
            if (name == "mem") {
                lay_out<<<1024, 256>>>(chain.get(), shape.part * shape.blocks, 32u * static_cast<uint32_t>(shape.per_block));
                if (args.full()) flush.clear();
            }
            kernel<<<shape.blocks, 32 * shape.per_block, room>>>(settings, io.get(), lives.get());
            bench::finish();
            std::vector<bench::Life> all = lives.download();
            all.resize(static_cast<std::size_t>(shape.blocks) * static_cast<std::size_t>(shape.per_block));
            double groups = static_cast<double>(shape.iterations) * static_cast<double>(all.size());
            double life = 0;
            for (const bench::Life& warp : all) life += static_cast<double>(warp.end - warp.start);
            std::string id = "volkov." + name + ".a" + std::to_string(alpha) + ".w" + std::to_string(count);
            bench::emit(id, groups / static_cast<double>(bench::span(all)) / device.multiProcessorCount, "groups/cycle/SM");
            bench::emit(id + ".latency", life / groups, "cycles/group");
            bench::emit(id + ".occupancy", most_alive(all), "warps");
        }
    }
    return 0;
}
