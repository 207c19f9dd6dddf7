#include "core/alert.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace schedlab {
namespace {

std::set<std::pair<AlertState, AlertState>> PossibleChanges() {
  std::set<std::pair<AlertState, AlertState>> possible;
  for (const AlertState from : kAlertStates) {
    for (const AlertState to : kAlertStates) {
      if (MayChange(from, to)) possible.emplace(from, to);
    }
  }
  return possible;
}

TEST(AlertTest, TheseTransitionsAndNoOthersArePossible) {
  using enum AlertState;
  const std::set<std::pair<AlertState, AlertState>> expected = {
      {kOpen, kAcknowledged}, {kOpen, kResolved},         {kOpen, kDismissed},
      {kAcknowledged, kOpen}, {kAcknowledged, kResolved}, {kAcknowledged, kDismissed},
      {kResolved, kOpen},     {kResolved, kDismissed},    {kDismissed, kOpen}};

  EXPECT_EQ(PossibleChanges(), expected);
}

TEST(AlertTest, ARefusalNamesBothStatesAndThoseThatArePossible) {
  const Status refused = CheckChange(AlertState::kResolved, AlertState::kAcknowledged);

  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(refused.error().message,
            "an alert that is resolved cannot become acknowledged, only open or dismissed");
}

TEST(AlertTest, PrecisionIsTheShareOfDecidedAlertsThatWereNotDismissed) {
  const AlertPrecision precision{.project = "linux",
                                 .open_count = 100,
                                 .acknowledged_count = 1,
                                 .resolved_count = 2,
                                 .recovered_count = 3,
                                 .dismissed_count = 1,
                                 .withdrawn_count = 1};

  EXPECT_EQ(precision.Share(), 0.75);
}

TEST(AlertTest, WhereNothingIsDecidedThereIsNoPrecision) {
  EXPECT_EQ((AlertPrecision{.project = "linux", .open_count = 3}).Share(), std::nullopt);
}

}  // namespace
}  // namespace schedlab
