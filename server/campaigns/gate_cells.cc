#include "server/campaigns/gate_cells.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace schedlab::server {
namespace {

using SeriesByKey = std::map<SeriesKey, const Series*>;

// With unit, direction and minimum effect where results are stored already.
Series SeriesOf(const GateSuite& suite, const GateArm& arm, const std::string& metric,
                const SeriesByKey& stored) {
  const JobSpec& spec = suite.spec;
  Series series;
  series.key = {.project = spec.project,
                .policy = spec.policies[arm.policy_index].policy,
                .variant = arm.variant,
                .topology = spec.topologies[arm.topology_index],
                .workload = spec.workloads[arm.workload_index].workload,
                .scenario_digest = arm.scenario_digest,
                .executor = spec.executor,
                .engine_version = suite.engine_version,
                .metric = metric};
  const auto found = stored.find(series.key);
  return found == stored.end() ? series : *found->second;
}

// Without those that no run of the scenario reports, as the time that it took where its duration
// ends it; all of them where it reports nothing at all, which is then told.
std::vector<std::string> PossibleMetrics(const GateArm& arm, const ArmEvidence& evidence) {
  std::vector<std::string> metrics;
  std::copy_if(
      arm.metrics.begin(), arm.metrics.end(), std::back_inserter(metrics),
      [&evidence](const std::string& metric) { return !IsReportedNowhere(evidence, metric); });
  return metrics.empty() ? arm.metrics : metrics;
}

// What the runs report beside what is judged.
std::set<std::string> OtherMetrics(const GateArm& arm, const ArmEvidence& evidence) {
  std::set<std::string> names;
  for (const SideEvidence& side : evidence.sides) {
    for (const MeasuredRun& run : side.measured) {
      for (const auto& [name, value] : run.run->metrics) names.insert(name);
    }
  }
  for (const std::string& metric : arm.metrics) names.erase(metric);
  return names;
}

class CellBuilder {
 public:
  CellBuilder(const GateSuite& suite, const std::vector<ArmEvidence>& arms,
              const CampaignEvidence& evidence)
      : suite_(suite), arms_(arms), earlier_(evidence.earlier) {
    for (const Series& series : evidence.series) stored_.emplace(series.key, &series);
  }

  GateCells Build() && {
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      for (const std::string& metric : PossibleMetrics(suite_.arms[i], arms_[i])) {
        AddHeadline(i, metric);
      }
    }
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      for (const std::string& metric : OtherMetrics(suite_.arms[i], arms_[i])) {
        AddCounter(i, metric);
      }
    }
    return std::move(cells_);
  }

 private:
  void AddHeadline(std::size_t arm, const std::string& metric) {
    const ArmEvidence& evidence = arms_[arm];
    Series series = SeriesOf(suite_, suite_.arms[arm], metric, stored_);
    series.role = MetricRole::kHeadline;
    if (evidence.is_given_up()) {
      cells_.failed.push_back(Unmeasured(series.key, true, evidence.WhyGivenUp()));
    } else if (IsUnreported(evidence, metric)) {
      cells_.failed.push_back(Unmeasured(series.key, true, "its runs do not report the metric"));
    } else {
      Add(arm, std::move(series));
    }
  }

  // Its direction is known where its results are stored.
  void AddCounter(std::size_t arm, const std::string& metric) {
    Series series = SeriesOf(suite_, suite_.arms[arm], metric, stored_);
    const bool is_stored = stored_.contains(series.key);
    if (!is_stored || arms_[arm].is_given_up() || IsUnreported(arms_[arm], metric)) return;
    series.role = MetricRole::kCounter;
    series.minimum_effect = 0;
    Add(arm, std::move(series));
  }

  void Add(std::size_t arm, Series series) {
    const SeedMode mode = suite_.spec.seed_mode;
    const auto earlier = earlier_.find(series.id);
    cells_.judged.push_back({.arm = arm,
                             .role = series.role,
                             .direction = series.direction,
                             .minimum_effect = series.minimum_effect,
                             .is_paired = mode == SeedMode::kPaired,
                             .samples = SamplesOf(arms_[arm], series.key.metric, mode)});
    if (earlier != earlier_.end()) cells_.judged.back().earlier = earlier->second;
    cells_.series.push_back(std::move(series));
  }

  const GateSuite& suite_;
  const std::vector<ArmEvidence>& arms_;
  const EarlierSamples& earlier_;
  SeriesByKey stored_;
  GateCells cells_;
};

}  // namespace

UnmeasuredCell Unmeasured(const SeriesKey& key, bool has_failed, std::string reason) {
  return {.policy = key.policy,
          .variant = key.variant,
          .topology = key.topology,
          .workload = key.workload,
          .metric = key.metric,
          .has_failed = has_failed,
          .reason = std::move(reason)};
}

GateCells CellsOf(const GateSuite& suite, const std::vector<ArmEvidence>& arms,
                  const CampaignEvidence& evidence) {
  return CellBuilder(suite, arms, evidence).Build();
}

}  // namespace schedlab::server
