#include "sim/fair/typed_group.h"

#include <gtest/gtest.h>

#include "sim/random_stream.h"
#include "tests/unit/sim/fair_machine.h"

namespace schedlab::sim::fair {
namespace {

constexpr Switches kTyped{.classification = Classification::kGroupTypesLocalAverage,
                          .group_imb_rule = GroupImbRule::kAffinityFlag,
                          .load_view = LoadView::kPeltAll,
                          .bias_mode = BiasMode::kNone};
constexpr std::size_t kLevelOfCaches = 1;

// Everything about a group, whether a rule asks for it or not.
struct Everything {
  GroupFacts facts;
  std::int64_t load = 0;
};

Everything ReadAll(FairMachine& fair, const Pass& pass, const Group& group) {
  const State& state = fair.state();
  const FactsReader reader(state);
  Everything all;
  all.facts.cpu_count = static_cast<std::int64_t>(group.cpus.size());
  all.facts.power = group.power;
  for (const CpuNumber cpu : group.cpus) reader.Add(cpu, all.facts);
  all.load = MeasureGroup(state, pass, group, group.set.Contains(pass.cpu)).load;
  return all;
}

void ExpectSame(FairMachine& fair, const Pass& pass, const Group& group) {
  const Everything all = ReadAll(fair, pass, group);
  const std::int64_t percent = DomainOf(fair.state(), pass).parameters.imbalance_pct;
  TypedGroup typed(fair.state(), pass, group);
  EXPECT_EQ(typed.type(), TypeOf(fair.state(), all.facts, percent));
  EXPECT_EQ(typed.running_count(), all.facts.running_count);
  EXPECT_EQ(typed.Util(fair.state(), pass), all.facts.util);
  EXPECT_EQ(typed.Load(fair.state(), pass), all.load);
}

// Tasks come and go at random; after each change every group is as one that is read from scratch.
void CompareOverTime(const Switches& switches, std::uint64_t seed) {
  FairMachine fair("package:1 l3:2 core:4", switches);
  RandomStream random(seed, "typed groups");
  std::vector<Task*> queued;
  std::int64_t now = 0;
  for (int step = 0; step < 200; ++step) {
    fair.AdvanceTo(now += random.Below(2'000'000));
    if (queued.size() < 16 && random.Below(3) > 0) {
      queued.push_back(&fair.Queue(static_cast<CpuNumber>(random.Below(8))));
    } else if (!queued.empty()) {
      Dequeue(fair.state(), queued.back()->cpu, *queued.back(), Departure::kExited);
      queued.pop_back();
    }
    Pass pass = fair.PassFor(0, 0);
    pass.level = kLevelOfCaches;
    for (const Group* group : DomainOf(fair.state(), pass).groups) ExpectSame(fair, pass, *group);
  }
}

TEST(TypedGroupTest, WhatIsReadOnlyWhereARuleAsksIsWhatReadingAllGives) {
  CompareOverTime(kTyped, 1);
  CompareOverTime(kTyped, 2);
}

TEST(TypedGroupTest, SoItIsWhereALoadIsMoreThanASumOfAverages) {
  Switches biased = kTyped;
  biased.bias_mode = BiasMode::kPctOnTarget;
  CompareOverTime(biased, 3);
  Switches least = kTyped;
  least.group_load_measure = GroupLoadMeasure::kMinimum;
  CompareOverTime(least, 4);
  Switches weights = kTyped;
  weights.load_view = LoadView::kWeight;
  CompareOverTime(weights, 5);
}

TEST(TypedGroupTest, ACpuThatIsNoCandidateDoesNotCount) {
  FairMachine fair("package:1 l3:2 core:4", kTyped);
  fair.QueueMany(5, 6);
  fair.Queue(6);
  Pass pass = fair.PassFor(0, 0);
  pass.level = kLevelOfCaches;
  pass.candidates.Remove(5);

  TypedGroup other(fair.state(), pass, *DomainOf(fair.state(), pass).groups.back());

  EXPECT_EQ(other.running_count(), 1);
  EXPECT_EQ(other.idle_cpus(), 2);
  EXPECT_EQ(other.Load(fair.state(), pass), AveragesOf(fair.state(), 6).load);
}

}  // namespace
}  // namespace schedlab::sim::fair
