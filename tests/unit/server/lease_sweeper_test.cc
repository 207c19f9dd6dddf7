#include "server/lease_sweeper.h"

#include <gtest/gtest.h>

#include "tests/unit/server/fake_job_store.h"

namespace schedlab::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class LeaseSweeperTest : public ::testing::Test {
 protected:
  Status SweepAt(milliseconds since_start) {
    return sweeper_.Sweep(LeaseGrace::Time(seconds(1000) + since_start));
  }

  SystemClock clock_;
  Log log_{clock_, LogLevel::kError, [](std::string_view) {}};
  Telemetry telemetry_;
  FakeJobStore store_;
  int told_count_ = 0;
  LeaseSweeper sweeper_{
      store_, log_, telemetry_, {.lease_ttl = seconds{30}, .on_swept = [this] { ++told_count_; }}};
};

TEST_F(LeaseSweeperTest, LeavesWorkersTheLengthOfALeaseToComeBackAfterAStart) {
  EXPECT_TRUE(SweepAt(seconds(0)));
  EXPECT_TRUE(SweepAt(milliseconds(29'999)));

  EXPECT_EQ(store_.expiry_count(), 0);
}

TEST_F(LeaseSweeperTest, TakesExpiredLeasesBackAfterTheTimeOfGrace) {
  store_.ExpirePerSweep(2);
  EXPECT_TRUE(SweepAt(seconds(0)));

  EXPECT_TRUE(SweepAt(seconds(30)));

  EXPECT_EQ(store_.expiry_count(), 1);
  EXPECT_EQ(told_count_, 1);
}

TEST_F(LeaseSweeperTest, TellsNobodyOfASweepThatFoundNothing) {
  EXPECT_TRUE(SweepAt(seconds(0)));

  EXPECT_TRUE(SweepAt(seconds(30)));

  EXPECT_EQ(told_count_, 0);
}

TEST_F(LeaseSweeperTest, LeavesWorkersTheSameTimeAfterAnOutageOfTheDatabase) {
  EXPECT_TRUE(SweepAt(seconds(0)));
  EXPECT_TRUE(SweepAt(seconds(30)));
  store_.SetAway(true);
  EXPECT_FALSE(SweepAt(seconds(31)));
  store_.SetAway(false);

  EXPECT_TRUE(SweepAt(seconds(60)));
  const std::int64_t in_grace = store_.expiry_count();
  EXPECT_TRUE(SweepAt(seconds(61)));

  EXPECT_EQ(in_grace, 2);  // the one before the outage and the one that found it
  EXPECT_EQ(store_.expiry_count(), 3);
}

TEST_F(LeaseSweeperTest, BeginsTheTimeOfGraceAnewWhereTheDatabaseIsAwayInIt) {
  EXPECT_TRUE(SweepAt(seconds(0)));
  store_.SetAway(true);
  EXPECT_FALSE(SweepAt(seconds(29)));
  store_.SetAway(false);

  EXPECT_TRUE(SweepAt(seconds(58)));

  EXPECT_EQ(store_.expiry_count(), 0);
}

}  // namespace
}  // namespace schedlab::server
