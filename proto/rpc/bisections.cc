#include "proto/rpc/bisections.h"

#include <utility>

#include "core/limits.h"
#include "proto/rpc/field_reader.h"
#include "proto/rpc/jobs.h"
#include "proto/rpc/results.h"

namespace schedlab::rpc {
namespace {

constexpr double kMaxMinimumEffect = 10;

v1::BisectionCommit Encode(const RevisionRef& revision) {
  v1::BisectionCommit wire;
  wire.set_revision(revision.id);
  wire.set_subject(revision.subject);
  return wire;
}

Result<RevisionRef> Decode(const v1::BisectionCommit& wire) {
  FieldReader read;
  return read.Finish(
      RevisionOf(read.Name("revision", wire.revision()), read.Text("subject", wire.subject())));
}

v1::BisectionRange Encode(const BisectionRange& range) {
  v1::BisectionRange wire;
  *wire.mutable_good() = Encode(range.good);
  *wire.mutable_bad() = Encode(range.bad);
  wire.set_commit_count(range.commit_count);
  wire.set_unit(range.unit);
  wire.set_metric_direction(rpc::Encode(range.metric_direction));
  wire.set_minimum_effect(range.minimum_effect);
  return wire;
}

Result<BisectionRange> Decode(const v1::BisectionRange& wire) {
  FieldReader read;
  return read.Finish(BisectionRange{
      .good = read.Message("good", Decode(wire.good())),
      .bad = read.Message("bad", Decode(wire.bad())),
      .commit_count = read.Number("commit_count", wire.commit_count(), 2, kMaxBisectionCommits),
      .unit = read.Text("unit", wire.unit()),
      .metric_direction = read.Value("metric_direction", rpc::Decode(wire.metric_direction())),
      .minimum_effect = read.Finite("minimum_effect", wire.minimum_effect())});
}

template <class List>
std::vector<RevisionRef> ReadCommits(FieldReader& read, std::string_view field, const List& wire) {
  return read.Messages(field, wire, kMaxBisectionCommits,
                       [](const v1::BisectionCommit& commit) { return Decode(commit); });
}

v1::BisectionCulprit Encode(const BisectionCulprit& culprit) {
  v1::BisectionCulprit wire;
  *wire.mutable_commit() = Encode(culprit.revision);
  for (const RevisionRef& one : culprit.candidates) *wire.add_candidates() = Encode(one);
  for (const RevisionRef& one : culprit.smallest_set) *wire.add_smallest_set() = Encode(one);
  wire.set_probability(culprit.probability);
  wire.set_is_confirmed(culprit.is_confirmed);
  wire.set_is_merge(culprit.is_merge);
  wire.set_step(culprit.step);
  wire.set_step_low(culprit.step_interval.low);
  wire.set_step_high(culprit.step_interval.high);
  wire.set_share(culprit.share);
  return wire;
}

Result<BisectionCulprit> Decode(const v1::BisectionCulprit& wire) {
  FieldReader read;
  return read.Finish(
      BisectionCulprit{.revision = read.Message("commit", Decode(wire.commit())),
                       .candidates = ReadCommits(read, "candidates", wire.candidates()),
                       .smallest_set = ReadCommits(read, "smallest_set", wire.smallest_set()),
                       .probability = read.Finite("probability", wire.probability()),
                       .is_confirmed = wire.is_confirmed(),
                       .is_merge = wire.is_merge(),
                       .step = read.Finite("step", wire.step()),
                       .step_interval = {.low = read.Finite("step_low", wire.step_low()),
                                         .high = read.Finite("step_high", wire.step_high())},
                       .share = read.Finite("share", wire.share())});
}

v1::CommitProbability Encode(const CommitProbability& one) {
  v1::CommitProbability wire;
  *wire.mutable_commit() = Encode(one.revision);
  wire.set_probability(one.probability);
  return wire;
}

Result<CommitProbability> Decode(const v1::CommitProbability& wire) {
  FieldReader read;
  return read.Finish(
      CommitProbability{.revision = read.Message("commit", Decode(wire.commit())),
                        .probability = read.Finite("probability", wire.probability())});
}

v1::CommitRuns Encode(const CommitRuns& runs) {
  v1::CommitRuns wire;
  *wire.mutable_commit() = Encode(runs.revision);
  wire.set_count(runs.count);
  wire.set_mean(runs.mean);
  wire.set_failed_count(runs.failed_count);
  wire.set_is_skipped(runs.is_skipped);
  wire.set_failure(runs.failure);
  return wire;
}

Result<CommitRuns> Decode(const v1::CommitRuns& wire) {
  FieldReader read;
  return read.Finish(CommitRuns{.revision = read.Message("commit", Decode(wire.commit())),
                                .count = read.Count("count", wire.count()),
                                .mean = read.Finite("mean", wire.mean()),
                                .failed_count = read.Count("failed_count", wire.failed_count()),
                                .is_skipped = wire.is_skipped(),
                                .failure = read.Text("failure", wire.failure())});
}

}  // namespace

v1::ChangeDirection Encode(ChangeDirection direction) {
  switch (direction) {
    case ChangeDirection::kIncrease:
      return v1::CHANGE_DIRECTION_INCREASE;
    case ChangeDirection::kDecrease:
      return v1::CHANGE_DIRECTION_DECREASE;
    case ChangeDirection::kEither:
      return v1::CHANGE_DIRECTION_EITHER;
  }
  return v1::CHANGE_DIRECTION_UNSPECIFIED;
}

Result<ChangeDirection> Decode(v1::ChangeDirection wire) {
  switch (wire) {
    case v1::CHANGE_DIRECTION_INCREASE:
      return ChangeDirection::kIncrease;
    case v1::CHANGE_DIRECTION_DECREASE:
      return ChangeDirection::kDecrease;
    case v1::CHANGE_DIRECTION_UNSPECIFIED:
    case v1::CHANGE_DIRECTION_EITHER:
      return ChangeDirection::kEither;
    default:
      return RefuseEnum(wire);
  }
}

v1::BisectionOutcome Encode(BisectionOutcome outcome) {
  switch (outcome) {
    case BisectionOutcome::kCulprit:
      return v1::BISECTION_OUTCOME_CULPRIT;
    case BisectionOutcome::kSkippedRange:
      return v1::BISECTION_OUTCOME_SKIPPED_RANGE;
    case BisectionOutcome::kSeveral:
      return v1::BISECTION_OUTCOME_SEVERAL;
    case BisectionOutcome::kGradual:
      return v1::BISECTION_OUTCOME_GRADUAL;
    case BisectionOutcome::kNotReproduced:
      return v1::BISECTION_OUTCOME_NOT_REPRODUCED;
    case BisectionOutcome::kUndecided:
      return v1::BISECTION_OUTCOME_UNDECIDED;
  }
  return v1::BISECTION_OUTCOME_UNSPECIFIED;
}

Result<BisectionOutcome> Decode(v1::BisectionOutcome wire) {
  switch (wire) {
    case v1::BISECTION_OUTCOME_CULPRIT:
      return BisectionOutcome::kCulprit;
    case v1::BISECTION_OUTCOME_SKIPPED_RANGE:
      return BisectionOutcome::kSkippedRange;
    case v1::BISECTION_OUTCOME_SEVERAL:
      return BisectionOutcome::kSeveral;
    case v1::BISECTION_OUTCOME_GRADUAL:
      return BisectionOutcome::kGradual;
    case v1::BISECTION_OUTCOME_NOT_REPRODUCED:
      return BisectionOutcome::kNotReproduced;
    case v1::BISECTION_OUTCOME_UNDECIDED:
      return BisectionOutcome::kUndecided;
    default:
      return RefuseEnum(wire);
  }
}

v1::BisectionQuestion Encode(const BisectionQuestion& question) {
  v1::BisectionQuestion wire;
  *wire.mutable_probe() = Encode(question.probe);
  wire.set_metric(question.metric);
  wire.set_good_revision(question.good);
  wire.set_bad_revision(question.bad);
  wire.set_worker_count(question.worker_count);
  wire.set_direction(Encode(question.direction));
  wire.set_minimum_effect(question.minimum_effect);
  for (const std::string& one : question.skipped) wire.add_skipped_revisions(one);
  return wire;
}

Result<BisectionQuestion> Decode(const v1::BisectionQuestion& wire) {
  FieldReader read;
  BisectionQuestion question{
      .probe = read.Message("probe", Decode(wire.probe())),
      .metric = read.Name("metric", wire.metric()),
      .good = read.Name("good_revision", wire.good_revision()),
      .bad = read.Name("bad_revision", wire.bad_revision()),
      .worker_count = read.Number("worker_count", wire.worker_count(), 0, kMaxBisectionWorkers),
      .direction = read.Value("direction", Decode(wire.direction())),
      .minimum_effect = read.Finite("minimum_effect", wire.minimum_effect()),
      .skipped = read.Names("skipped_revisions", wire.skipped_revisions(), kMaxBisectionCommits)};
  const JobSpec& probe = question.probe;
  if (probe.policies.size() != 1 || probe.topologies.size() != 1 || probe.workloads.size() != 1) {
    read.Refuse("probe", "must have one policy, one topology and one workload");
  }
  if (question.worker_count == 0) question.worker_count = kDefaultBisectionWorkers;
  if (question.minimum_effect < 0 || question.minimum_effect > kMaxMinimumEffect) {
    read.Refuse("minimum_effect", "must be from 0 to 10");
  }
  return read.Finish(std::move(question));
}

v1::BisectionCampaign Encode(const BisectionCampaign& bisection) {
  v1::BisectionCampaign wire;
  *wire.mutable_question() = Encode(bisection.question);
  *wire.mutable_range() = Encode(bisection.range);
  return wire;
}

Result<BisectionCampaign> Decode(const v1::BisectionCampaign& wire) {
  FieldReader read;
  return read.Finish(
      BisectionCampaign{.question = read.Message("question", Decode(wire.question())),
                        .range = read.Message("range", Decode(wire.range()))});
}

v1::BisectionAnswer Encode(const BisectionAnswer& answer) {
  v1::BisectionAnswer wire;
  if (answer.outcome) wire.set_outcome(Encode(*answer.outcome));
  wire.set_reason(answer.reason);
  wire.set_descends_into_merge(answer.descends_into_merge);
  for (const BisectionCulprit& one : answer.culprits) *wire.add_culprits() = Encode(one);
  for (const RevisionRef& one : answer.smallest_set) *wire.add_smallest_set() = Encode(one);
  for (const CommitProbability& one : answer.likeliest) *wire.add_likeliest() = Encode(one);
  wire.set_difference(answer.difference);
  wire.set_difference_sd(answer.difference_sd);
  for (const CommitRuns& one : answer.runs) *wire.add_runs() = Encode(one);
  return wire;
}

Result<BisectionAnswer> Decode(const v1::BisectionAnswer& wire) {
  FieldReader read;
  BisectionAnswer answer{
      .reason = read.Text("reason", wire.reason()),
      .descends_into_merge = wire.descends_into_merge(),
      .culprits = read.Messages("culprits", wire.culprits(), kMaxBisectionCommits,
                                [](const v1::BisectionCulprit& one) { return Decode(one); }),
      .smallest_set = ReadCommits(read, "smallest_set", wire.smallest_set()),
      .likeliest = read.Messages("likeliest", wire.likeliest(), kMaxBisectionCommits,
                                 [](const v1::CommitProbability& one) { return Decode(one); }),
      .difference = read.Finite("difference", wire.difference()),
      .difference_sd = read.Finite("difference_sd", wire.difference_sd()),
      .runs = read.Messages("runs", wire.runs(), kMaxBisectionCommits,
                            [](const v1::CommitRuns& one) { return Decode(one); })};
  if (wire.outcome() != v1::BISECTION_OUTCOME_UNSPECIFIED) {
    answer.outcome = read.Value("outcome", Decode(wire.outcome()));
  }
  return read.Finish(std::move(answer));
}

}  // namespace schedlab::rpc
