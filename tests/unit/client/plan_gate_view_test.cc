#include "client/plan_gate_view.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace schedlab::client {
namespace {

constexpr stats::GateQuestion kQuestion{
    .effect = 0.04, .noise = 0.02, .metric_count = 20, .history_degrees = 50};

stats::GatePlan SamplePlan() {
  return {.runs_at_once = 10,
          .power_at_once = 0.911,
          .looks = {{.runs = 3, .level = 1.5e-9, .power = 0},
                    {.runs = 12, .level = 0.0024, .power = 0.96}},
          .expected_runs = 9.86,
          .expected_runs_without_change = 12};
}

TEST(RenderGatePlanTest, SaysWhatIsAskedAndWhatEachLookFinds) {
  EXPECT_EQ(RenderGatePlan(kQuestion, SamplePlan()),
            "A change of +4.0 % beyond the minimum effect, noise of 2 % (CV), 20 metrics judged "
            "together at a false-discovery rate of 5 %, a history of 50 degrees of freedom, of "
            "which 20 count.\n"
            "With one look: 10 runs a side find it in 91.1 %.\n"
            "With looks on the way:\n"
            "\n"
            "runs a side  p must reach  found by then\n"
            "          3       1.5e-09          0.0 %\n"
            "         12        0.0024         96.0 %\n"
            "\n"
            "Expected runs a side: 9.9 if it is there, 12.0 if nothing changed.\n");
}

TEST(RenderGatePlanTest, SaysWhereTheLooksAreNotEnough) {
  stats::GatePlan plan = SamplePlan();
  plan.looks.pop_back();
  plan.power_at_once = 0.5;

  const std::string text = RenderGatePlan(kQuestion, plan);

  EXPECT_NE(text.find("10 runs a side find it in 50 % only"), std::string::npos);
  EXPECT_NE(text.find("These looks do not find it in 90 %"), std::string::npos);
}

TEST(GatePlanDocumentTest, HoldsTheSameNumbers) {
  const auto document = nlohmann::json::parse(GatePlanDocument(kQuestion, SamplePlan()));

  EXPECT_EQ(document["format_version"], 1);
  EXPECT_EQ(document["runs_at_once"], 10);
  EXPECT_EQ(document["metrics"], 20);
  EXPECT_EQ(document["looks"][1]["runs"], 12);
  EXPECT_DOUBLE_EQ(document["looks"][1]["power"], 0.96);
  EXPECT_DOUBLE_EQ(document["expected_runs"], 9.86);
}

TEST(GatePlanDocumentTest, NumberOfRunsThatIsNotEnoughIsNone) {
  stats::GatePlan plan = SamplePlan();
  plan.power_at_once = 0.5;

  EXPECT_TRUE(nlohmann::json::parse(GatePlanDocument(kQuestion, plan))["runs_at_once"].is_null());
}

}  // namespace
}  // namespace schedlab::client
