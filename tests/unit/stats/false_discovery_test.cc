#include "stats/false_discovery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/split_mix.h"

namespace schedlab::stats {
namespace {

// Benjamini and Hochberg (1995), section 4.2: fifteen p-values of a study of myocardial infarction;
// at q = 0.05 the procedure rejects the first four, Bonferroni the first three.
TEST(FalseDiscoveryTest, ReproducesThePublishedExample) {
  const std::vector<double> p_values = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201,
                                        0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
                                        0.4262, 0.5719, 0.6528, 0.7590, 1.0000};

  const std::vector<double> adjusted = AdjustForFalseDiscovery(p_values);

  EXPECT_EQ(std::count_if(adjusted.begin(), adjusted.end(), [](double p) { return p <= 0.05; }), 4);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.0015);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.0095 * 15 / 4);
  EXPECT_DOUBLE_EQ(adjusted[4], 0.0201 * 15 / 5);
  // 0.0278 * 15 / 6 is more than the next one's 0.0298 * 15 / 7.
  EXPECT_DOUBLE_EQ(adjusted[5], 0.0298 * 15 / 7);
  EXPECT_DOUBLE_EQ(adjusted[14], 1);
}

TEST(FalseDiscoveryTest, FollowsTheOrderOfThePValues) {
  EXPECT_EQ(AdjustForFalseDiscovery(std::vector<double>{0.03, 0.01, 0.02}),
            (std::vector<double>{0.03, 0.03, 0.03}));
  EXPECT_EQ(AdjustForFalseDiscovery(std::vector<double>{0.04}), (std::vector<double>{0.04}));
  EXPECT_TRUE(AdjustForFalseDiscovery({}).empty());
}

int CountSetsWithARejection(int trials) {
  int rejections = 0;
  for (int seed = 1; seed <= trials; ++seed) {
    testing::SplitMix random(static_cast<std::uint64_t>(seed));
    std::vector<double> p_values(20);
    for (double& p : p_values) p = random.Uniform();
    const std::vector<double> adjusted = AdjustForFalseDiscovery(p_values);
    if (*std::min_element(adjusted.begin(), adjusted.end()) <= 0.05) ++rejections;
  }
  return rejections;
}

// With every hypothesis true the rate of any rejection is q: 200 of 4,000 with an error of 14.
TEST(FalseDiscoveryTest, UniformPValuesAreRejectedAtTheRate) {
  EXPECT_NEAR(CountSetsWithARejection(4000), 200, 56);
}

}  // namespace
}  // namespace schedlab::stats
