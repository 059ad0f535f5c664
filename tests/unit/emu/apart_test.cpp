// SPDX-License-Identifier: Apache-2.0
// Blocks of a launch on several threads: the results and the record of the plain order, whatever the blocks do.
#include <gtest/gtest.h>

#include <bit>

#include "sim/base/error.h"
#include "sim/emu/core/emulator.h"
#include "sim/emu/core/recording.h"
#include "sim/isa/assembly.h"
#include "tests/unit/emu/harness.h"

namespace sassim::emu {
namespace {

constexpr std::uint32_t kBlocks = 64;

/// What a launch of 64 blocks of one thread does to 64 times 32 words.
struct Outcome {
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> recorded;  ///< blocks, in the order in which the recorder passed them on
  std::string fault, printed;
  bool apart = false;
};

/// The address of the block's own word is in R2, its number plus one in R0.
std::shared_ptr<Kernel> kernel_with(const std::string& body) {
  return make_kernel("kernel", 70, isa::assemble(R"(
  B------:R-:W-:-:S04 S2R R0, SR_CTAID.X
  B------:R-:W-:-:S04 MOV R6, c[0x0][0x160]
  B------:R-:W-:-:S04 MOV R7, c[0x0][0x164]
  B------:R-:W-:-:S04 IMAD.WIDE R2, R0, c[0x0][0x168], R6
  B------:R-:W-:-:S04 IADD3 R0, R0, 0x1, RZ
)" + body + "  B------:R-:W-:-:S05 EXIT\n"),
                     12);
}

Outcome launch(const std::string& body, unsigned threads, std::uint32_t stride, bool records = true,
               std::uint32_t lanes = 1) {
  const auto kernel = kernel_with(body);
  DeviceMemory memory;
  const std::uint64_t words = copy_in(memory, std::vector<std::uint32_t>(kBlocks * 32, 1000));
  LaunchConfig config{.grid = {kBlocks}, .block = {lanes}, .dynamic_shared = 64};
  config.params = pack(words, stride);
  Outcome outcome;
  const trace::KernelInfo info = kernel_info(*kernel, config);
  BlockRecorder recorder(
      info, [&](const std::shared_ptr<const trace::BlockTrace>& block) { outcome.recorded.push_back(block->id.x); },
      [&] { outcome.recorded.clear(); });
  RunOptions options{.recorder = records ? &recorder : nullptr, .threads = threads};
  options.print = [&](const std::string& text) { outcome.printed += text; };
  // Twice: what the first launch showed must not change the second.
  for (int i = 0; i < 2; ++i) try {
      outcome.apart |= run(*kernel, config, memory, options).apart;
    } catch (const DeviceFault& fault) {
      outcome.fault = fault.what();
    }
  outcome.words = copy_out<std::uint32_t>(memory, words, kBlocks * 32);
  return outcome;
}

Outcome check(const std::string& body, std::uint32_t stride, bool apart) {
  const Outcome plain = launch(body, 1, stride), threads = launch(body, 4, stride);
  EXPECT_FALSE(plain.apart);
  EXPECT_EQ(threads.apart, apart);
  EXPECT_EQ(threads.words, plain.words);
  EXPECT_EQ(threads.recorded, plain.recorded);
  EXPECT_EQ(threads.fault, plain.fault);
  EXPECT_EQ(threads.printed, plain.printed);
  return threads;
}

const std::string kStore = "  B------:R-:W-:-:S01 STG.E.SYS [R2], R0\n";
const std::string kAdd =
    "  B------:R-:W0:-:S01 LDG.E.SYS R4, [R2]\n  B0-----:R-:W-:-:S04 IADD3 R4, R4, 0x1, R0\n"
    "  B------:R-:W-:-:S01 STG.E.SYS [R2], R4\n";

TEST(Apart, BlocksThatOnlyWriteTheirOwnRunAtTheSameTime) {
  EXPECT_EQ(check(kStore, 128, true).words[32], 2u);
  EXPECT_EQ(check(kStore, 4, true).words[5], 6u) << "several blocks in a sector, each with bytes of its own";
}

TEST(Apart, BlocksMayReadWhatTheyWriteThemselves) { EXPECT_EQ(check(kAdd, 128, true).words[0], 1004u); }

TEST(Apart, BlocksThatReadWhatOthersWriteRunInTurns) {
  EXPECT_EQ(check(kAdd, 0, false).words[0], 1000u + 2 * kBlocks * (kBlocks + 3) / 2);
  check(
      "  B------:R-:W0:-:S01 LDG.E.SYS R4, [R6]\n  B0-----:R-:W-:-:S04 IADD3 R4, R4, 0x1, RZ\n"
      "  B------:R-:W-:-:S01 STG.E.SYS [R2], R4\n",
      128, false);
  check(
      "  B------:R-:W0:-:S01 LDG.E.CONSTANT.SYS R4, [R6]\n  B0-----:R-:W-:-:S04 IADD3 R4, R4, 0x1, RZ\n"
      "  B------:R-:W-:-:S01 STG.E.SYS [R2], R4\n",
      128, false);
}

TEST(Apart, OfBlocksThatWriteTheSameByteTheLastWins) { EXPECT_EQ(check(kStore, 0, false).words[0], kBlocks); }

/// A tenth of the block's number is added to one word: the order of blocks shows in the last bits of the sum.
const std::string kReduce =
    "  B------:R-:W0:-:S04 I2F R4, R0\n  B0-----:R-:W-:-:S04 FMUL R4, R4, 0.1\n"
    "  B------:R-:W-:-:S01 RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R6+0x20], R4\n";

TEST(Apart, ReductionsOfSeveralBlocksAreInOrder) {
  check(kReduce, 128, true);
  // The first block ends last, and adds so much that what later ones add is lost.
  const Outcome outcome = check(
      "  B------:R-:W-:-:S04 ISETP.EQ.AND P1, PT, R0, 0x1, PT\n  B------:R-:W-:-:S04 MOV R8, 0x1\n"
      "  B------:R-:W-:-:S04 @P1 MOV R8, 0x4000\nloop:\n  B------:R-:W-:-:S04 IADD3 R8, R8, -0x1, RZ\n"
      "  B------:R-:W-:-:S04 ISETP.NE.AND P0, PT, R8, RZ, PT\n  B------:R-:W-:-:S05 @P0 BRA loop\n"
      "  B------:R-:W-:-:S04 MOV R4, 0x3f800000\n  B------:R-:W-:-:S04 @P1 MOV R4, 0x4cbebc20\n"
      "  B------:R-:W-:-:S01 RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R6+0x20], R4\n",
      128, true);
  EXPECT_EQ(std::bit_cast<float>(outcome.words[8]), 2e8f);
}

TEST(Apart, BlocksThatReadOrWriteWhatOthersReduceRunInTurns) {
  check(kReduce + "  B------:R-:W1:-:S01 LDG.E.SYS R5, [R6+0x20]\n  B-1----:R-:W-:-:S01 STG.E.SYS [R2+0x40], R5\n", 128,
        false);
  check(kReduce + "  B------:R-:W-:-:S01 STG.E.SYS [R2+0x20], R0\n", 128, false);
}

TEST(Apart, ABlockTakesItsTurnBySharedMemoryOfItsOwn) {
  const std::string swap = "  B------:R-:W-:-:S04 MOV R9, RZ\n  B------:R-:W0:-:S01 ATOMS.CAS R8, [R9], RZ, R0\n";
  check(swap + kStore, 128, true);
}

TEST(Apart, AFaultIsThatOfThePlainOrder) {
  const Outcome outcome = check(
      "  B------:R-:W-:-:S04 ISETP.GT.AND P0, PT, R0, 0x20, PT\n  B------:R-:W-:-:S04 @P0 MOV R3, 0x7fff\n" + kStore,
      128, false);
  EXPECT_NE(outcome.fault.find("block (32,0,0)"), std::string::npos) << outcome.fault;
  EXPECT_EQ(outcome.words[31 * 32], 32u) << "blocks before it have written";
}

/// The first block is longer than a turn; `each` is what it does each time.
std::string long_block(const std::string& each) {
  return "  B------:R-:W-:-:S04 ISETP.EQ.AND P1, PT, R0, 0x1, PT\n  B------:R-:W-:-:S04 MOV R8, 0x1\n"
         "  B------:R-:W-:-:S04 @P1 MOV R8, 0x58000\nloop:\n  B------:R-:W-:-:S04 IADD3 R8, R8, -0x1, RZ\n" +
         each + "  B------:R-:W-:-:S04 ISETP.NE.AND P0, PT, R8, RZ, PT\n  B------:R-:W-:-:S05 @P0 BRA loop\n" + kStore;
}

const std::string kStoreCount = "  B------:R-:W-:-:S01 STG.E.SYS [R2], R8\n";

TEST(Apart, ABlockThatIsLongerThanATurnIsRecordedInTurns) {
  check(long_block(""), 128, false);
  check(long_block(kStoreCount), 128, false);
}

TEST(Apart, ABlockThatIsLongerThanATurnRunsBesideOthersIfItChangesMemory) {
  for (const bool stores : {false, true}) {
    const std::string body = long_block(stores ? kStoreCount : "");
    const Outcome threads = launch(body, 4, 128, false);
    EXPECT_EQ(threads.apart, stores);
    EXPECT_EQ(threads.words, launch(body, 1, 128, false).words);
  }
}

TEST(Apart, MillionsOfReductionsOfABlockAreNotKept) {
  const std::string body =
      "  B------:R-:W-:-:S04 ISETP.EQ.AND P1, PT, R0, 0x1, PT\n  B------:R-:W-:-:S04 MOV R8, 0x1\n"
      "  B------:R-:W-:-:S04 @P1 MOV R8, 0x420\nloop:\n  B------:R-:W-:-:S04 IADD3 R8, R8, -0x1, RZ\n"
      "  B------:R-:W-:-:S01 RED.E.ADD.STRONG.GPU [R6+0x20], R0\n"
      "  B------:R-:W-:-:S04 ISETP.NE.AND P0, PT, R8, RZ, PT\n  B------:R-:W-:-:S05 @P0 BRA loop\n";
  EXPECT_TRUE(launch(body, 4, 128, false, 32).apart);
  const Outcome plain = launch(body, 1, 128, false, 1024), threads = launch(body, 4, 128, false, 1024);
  EXPECT_FALSE(threads.apart);
  EXPECT_EQ(threads.words, plain.words);
}

TEST(Apart, ABlockThatIsLongerThanATurnReducesInItsTurns) {
  const std::string integers = "  B------:R-:W-:-:S01 RED.E.ADD.STRONG.GPU [R6+0x20], R0\n";
  for (const bool floats : {false, true}) {
    const std::string body = long_block(kStoreCount) + (floats ? kReduce : integers);
    const Outcome threads = launch(body, 4, 128, false);
    EXPECT_EQ(threads.apart, !floats);
    EXPECT_EQ(threads.words, launch(body, 1, 128, false).words);
  }
}

/// A launch of the same kernels of which blocks are executed again.
class Repeat {
 public:
  Repeat(const std::string& body, unsigned threads) : kernel_(kernel_with(body)) {
    words_ = copy_in(memory_, std::vector<std::uint32_t>(kBlocks * 32, 1000));
    config_.params = pack(words_, 128u);
    launch_ = run_repeatable(*kernel_, config_, memory_, {.threads = threads});
  }
  RepeatableLaunch* launch() { return launch_.get(); }
  void end() { launch_.reset(); }
  std::uint32_t word(std::uint32_t block) const {
    return copy_out<std::uint32_t>(memory_, words_, kBlocks * 32)[block * 32];
  }
  /// "number: steps" of each block.
  std::vector<std::string> repeat(std::uint64_t begin, std::uint64_t end) {
    const trace::KernelInfo info = kernel_info(*kernel_, config_);
    std::vector<std::string> blocks;
    BlockRecorder recorder(
        info,
        [&](const std::shared_ptr<const trace::BlockTrace>& block) {
          blocks.push_back(std::to_string(block->id.x) + ": " + std::to_string(block->warps.at(0)->steps()));
        },
        {}, BlockId(begin));
    launch_->repeat(BlockId(begin), BlockId(end), recorder);
    return blocks;
  }

