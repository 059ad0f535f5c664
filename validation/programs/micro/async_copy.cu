// SPDX-License-Identifier: Apache-2.0
//
// Copies from global to shared memory that run beside the program (cp.async, sm_80 and later), and barriers in shared
// memory (mbarrier). One warp unless said otherwise; copies are 32 neighbouring lanes wide.
// `async.group.<ca,cg><bytes>.<l1,l2>.n<k>`: from the first of k copies of a group until wait_group passes; `.empty`: a
// group without copies; `async.load16.l2`: a load of the same lines. `async.flight.left<n>`: eight groups of a copy each, until
// n are left; `async.order.left<n>`: a group from the L2, then three that hit in the L1.
// `mbar.arrive.lanes<n>`, `mbar.test`, `mbar.try`: an arrival with its state, and checks of a phase that is over;
// `mbar.arrives.lanes<n>`: arrivals without a result in a row; `mbar.wake.<test,try>.d<n>`: from a warp's arrival, a chain of n FMAs after
// the start, to another warp that waits for it; `mbar.polls.<test,try>.d<n>`: checks of that warp's loop; `mbar.wakes.<test,try>.w<n>.<first,last>`:
// the same with n warps that wait, until the first and the last goes on; `mbar.limit.h<n>`: from a TRYWAIT of a phase that does not end, with
// a limit of n ns (0: the hardware's own), to its result; `mbar.all.w<warps>`: all threads arrive and wait; `mbar.copy.n<k>`: k copies (cg16) whose
// end is an arrival.
// `async.tiles.s<n>`: cycles per tile of 2 KiB which a block of four warps sums up, n stages ahead; `async.ring.s<n>`: the same
// with a fifth warp that copies, and barriers in shared memory between them.
#include "async_groups.h"
#include "async_barriers.h"
#include "async_stages.h"

namespace {

constexpr int kTiles = 64;

class Bench {
public:
    explicit Bench(const bench::Args& args)
        : count_(static_cast<int>(args.number("tiles", kTiles))),
          blocks_(static_cast<unsigned>(args.number("blocks", 1))),
          data_(std::max<std::size_t>(1 << 20, std::size_t{blocks_} * static_cast<std::size_t>(count_) * 2048)),
          cycles_(32), sums_(128 * blocks_), lives_(blocks_) {
        data_.clear();
    }

