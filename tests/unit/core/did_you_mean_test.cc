#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/catalog.h"

namespace schedlab {
namespace {

const std::vector<std::string> kKnown = {"kvm-16x1", "kvm-1x16", "tulsa"};

TEST(DidYouMeanTest, NamesTheNearest) {
  EXPECT_EQ(DidYouMean("kvm-16x2", kKnown), " (did you mean 'kvm-16x1'?)");
  EXPECT_EQ(DidYouMean("tulsaa", kKnown), " (did you mean 'tulsa'?)");
}

TEST(DidYouMeanTest, ListsWhatIsKnownWhereNothingIsNear) {
  EXPECT_EQ(DidYouMean("epyc-9654-2s", kKnown), "; known: kvm-16x1, kvm-1x16, tulsa");
}

TEST(DidYouMeanTest, AWordOfFourLettersIsNotNearAnotherInTwo) {
  const std::vector<std::string> words = {"pipe"};

  EXPECT_EQ(DidYouMean("nope", words), "; known: pipe");
  EXPECT_EQ(DidYouMean("pope", words), " (did you mean 'pipe'?)");
}

TEST(DidYouMeanTest, SaysNothingWhereNothingIsKnown) { EXPECT_EQ(DidYouMean("x", {}), ""); }

TEST(DidYouMeanTest, ListsAtMostTenNames) {
  std::vector<std::string> many(12, "a-very-long-name-");
  for (std::size_t i = 0; i < many.size(); ++i) many[i] += std::to_string(i);

  const std::string text = DidYouMean("zzz", many);

  EXPECT_NE(text.find("name-9, ..."), std::string::npos);
  EXPECT_EQ(text.find("name-10"), std::string::npos);
}

}  // namespace
}  // namespace schedlab
