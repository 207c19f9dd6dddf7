#include "server/campaigns/bisection_range.h"

#include <fmt/format.h>

#include <utility>

#include "core/expansion.h"
#include "core/limits.h"
#include "server/campaigns/bisection_rounds.h"
#include "stats/bisection_priors.h"

namespace schedlab::server {
namespace {

struct Ends {
  const PolicyDefinition* policy = nullptr;
  const Revision* good = nullptr;
  const Revision* bad = nullptr;

  std::int64_t CommitCount() const { return bad->ordinal - good->ordinal + 1; }
};

Status CheckShape(const JobSpec& probe) {
  if (probe.policies.size() == 1 && probe.topologies.size() == 1 && probe.workloads.size() == 1) {
    return {};
  }
  return Fail(ErrorCode::kInvalidArgument,
              "a bisection runs one policy on one topology under one workload");
}

Result<Ends> FindEnds(const Catalog& catalog, const BisectionQuestion& question) {
  const Result<const PolicyDefinition*> policy =
      catalog.FindPolicy(question.probe.policies.front().policy);
  if (!policy) return Fail(policy.error());
  const Result<const Revision*> good = FindRevision(**policy, question.good);
  if (!good) return Fail(good.error());
  const Result<const Revision*> bad = FindRevision(**policy, question.bad);
  if (!bad) return Fail(bad.error());
  return Ends{.policy = *policy, .good = *good, .bad = *bad};
}

Status CheckOrder(const Ends& ends) {
  if (ends.good->ordinal >= ends.bad->ordinal) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("the good revision {} does not lie before the bad one, {}",
                            ends.good->id, ends.bad->id));
  }
  if (ends.CommitCount() > kMaxBisectionCommits) {
    return Fail(ErrorCode::kResourceExhausted,
                fmt::format("the range has {} commits; at most {} are allowed", ends.CommitCount(),
                            kMaxBisectionCommits));
  }
  return {};
}

Status CheckMetric(const Catalog& catalog, const BisectionQuestion& question) {
  const Result<const MetricSpec*> metric = catalog.FindMetric(question.metric);
  if (!metric) return Fail(metric.error());
  return {};
}

// What cannot be run is refused before it is stored.
Status CheckProbe(const Catalog& catalog, const BisectionQuestion& question, const Ends& ends) {
  const Result<ExpandedJob> job = Expand(catalog, ProbeJob(question.probe, ends.good->id, 1));
  if (!job) return Fail(job.error());
  return {};
}

// Merges are told by their subjects: a history of the catalog is a line.
stats::BisectionCommit CommitOf(const Revision& revision) {
  return {.prior_weight = stats::PriorWeight({.touched_files = {}, .subject = revision.subject}),
          .is_skipped = false,
          .is_merge = revision.subject.starts_with("Merge ")};
}

Status Skip(const Ends& ends, const std::string& name, BisectionCommits& commits) {
  const Result<const Revision*> revision = FindRevision(*ends.policy, name);
  if (!revision) return Fail(revision.error());
  const std::int64_t index = (*revision)->ordinal - ends.good->ordinal;
  if (index <= 0 || index + 1 >= ends.CommitCount()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} does not lie between the good and the bad revision, so that it "
                            "cannot be skipped",
                            name));
  }
  commits.commits[static_cast<std::size_t>(index)].is_skipped = true;
  return {};
}

Result<BisectionCommits> Collect(const Ends& ends, const BisectionQuestion& question) {
  BisectionCommits commits;
  for (std::int64_t i = ends.good->ordinal; i <= ends.bad->ordinal; ++i) {
    const Revision& revision = ends.policy->revisions[static_cast<std::size_t>(i)];
    commits.revisions.push_back(RefOf(revision));
    commits.commits.push_back(CommitOf(revision));
  }
  for (const std::string& name : question.skipped) {
    if (const Status skipped = Skip(ends, name, commits); !skipped) return Fail(skipped.error());
  }
  return commits;
}

}  // namespace

Result<BisectionRange> ResolveRange(const Catalog& catalog, const BisectionQuestion& question) {
  if (const Status shape = CheckShape(question.probe); !shape) return Fail(shape.error());
  const Result<Ends> ends = FindEnds(catalog, question);
  if (!ends) return Fail(ends.error());
  for (const Status& checked :
       {CheckOrder(*ends), CheckMetric(catalog, question), CheckProbe(catalog, question, *ends)}) {
    if (!checked) return Fail(checked.error());
  }
  const Result<BisectionCommits> commits = Collect(*ends, question);
  if (!commits) return Fail(commits.error());
  const MetricSpec& metric = **catalog.FindMetric(question.metric);
  return BisectionRange{.good = commits->revisions.front(),
                        .bad = commits->revisions.back(),
                        .commit_count = ends->CommitCount(),
                        .unit = metric.unit,
                        .metric_direction = metric.direction,
                        .minimum_effect = question.minimum_effect > 0 ? question.minimum_effect
                                                                      : metric.minimum_effect};
}

Result<BisectionCommits> CommitsOf(const Catalog& catalog, const BisectionCampaign& bisection) {
  BisectionQuestion settled = bisection.question;
  settled.good = bisection.range.good.id;
  settled.bad = bisection.range.bad.id;
  const Result<Ends> ends = FindEnds(catalog, settled);
  if (!ends) return Fail(ends.error());
  if (ends->CommitCount() != bisection.range.commit_count) {
    return Fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("there were {} commits from {} to {} when the bisection began, and are "
                    "{} now: begin another one",
                    bisection.range.commit_count, settled.good, settled.bad, ends->CommitCount()));
  }
  return Collect(*ends, settled);
}

}  // namespace schedlab::server