 private:
  std::shared_ptr<Kernel> kernel_;
  DeviceMemory memory_;
  LaunchConfig config_{.grid = {kBlocks}, .block = {1}};
  std::uint64_t words_ = 0;
  std::unique_ptr<RepeatableLaunch> launch_;
};

/// As many additions as the word says.
const std::string kWordTimes =
    "  B------:R-:W0:-:S01 LDG.E.SYS R4, [R2]\n  B0-----:R-:W-:-:S04 IADD3 R8, R4, -0x3e0, R0\nloop:\n"
    "  B------:R-:W-:-:S04 IADD3 R8, R8, -0x1, RZ\n  B------:R-:W-:-:S04 ISETP.NE.AND P0, PT, R8, RZ, PT\n"
    "  B------:R-:W-:-:S05 @P0 BRA loop\n  B------:R-:W-:-:S01 STG.E.SYS [R2], R0\n";

TEST(Repeatable, ABlockThatOverwritesWhatItReadsDoesTheSameAgain) {
  for (const unsigned threads : {1u, 3u}) {
    Repeat all(kWordTimes, threads);
    ASSERT_TRUE(all.launch());
    EXPECT_EQ(all.launch()->instructions(BlockId(5)), 9u + 3 * (1000 - 0x3e0 + 6));
    EXPECT_EQ(all.repeat(4, 6), (std::vector<std::string>{"4: 48", "5: 51"}));
    EXPECT_EQ(all.repeat(60, 61), std::vector<std::string>{"60: 216"});
    EXPECT_EQ(all.repeat(4, 6), (std::vector<std::string>{"4: 48", "5: 51"}));
    all.end();
    for (std::uint32_t block = 0; block < kBlocks; ++block) EXPECT_EQ(all.word(block), block + 1);
  }
}

TEST(Repeatable, AfterTheLaunchMemoryIsThatOfThePlainOrder) {
  Repeat all(kStore, 2);
  ASSERT_TRUE(all.launch());
  EXPECT_EQ(all.repeat(63, 64), std::vector<std::string>{"63: 7"});
  all.end();
  EXPECT_EQ(all.word(63), 64u);
}

TEST(Repeatable, ReductionsAreDoneOnce) {
  Repeat all("  B------:R-:W-:-:S01 RED.E.ADD.STRONG.GPU [R6], R0\n", 2);
  ASSERT_TRUE(all.launch());
  EXPECT_EQ(all.repeat(4, 6), (std::vector<std::string>{"4: 7", "5: 7"}));
  all.end();
  EXPECT_EQ(all.word(0), 1000u + kBlocks * (kBlocks + 1) / 2);
}

TEST(Repeatable, ALaunchWhoseBlocksMeetIsNotExecuted) {
  Repeat all(
      "  B------:R-:W0:-:S01 LDG.E.SYS R4, [R6]\n  B0-----:R-:W-:-:S04 IADD3 R4, R4, 0x1, RZ\n"
      "  B------:R-:W-:-:S01 STG.E.SYS [R2], R4\n",
      2);
  EXPECT_FALSE(all.launch());
  for (std::uint32_t block = 0; block < kBlocks; ++block) EXPECT_EQ(all.word(block), 1000u);
}

}  // namespace
}  // namespace sassim::emu
