// The histories that ship: they tell of one implementation, so where two of them know the same
// kernel they must give it the same switches.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/catalog.h"

namespace schedlab {
namespace {

using SwitchValues = std::map<std::string, std::string>;

constexpr std::string_view kReleases = "linux-fair-releases";

const Catalog& Shipped() {
  static const Catalog catalog = ParseCatalog(EmbeddedCatalogFiles()).value();
  return catalog;
}

const PolicyDefinition& History(std::string_view name) { return **Shipped().FindPolicy(name); }

SwitchValues At(std::string_view history, std::string_view revision) {
  const std::string reference = std::string(history) + "@" + std::string(revision);
  const Result<PolicySpec> policy = ResolvePolicy(Shipped(), reference, {});
  EXPECT_TRUE(policy.has_value()) << reference << ": " << policy.error().message;
  return policy ? policy->switches : SwitchValues{};
}

std::vector<const PolicyDefinition*> FairHistories() {
  std::vector<const PolicyDefinition*> histories;
  for (const PolicyDefinition& policy : Shipped().policies) {
    if (policy.implementation == "linux-fair") histories.push_back(&policy);
  }
  return histories;
}

TEST(ShippedHistoriesTest, ARevisionThatAnotherPolicyHasIsToldOf) {
  const std::string message = ResolvePolicy(Shipped(), "linux-fair@v6.12", {}).error().message;

  EXPECT_NE(message.find("in the history of: linux-fair-releases"), std::string::npos) << message;
}

TEST(ShippedHistoriesTest, AtEveryReleaseOfAWindowTheReleasesAgreeWithIt) {
  const std::vector<std::pair<std::string, std::string>> kBoth = {{"linux-fair-2.6.33", "v2.6.31"},
                                                                  {"linux-fair-2.6.33", "v2.6.32"},
                                                                  {"linux-fair-2.6.33", "v2.6.33"},
                                                                  {"linux-fair-3.4", "v3.3"},
                                                                  {"linux-fair-3.4", "v3.4"}};
  for (const auto& [window, release] : kBoth) {
    EXPECT_EQ(At(window, release), At(kReleases, release)) << window << "@" << release;
  }
}

// What was simulated before those two switches were there stays comparable with what is simulated
// now: this history queues remote wakeups at once, and lacks the commit that caps capacities.
TEST(ShippedHistoriesTest, From311To313TheReleasesAgreeButForTwoSwitches) {
  const std::vector<std::pair<std::string, std::string>> kBoth = {
      {"v3.11", "v3.11"}, {"3029ede39373", "v3.12"}, {"v3.13", "v3.13"}};
  for (const auto& [revision, release] : kBoth) {
    SwitchValues window = At("linux-fair", revision);
    SwitchValues releases = At(kReleases, release);
    EXPECT_EQ(window.at("remote_wakeup"), "immediate");
    for (const std::string name : {"remote_wakeup", "group_capacity"}) {
      window.erase(name);
      releases.erase(name);
    }
    EXPECT_EQ(window, releases) << revision << " against " << release;
  }
}

TEST(ShippedHistoriesTest, TheLoadHistoryAgreesWithTheReleasesItNames) {
  const std::string_view history = "linux-fair-cpu-load";

  EXPECT_EQ(At(history, "45ceebf77653"), At(kReleases, "v3.10"));
  EXPECT_EQ(At(history, "v3.13-rc7"), At(kReleases, "v3.13"));
  EXPECT_EQ(At(history, "d70495ef86f3").at("bias_mode"), "pct_on_target");
  EXPECT_EQ(At(history, "3289bdb42988"), At(kReleases, "v4.2"));
  EXPECT_EQ(At(history, "1c1b8a7b03ef"), At(kReleases, "v5.3"));
}

TEST(ShippedHistoriesTest, TheDefaultsAreLinux311) {
  const SwitchValues defaults = ResolvePolicy(Shipped(), "linux-fair", {})->switches;

  EXPECT_EQ(At("linux-fair", "v3.11"), defaults);
}

TEST(ShippedHistoriesTest, EveryChangeChangesSomething) {
  for (const PolicyDefinition* history : FairHistories()) {
    SwitchValues values = ResolvePolicy(Shipped(), history->name, {})->switches;
    for (const Revision& revision : history->revisions) {
      for (const auto& [name, value] : revision.changes) {
        EXPECT_NE(values.at(name), value) << history->name << "@" << revision.id << " " << name;
        values[name] = value;
      }
    }
  }
}

TEST(ShippedHistoriesTest, TheFixesOfFourRegressionsFlipWhatBrokeThem) {
  EXPECT_EQ(At("linux-fair-2.6.33", "50b926e43962~").at("wake_idle_search"),
            "prefer_sibling_climbing");
  EXPECT_EQ(At("linux-fair-2.6.33", "50b926e43962").at("wake_idle_search"), "llc_first");
  EXPECT_EQ(At("linux-fair-3.4", "367456c756a6").at("small_task_filter"), "on");
  EXPECT_EQ(At("linux-fair-3.4", "eb95308ee2a6").at("small_task_filter"), "off");
  EXPECT_EQ(At("linux-fair", "23f0d2093c78").at("election"), "inverted");
  EXPECT_EQ(At("linux-fair", "b0cff9d88ce2").at("election"), "correct");
  EXPECT_EQ(At("linux-fair-cpu-load", "f1b6442c7dd1").at("bias_mode"), "history");
}

TEST(ShippedHistoriesTest, ARangeFrom311To313HasTheRowsThatItAlwaysHad) {
  const PolicyDefinition& history = History("linux-fair");

  EXPECT_EQ(FindRevision(history, "v3.11").value()->ordinal, 0);
  EXPECT_EQ(FindRevision(history, "v3.13").value()->ordinal, 26);
  EXPECT_EQ(history.revisions.size(), 27U);
}

TEST(ShippedHistoriesTest, EveryReleaseFrom2631To612HasARow) {
  EXPECT_EQ(History(kReleases).revisions.size(), 83U);
  EXPECT_EQ(History(kReleases).revisions.front().aliases, std::vector<std::string>{"v2.6.31"});
  EXPECT_EQ(History(kReleases).revisions.back().aliases, std::vector<std::string>{"v6.12"});
}

}  // namespace
}  // namespace schedlab
