#include "tests/regression/measurement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>
#include <numeric>
#include <string_view>

#include "core/check.h"
#include "tests/regression/extent.h"
#include "tests/unit/sim/runs.h"

namespace schedlab::sim {
namespace {

constexpr std::array<std::string_view, kIdleTypeCount> kIdleTypeNames = {"idle", "busy", "newidle"};

Scenario ScenarioOf(const Case& one) {
  Scenario scenario = ShippedScenario(one.topology, one.workload, one.parameters);
  if (one.duration_ns != 0) scenario.duration_ns = one.duration_ns;
  Topology& topology = scenario.topology;
  if (!one.shape.empty()) topology.cpus = CpusFromShape(one.shape).value();
  if (one.housekeeping_period_ns) topology.housekeeping_period_ns = *one.housekeeping_period_ns;
  for (const CostField& field : kCostFields) {
    const auto cost = one.costs.find(std::string(field.name));
    if (cost != one.costs.end()) topology.costs.*field.member = cost->second;
  }
  return scenario;
}

void AddDomain(const DomainReport& domain, Sample& sample) {
  sample["wakeups_remote/" + domain.name] += static_cast<double>(domain.wakeups_remote);
  for (std::size_t type = 0; type < kIdleTypeCount; ++type) {
    const PassCounters& passes = domain.passes[type];
    const auto add = [&](std::string_view what, std::int64_t count) {
      sample[fmt::format("lb_{}_{}/{}", what, kIdleTypeNames[type], domain.name)] +=
          static_cast<double>(count);
    };
    add("count", passes.count);
    add("balanced", passes.balanced);
    add("failed", passes.failed);
    add("gained", passes.gained);
    add("nobusyg", passes.no_busy_group);
  }
}

Sample RunOnce(const Scenario& scenario, const PolicySpec& policy, std::uint64_t seed) {
  Schedstat schedstat;
  const Result<RunResult> result = Simulate(scenario, policy, seed, {}, {.schedstat = &schedstat});
  SCHEDLAB_CHECK(result.has_value());
  Sample sample = result->metrics;
  sample["simulated_sec"] = static_cast<double>(result->simulated_ns) / 1e9;
  for (const Schedstat::PerCpu& cpu : schedstat.cpus) {
    sample["sched_count"] += static_cast<double>(cpu.counters.schedules);
    sample["sched_goidle"] += static_cast<double>(cpu.counters.idle_picks);
    sample["ttwu_count"] += static_cast<double>(cpu.counters.wakeups);
    sample["ttwu_local"] += static_cast<double>(cpu.counters.wakeups_local);
    for (const DomainReport& domain : cpu.domains) AddDomain(domain, sample);
  }
  return sample;
}

std::string KeyOf(const Case& one) {
  return fmt::format("{} {} {} {} {} {} {} {} {}", one.topology, one.shape, one.costs,
                     one.housekeeping_period_ns.value_or(-1), one.workload, one.parameters,
                     one.duration_ns, one.policy, one.switches);
}

// f(baseline, candidate) of each seed.
template <class Function>
Estimate Pair(const Case& baseline, const Case& candidate, const std::string& metric, Function f) {
  const Estimate before = ValueOf(baseline, metric);
  const Estimate after = ValueOf(candidate, metric);
  Estimate result;
  std::transform(before.by_seed.begin(), before.by_seed.end(), after.by_seed.begin(),
                 std::back_inserter(result.by_seed), f);
  return result;
}

}  // namespace

Extent& ThisExtent() {
  static Extent extent;
  return extent;
}

const std::vector<Sample>& SamplesOf(const Case& one) {
  static std::map<std::string, std::vector<Sample>> known;
  std::vector<Sample>& samples = known[KeyOf(one)];
  if (!samples.empty()) return samples;
  const Scenario scenario = ScenarioOf(one);
  const PolicySpec policy = ShippedPolicy(one.policy, one.switches);
  for (std::uint64_t seed = 1; seed <= ThisExtent().seed_count; ++seed) {
    samples.push_back(RunOnce(scenario, policy, seed));
  }
  return samples;
}

double Estimate::mean() const {
  return std::accumulate(by_seed.begin(), by_seed.end(), 0.0) / static_cast<double>(by_seed.size());
}

double Estimate::standard_error() const {
  if (by_seed.size() < 2) return 0;
  const double middle = mean();
  double squares = 0;
  for (const double value : by_seed) squares += (value - middle) * (value - middle);
  const auto count = static_cast<double>(by_seed.size());
  return std::sqrt(squares / (count - 1) / count);
}

Estimate ValueOf(const Case& one, const std::string& metric) {
  Estimate result;
  for (const Sample& sample : SamplesOf(one)) result.by_seed.push_back(sample.at(metric));
  return result;
}

Estimate RatioOf(const Case& baseline, const Case& candidate, const std::string& metric) {
  return Pair(baseline, candidate, metric,
              [](double before, double after) { return after / before; });
}

Estimate ChangeOf(const Case& baseline, const Case& candidate, const std::string& metric) {
  return Pair(baseline, candidate, metric,
              [](double before, double after) { return after / before - 1; });
}

Estimate GrowthOf(const Case& baseline, const Case& candidate, const std::string& metric) {
  return Pair(baseline, candidate, metric,
              [](double before, double after) { return after - before; });
}

Estimate ShareOf(const Case& one, const std::string& part, const std::string& whole) {
  Estimate result;
  for (const Sample& sample : SamplesOf(one)) {
    result.by_seed.push_back(sample.at(part) / sample.at(whole));
  }
  return result;
}

Estimate RatioOfMeans(const Case& baseline, const Case& candidate, const std::string& metric) {
  return {{ValueOf(candidate, metric).mean() / ValueOf(baseline, metric).mean()}};
}

Estimate operator-(const Estimate& from, const Estimate& what) {
  Estimate difference;
  std::transform(from.by_seed.begin(), from.by_seed.end(), what.by_seed.begin(),
                 std::back_inserter(difference.by_seed), std::minus<>());
  return difference;
}

void ExpectWithin(const Estimate& estimate, const Bands& bands) {
  const Band& band = ThisExtent().is_long ? bands.row : bands.quick;
  ExpectWithin(estimate, band.low, band.high);
}

void ExpectWithin(const Estimate& estimate, double low, double high) {
  const auto& test = *::testing::UnitTest::GetInstance()->current_test_info();
  fmt::print("{}.{}: {:.4g} +- {:.2g}, by seed {:.4g}\n", test.test_suite_name(), test.name(),
             estimate.mean(), estimate.standard_error(), fmt::join(estimate.by_seed, " "));
  std::fflush(stdout);
  EXPECT_GE(estimate.mean(), low);
  EXPECT_LE(estimate.mean(), high);
}

}  // namespace schedlab::sim
