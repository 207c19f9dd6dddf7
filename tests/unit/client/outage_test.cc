#include "client/outage.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(OutageTest, SilenceBeforeAStreamBreaksDoesNotCount) {
  Outage outage;
  outage.Answered();
  const Outage::TimePoint broke_at = Outage::TimePoint() + hours(1);

  outage.Broke(broke_at);

  EXPECT_FALSE(outage.IsLongerThan(seconds(60), broke_at));
  EXPECT_FALSE(outage.IsLongerThan(seconds(60), broke_at + seconds(60)));
  EXPECT_TRUE(outage.IsLongerThan(seconds(60), broke_at + seconds(61)));
}

TEST(OutageTest, FailedAttemptsDoNotBeginItAnewAndAnAnswerEndsIt) {
  Outage outage;
  outage.Broke(Outage::TimePoint());
  outage.Broke(Outage::TimePoint() + seconds(50));
  EXPECT_TRUE(outage.IsLongerThan(seconds(60), Outage::TimePoint() + seconds(70)));

  outage.Answered();

  EXPECT_FALSE(outage.IsLongerThan(seconds(60), Outage::TimePoint() + seconds(70)));
}

}  // namespace
}  // namespace schedlab::client