    template <class Kernel>
    void places(const std::string& id, Kernel kernel, int bytes, bool hits) {
        const uint32_t step = (static_cast<uint32_t>(bytes) + bench::kPlaceBytes - 1) / bench::kPlaceBytes * bench::kPlaceBytes;
        kernel<<<1, 32>>>(data_.get(), step, hits ? 0 : step * bench::kPlaces, cycles_.get());
        bench::finish();
        double sum = 0;
        const auto all = cycles_.download();
        for (uint32_t i = 0; i < bench::kPlaces; ++i) sum += all[i];
        bench::emit(id, sum / bench::kPlaces, "cycles");
    }
    template <int Bytes, bool Bypass>
    void groups(bool hits) {
        const std::string id = std::string("async.group.") + (Bypass ? "cg" : "ca") + std::to_string(Bytes) + (hits ? ".l1.n" : ".l2.n");
        places(id + "1", group<Bytes, Bypass, 1>, 32 * Bytes, hits);
        places(id + "2", group<Bytes, Bypass, 2>, 64 * Bytes, hits);
        places(id + "4", group<Bytes, Bypass, 4>, 128 * Bytes, hits);
        places(id + "8", group<Bytes, Bypass, 8>, 256 * Bytes, hits);
        places(id + "16", group<Bytes, Bypass, 16>, 512 * Bytes, hits);
        places(id + "32", group<Bytes, Bypass, 32>, 1024 * Bytes, hits);
    }
    void flights() {
        const auto one = [&](const char* id, auto kernel, bool hits) { places(id, kernel, 8 * kLine, hits); };
        one("async.flight.left7", flight<7>, false);
        one("async.flight.left6", flight<6>, false);
        one("async.flight.left4", flight<4>, false);
        one("async.flight.left1", flight<1>, false);
        one("async.flight.left0", flight<0>, false);
        one("async.order.left3", order<3>, true);
        one("async.order.left2", order<2>, true);
        one("async.order.left0", order<0>, true);
    }
    template <class Kernel, class... Arguments>
    void chain(const std::string& id, Kernel kernel, unsigned threads, double operations, Arguments... arguments) {
        kernel<<<1, threads>>>(arguments..., cycles_.get());
        bench::finish();
        bench::emit(id, cycles_.download()[0] / operations, "cycles");
    }
    template <class Kernel>
    void waiting(const std::string& id, Kernel test, Kernel tries, unsigned threads, uint32_t length, bool polls) {
        for (const bool with_try : {false, true}) {
            (with_try ? tries : test)<<<1, threads>>>(length, 0.5f, cycles_.get());
            bench::finish();
            const auto taken = cycles_.download();
            const std::string way = with_try ? "try." : "test.";
            if (polls) {
                bench::emit("mbar.polls." + way + id, taken[2], "checks");
            } else {
                bench::emit("mbar.wakes." + way + id + ".first", taken[0], "cycles");
                bench::emit("mbar.wakes." + way + id + ".last", taken[1], "cycles");
            }
        }
    }
    void barriers() {
        chain("mbar.arrive.lanes1", arrivals_chain, 1, kChain, 0u);
        chain("mbar.arrive.lanes32", arrivals_chain, 32, kChain, 0u);
        chain("mbar.test", checks_chain<false>, 32, kChain);
        chain("mbar.try", checks_chain<true>, 32, kChain);
        chain("mbar.arrives.lanes1", arrivals, 1, 4 * kChain);
        chain("mbar.arrives.lanes32", arrivals, 32, 4 * kChain);
        for (long n : {64, 128, 256, 512, 1024}) {
            chain("mbar.wake.test.d" + std::to_string(n), wake<false>, 64, 1, static_cast<uint32_t>(n), 0.5f);
            chain("mbar.wake.try.d" + std::to_string(n), wake<true>, 64, 1, static_cast<uint32_t>(n), 0.5f);
        }
        for (long n : {64, 256, 1024, 4096, 16384})
            waiting("d" + std::to_string(n), wakes<false>, wakes<true>, 64, static_cast<uint32_t>(n), true);
        for (unsigned warps : {1u, 2u, 4u, 8u, 16u, 31u})
            waiting("w" + std::to_string(warps), wakes<false>, wakes<true>, 32 * (warps + 1), 1024u, false);
        chain("mbar.limit.h0", limit<false>, 32, 1, 0u);
        for (unsigned hint : {100u, 1000u, 10000u, 100000u})
            chain("mbar.limit.h" + std::to_string(hint), limit<true>, 32, 1, hint);
        for (unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u})
            chain("mbar.all.w" + std::to_string(warps), all_arrive, 32 * warps, kChain);
        places("mbar.copy.n1", copies_arrive<1>, kLine, false);
        places("mbar.copy.n4", copies_arrive<4>, 4 * kLine, false);
        places("mbar.copy.n32", copies_arrive<32>, 32 * kLine, false);
    }
    template <class Kernel>
    void pipeline(const std::string& id, Kernel kernel, unsigned threads) {
        kernel<<<blocks_, threads>>>(data_.get(), count_, sums_.get(), lives_.get());
        bench::finish();
        const bench::Life life = lives_.download()[0];
        bench::emit(id, static_cast<double>(life.end - life.start) / count_, "cycles");
    }
    void pipelines() {
        pipeline("async.tiles.s1", tiles<1>, 128);
        pipeline("async.tiles.s2", tiles<2>, 128);
        pipeline("async.tiles.s3", tiles<3>, 128);
        pipeline("async.tiles.s4", tiles<4>, 128);
        pipeline("async.ring.s1", ring<1>, 160);
        pipeline("async.ring.s2", ring<2>, 160);
        pipeline("async.ring.s3", ring<3>, 160);
        pipeline("async.ring.s4", ring<4>, 160);
    }
    void all() {
        places("async.group.empty", group<4, false, 0>, 128, true);
        places("async.load16.l2", load16, kLine, false);
        groups<4, false>(true);
        groups<8, false>(true);
        groups<16, false>(true);
        groups<4, false>(false);
        groups<8, false>(false);
        groups<16, false>(false);
        groups<16, true>(false);
        flights();
        barriers();
        pipelines();
    }

private:
    int count_;
    unsigned blocks_;
    bench::Buffer<char> data_;
    bench::Buffer<uint32_t> cycles_;
    bench::Buffer<float> sums_;
    bench::Buffer<bench::Life> lives_;
};

}  // namespace

int main(int argc, char** argv) {
    bench::Args args(argc, argv);
    if (bench::device().major < 9) return 0;  // there are no copies of this kind before 8.0, and no waits for barriers before 9.0
    Bench(args).all();
    return 0;
}
