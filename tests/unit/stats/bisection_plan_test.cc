#include "stats/bisection_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stats/bisection_priors.h"

namespace schedlab::stats {
namespace {

BisectionPlan PlanFor(std::int64_t commits, double effect_sd, std::int64_t workers) {
  const Result<BisectionPlan> plan = PlanBisection(
      {.commit_count = commits, .effect_sd = effect_sd, .options = {.worker_count = workers}});
  return plan ? *plan : BisectionPlan{};
}

TEST(PlanBisectionTest, CostGrowsWithTheRangeAndFallsWithTheEffect) {
  const BisectionPlan small = PlanFor(16, 2, 8);
  const BisectionPlan large = PlanFor(256, 2, 8);
  const BisectionPlan easy = PlanFor(256, 4, 8);

  EXPECT_LT(small.mean_runs, large.mean_runs);
  EXPECT_LT(easy.mean_runs, large.mean_runs);
  EXPECT_LT(large.mean_runs, large.runs_90);
  EXPECT_GE(large.right_share, 0.9);
  EXPECT_EQ(large.trial_count, kPlanTrials);
}

TEST(PlanBisectionTest, TheSameQuestionHasTheSameAnswer) {
  EXPECT_EQ(PlanFor(32, 3, 4).mean_runs, PlanFor(32, 3, 4).mean_runs);
}

TEST(PlanBisectionTest, QuestionsOutOfRangeAreNamed) {
  const auto none = PlanBisection({.commit_count = 0, .effect_sd = 1});
  const auto tiny = PlanBisection({.commit_count = 10, .effect_sd = 0.01});
  const auto idle =
      PlanBisection({.commit_count = 10, .effect_sd = 1, .options = {.worker_count = 0}});

  EXPECT_EQ(none.error().message, "0 commits: a plan is for 1 to 4096");
  EXPECT_EQ(tiny.error().message.substr(0, 24), "an effect of 0.01 sd: a ");
  EXPECT_EQ(idle.error().message, "0 workers: must be 1 to 1000");
}

TEST(PriorWeightTest, SchedulerFilesAndSubjectsWeighMoreAndNothingIsRuledOut) {
  const std::vector<std::string> scheduler = {"Documentation/x.rst", "kernel/sched/fair.c"};
  const std::vector<std::string> old_scheduler = {"kernel/sched_fair.c"};
  const std::vector<std::string> driver = {"drivers/net/tun.c"};

  const double both = PriorWeight({scheduler, "sched/fair: Do less"});
  const double file = PriorWeight({old_scheduler, "Make it faster"});
  const double subject = PriorWeight({driver, "sched: Fix a race"});
  const double neither = PriorWeight({driver, "tun: Reschedule"});

  EXPECT_GT(both, file);
  EXPECT_GT(file, subject);
  EXPECT_GT(subject, neither);
  EXPECT_GT(neither, 0);
}

}  // namespace
}  // namespace schedlab::stats
