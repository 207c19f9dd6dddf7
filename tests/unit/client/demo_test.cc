#include "client/demo.h"

#include <gtest/gtest.h>

#include "tests/unit/client/report_values.h"

namespace schedlab::client {
namespace {

Demo DemoOnOneTopology() {
  Demo demo;
  demo.expanded.engine_version = "1";
  demo.expanded.revisions.resize(1);
  demo.expanded.revisions[0].id = "bbbbbbbbbbbbbbbb";
  demo.expanded.scenario_digests = {"kvm-16x1-digest"};
  return demo;
}

TEST(DemoTest, AnAlertOfItsOwnScenariosAndRevisionsBelongsToIt) {
  EXPECT_TRUE(BelongsTo(AlertOnOneTopology(), DemoOnOneTopology()));
}

TEST(DemoTest, AnAlertOfOtherCostsDoesNot) {
  Demo demo = DemoOnOneTopology();
  demo.expanded.scenario_digests = {"other-digest"};

  EXPECT_FALSE(BelongsTo(AlertOnOneTopology(), demo));
}

TEST(DemoTest, AnAlertOfAnotherEngineDoesNot) {
  Demo demo = DemoOnOneTopology();
  demo.expanded.engine_version = "2";

  EXPECT_FALSE(BelongsTo(AlertOnOneTopology(), demo));
}

TEST(DemoTest, AnAlertOutsideOfTheRangeDoesNot) {
  Demo demo = DemoOnOneTopology();
  demo.expanded.revisions[0].id = "eeeeeeeeeeeeeeee";

  EXPECT_FALSE(BelongsTo(AlertOnOneTopology(), demo));
}

TEST(DemoTest, AnImprovementDoesNot) {
  Alert alert = AlertOnOneTopology();
  alert.cells[0].change.is_regression = false;

  EXPECT_FALSE(BelongsTo(alert, DemoOnOneTopology()));
}

}  // namespace
}  // namespace schedlab::client
