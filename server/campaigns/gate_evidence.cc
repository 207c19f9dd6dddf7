#include "server/campaigns/gate_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace schedlab::server {
namespace {

using RunsByKey = std::map<std::string_view, std::vector<const CampaignRun*>>;

constexpr std::array<std::string_view, 2> kSideNames = {"baseline", "candidate"};

void AddRepetition(SideEvidence& side, std::int32_t repetition,
                   const std::vector<const CampaignRun*>& tries) {
  side.asked_count = repetition + 1;
  for (const CampaignRun* run : tries) {
    if (run->state == RunState::kSucceeded) {
      side.measured.push_back({.round = run->round, .repetition = repetition, .run = run});
      continue;
    }
    if (!HasEnded(run->state)) continue;
    if (side.failed_count == 0) side.first_failure = DescribeFailure(*run);
    ++side.failed_count;
  }
}

SideEvidence SideOf(const std::vector<std::string>& keys, const RunsByKey& by_key) {
  SideEvidence side;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto tries = by_key.find(keys[i]);
    if (tries != by_key.end()) AddRepetition(side, static_cast<std::int32_t>(i), tries->second);
  }
  std::stable_sort(side.measured.begin(), side.measured.end(),
                   [](const MeasuredRun& a, const MeasuredRun& b) { return a.round < b.round; });
  return side;
}

std::vector<MeasuredRun> Paired(const SideEvidence& side, const SideEvidence& other) {
  std::set<std::int32_t> repetitions;
  for (const MeasuredRun& run : other.measured) repetitions.insert(run.repetition);
  std::vector<MeasuredRun> paired;
  for (const MeasuredRun& run : side.measured) {
    if (repetitions.count(run.repetition) > 0) paired.push_back(run);
  }
  std::sort(paired.begin(), paired.end(),
            [](const MeasuredRun& a, const MeasuredRun& b) { return a.repetition < b.repetition; });
  return paired;
}

std::vector<double> ValuesOf(const std::vector<MeasuredRun>& runs, const std::string& metric) {
  std::vector<double> values;
  for (const MeasuredRun& measured : runs) {
    const auto value = measured.run->metrics.find(metric);
    if (value != measured.run->metrics.end()) values.push_back(value->second);
  }
  return values;
}

}  // namespace

bool ArmEvidence::is_given_up() const {
  return std::any_of(sides.begin(), sides.end(),
                     [](const SideEvidence& side) { return side.failed_count >= kMaxFailedRuns; });
}

std::string ArmEvidence::WhyGivenUp() const {
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i].failed_count < kMaxFailedRuns) continue;
    return fmt::format("{} runs of the {} failed; the first: {}", sides[i].failed_count,
                       kSideNames[i], sides[i].first_failure);
  }
  return "";
}

std::vector<ArmEvidence> EvidenceOf(const GateSuite& suite, const std::vector<CampaignRun>& runs) {
  RunsByKey by_key;
  for (const CampaignRun& run : runs) by_key[run.key].push_back(&run);
  std::vector<ArmEvidence> evidence;
  for (const GateArm& arm : suite.arms) {
    evidence.push_back({.sides = {SideOf(arm.keys[kBaselineSide], by_key),
                                  SideOf(arm.keys[kCandidateSide], by_key)}});
  }
  return evidence;
}

Sides SamplesOf(const ArmEvidence& arm, const std::string& metric, SeedMode mode) {
  const SideEvidence& baseline = arm.sides[kBaselineSide];
  const SideEvidence& candidate = arm.sides[kCandidateSide];
  switch (mode) {
    case SeedMode::kIndependent:
      return {ValuesOf(baseline.measured, metric), ValuesOf(candidate.measured, metric)};
    case SeedMode::kPaired:
      return {ValuesOf(Paired(baseline, candidate), metric),
              ValuesOf(Paired(candidate, baseline), metric)};
  }
  return {};
}

bool IsReportedNowhere(const ArmEvidence& arm, const std::string& metric) {
  return std::all_of(arm.sides.begin(), arm.sides.end(), [&metric](const SideEvidence& side) {
    return !side.measured.empty() && ValuesOf(side.measured, metric).empty();
  });
}

bool IsUnreported(const ArmEvidence& arm, const std::string& metric) {
  return std::any_of(arm.sides.begin(), arm.sides.end(), [&metric](const SideEvidence& side) {
    return ValuesOf(side.measured, metric).size() != side.measured.size();
  });
}

}  // namespace schedlab::server
