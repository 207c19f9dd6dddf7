// Four published regressions, row by row: docs/fidelity.md names the test beside each row. --long
// has the sizes and the ten seeds of those tables, and takes an hour; --seeds=N plays N seeds. The
// suites *LongTest hold rows that two seeds cannot tell from noise: --long or a filter plays them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <string_view>

#include "tests/regression/extent.h"

namespace schedlab::sim {
namespace {

constexpr std::uint64_t kLongSeedCount = 10;
constexpr std::string_view kSeeds = "--seeds=";

bool ReadArgument(std::string_view argument) {
  Extent& extent = ThisExtent();
  if (argument == "--long") {
    extent = {.is_long = true, .seed_count = kLongSeedCount};
    return true;
  }
  if (!argument.starts_with(kSeeds)) return false;
  const std::string_view text = argument.substr(kSeeds.size());
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), extent.seed_count);
  return error == std::errc() && end == text.data() + text.size() && extent.seed_count > 0;
}

}  // namespace
}  // namespace schedlab::sim

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (schedlab::sim::ReadArgument(argv[i])) continue;
    fmt::print(stderr, "{}: '{}' is neither --long nor --seeds=N with N from 1\n", argv[0],
               argv[i]);
    return 2;
  }
  if (!schedlab::sim::ThisExtent().is_long && GTEST_FLAG_GET(filter) == "*") {
    fmt::print("{}: *LongTest is left to --long\n", argv[0]);
    GTEST_FLAG_SET(filter, "-*LongTest.*");
  }
  return RUN_ALL_TESTS();
}
