// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/vary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/config/describe.h"

namespace sassim::explore {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    parse_axis(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Vary, KeepsValuesAsTyped) {
  const Axis axis = parse_axis("l2.size=1.5MiB,3MiB,5MiB,48MiB");
  EXPECT_EQ(axis.path, "memory.l2.size");
  EXPECT_EQ(axis.unit, "bytes");
  EXPECT_THAT(axis.values, ElementsAre("1.5MiB", "3MiB", "5MiB", "48MiB"));
  EXPECT_THAT(axis.numbers, ElementsAre(1572864, 3145728, 5242880, 50331648));
}

TEST(Vary, TakesRangesWithUnits) {
  EXPECT_THAT(parse_axis("l1.size=16KiB..256KiB:*2").values,
              ElementsAre("16KiB", "32KiB", "64KiB", "128KiB", "256KiB"));
  EXPECT_THAT(parse_axis("l1.size=96KiB..128KiB:16KiB").values, ElementsAre("96KiB", "112KiB", "128KiB"));
  EXPECT_THAT(parse_axis("l1.size=16KiB,32KiB,64KiB..256KiB").values,
              ElementsAre("16KiB", "32KiB", "64KiB", "128KiB", "256KiB"));
  EXPECT_THAT(parse_axis("l1.hit_latency=30..20:-5").values, ElementsAre("30", "25", "20"));
  EXPECT_THAT(parse_axis("clock.sm=1GHz,1.5GHz").values, ElementsAre("1GHz", "1.5GHz"));
  EXPECT_THAT(parse_axis("l2.atomic_lane_latency=0.5,1,1.5..2").values, ElementsAre("0.5", "1", "1.5", "2"));
}

TEST(Vary, TakesNamesFlagsAndLists) {
  const Axis names = parse_axis("l1.replacement=lru,priorities");
  EXPECT_THAT(names.values, ElementsAre("lru", "priorities"));
  EXPECT_TRUE(names.numbers.empty());
  EXPECT_THAT(parse_axis("register_file.reuse_cache=true,false").values, ElementsAre("true", "false"));
  EXPECT_THAT(parse_axis("occupancy.carveouts=[0,32KiB],[0]").values, ElementsAre("[0,32KiB]", "[0]"));
}

TEST(Vary, EveryKeyOfTheSchemaCanBeVaried) {
  config::GpuConfig gpu;
  const config::FieldList fields(gpu);
  for (const config::Field& field : fields.fields()) {
    const std::string value = field.format();
    const Axis axis = parse_axis(field.path + "=" + value);
    EXPECT_EQ(axis.path, field.path);
    EXPECT_EQ(axis.values.size(), 1u) << field.path << "=" << value;
  }
}

TEST(Vary, ErrorsNameTheOptionAndTheWayOut) {
  EXPECT_THAT(error_of("l1.sise=16KiB"), HasSubstr("--vary l1.sise=16KiB: unknown key 'l1.sise' (did you mean"));
  EXPECT_THAT(error_of("l1.size=16KB"), HasSubstr("sm.l1.size: '16KB' could mean 1000 or 1024 bytes"));
  EXPECT_THAT(error_of("l1.size=16KiB..8KiB:1KiB"), HasSubstr("never reaches its end"));
  EXPECT_THAT(error_of("l1.size=16KiB..256KiB"), HasSubstr("needs a step, such as 16KiB..256KiB:16KiB or :*2"));
  EXPECT_THAT(error_of("l1.size=1"), HasSubstr("out of range"));
  EXPECT_THAT(error_of("l1.size"), HasSubstr("expected KEY=V1,V2"));
  EXPECT_THAT(error_of("l1.size="), HasSubstr("expected KEY=V1,V2"));
  EXPECT_THAT(error_of("l1.set_hash=modulo,mxi"), HasSubstr("mxi"));
  EXPECT_THAT(error_of("l1.size=16KiB,32KiB,16KiB"), HasSubstr("is listed twice"));
  EXPECT_THAT(error_of("l1=3"), HasSubstr("group of keys"));
}

Axis axis(const std::string& path, std::size_t values) {
  Axis made;
  made.key = made.path = path;
  for (std::size_t i = 0; i < values; ++i) made.values.push_back(std::to_string(i));
  return made;
}

TEST(Combine, GridHasTheLastAxisFastest) {
  const auto points = combine({axis("a", 2), axis("b", 3)}, Combine::grid);
  EXPECT_THAT(points, ElementsAre(ElementsAre(0, 0), ElementsAre(0, 1), ElementsAre(0, 2), ElementsAre(1, 0),
                                  ElementsAre(1, 1), ElementsAre(1, 2)));
  EXPECT_THAT(combine({}, Combine::grid), ElementsAre(ElementsAre()));
}

TEST(Combine, ZipGoesSideBySide) {
  EXPECT_THAT(combine({axis("a", 2), axis("b", 2)}, Combine::zip), ElementsAre(ElementsAre(0, 0), ElementsAre(1, 1)));
  EXPECT_THROW(combine({axis("a", 2), axis("b", 3)}, Combine::zip), UsageError);
}

TEST(Combine, RefusesAKeyTwiceAndTooMany) {
  EXPECT_THROW(combine({axis("a", 2), axis("a", 2)}, Combine::grid), UsageError);
  EXPECT_THROW(combine({axis("a", 2000), axis("b", 2000)}, Combine::grid), UsageError);
}

}  // namespace
}  // namespace sassim::explore
