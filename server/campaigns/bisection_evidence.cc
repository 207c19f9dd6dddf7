#include "server/campaigns/bisection_evidence.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/expansion.h"
#include "server/campaigns/bisection_rounds.h"
#include "server/campaigns/failed_runs.h"

namespace schedlab::server {
namespace {

using RunsByKey = std::map<std::string_view, std::vector<const CampaignRun*>>;
using Repetitions = std::map<std::int32_t, PlannedProbe>;

struct Reading {
  const std::string& metric;
  const RunsByKey& by_key;
  BisectionRuns& known;
};

void AddFailure(std::string failure, FailedRuns& failed) {
  if (failed.count == 0) failed.first_failure = std::move(failure);
  ++failed.count;
}

// Whether the try is a measurement.
bool AddTry(const PlannedProbe& probe, const CampaignRun& run, const Reading& reading) {
  FailedRuns& failed = reading.known.failed[probe.commit];
  if (run.state != RunState::kSucceeded) {
    if (HasEnded(run.state)) AddFailure(DescribeFailure(run), failed);
    return false;
  }
  const auto value = run.metrics.find(reading.metric);
  if (value == run.metrics.end()) {
    AddFailure("it does not report the metric", failed);
    return false;
  }
  reading.known.measured.push_back({.commit = probe.commit,
                                    .round = run.round,
                                    .purpose = probe.purpose,
                                    .value = value->second});
  return true;
}

void AddProbe(const PlannedProbe& probe, const std::string& key, const Reading& reading) {
  KnownProbe known{.probe = probe};
  const auto tries = reading.by_key.find(key);
  if (tries != reading.by_key.end()) {
    for (const CampaignRun* run : tries->second) {
      known.is_measured = known.is_measured || AddTry(probe, *run, reading);
    }
  }
  reading.known.probes.push_back(std::move(known));
}

}  // namespace

bool FailedRuns::is_given_up() const { return count >= kMaxFailedRuns; }

Result<BisectionRuns> ReadRuns(const Catalog& catalog, const BisectionQuestion& question,
                               const std::vector<RevisionRef>& revisions,
                               const std::vector<PlannedProbe>& probes,
                               const std::vector<CampaignRun>& runs) {
  RunsByKey by_key;
  for (const CampaignRun& run : runs) by_key[run.key].push_back(&run);
  std::map<std::int64_t, Repetitions> by_commit;
  for (const PlannedProbe& probe : probes) by_commit[probe.commit][probe.repetition] = probe;
  BisectionRuns known;
  const Reading reading{.metric = question.metric, .by_key = by_key, .known = known};
  for (const auto& [commit, repetitions] : by_commit) {
    const std::string& revision = revisions[static_cast<std::size_t>(commit)].id;
    const std::int32_t count = repetitions.rbegin()->first + 1;
    const Result<ExpandedJob> job = Expand(catalog, ProbeJob(question.probe, revision, count));
    if (!job) return Fail(job.error());
    for (const auto& [repetition, probe] : repetitions) {
      AddProbe(probe, job->runs[static_cast<std::size_t>(repetition)].key, reading);
    }
  }
  return known;
}

}  // namespace schedlab::server
