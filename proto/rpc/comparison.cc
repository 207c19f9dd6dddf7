#include "proto/rpc/comparison.h"

#include "core/limits.h"
#include "proto/rpc/field_reader.h"
#include "proto/rpc/results.h"

namespace schedlab::rpc {

constexpr auto kDecode = [](const auto& wire) { return Decode(wire); };

v1::Verdict Encode(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNone:
      return v1::VERDICT_UNSPECIFIED;
    case Verdict::kWorse:
      return v1::VERDICT_WORSE;
    case Verdict::kBetter:
      return v1::VERDICT_BETTER;
    case Verdict::kNoChange:
      return v1::VERDICT_NO_CHANGE;
    case Verdict::kUndecided:
      return v1::VERDICT_UNDECIDED;
  }
  return v1::VERDICT_UNSPECIFIED;
}

Result<Verdict> Decode(v1::Verdict wire) {
  switch (wire) {
    case v1::VERDICT_UNSPECIFIED:
      return Verdict::kNone;
    case v1::VERDICT_WORSE:
      return Verdict::kWorse;
    case v1::VERDICT_BETTER:
      return Verdict::kBetter;
    case v1::VERDICT_NO_CHANGE:
      return Verdict::kNoChange;
    case v1::VERDICT_UNDECIDED:
      return Verdict::kUndecided;
    default:
      return RefuseEnum(wire);
  }
}

v1::Yardstick Encode(const Yardstick& yardstick) {
  v1::Yardstick wire;
  wire.set_policy(yardstick.policy);
  *wire.mutable_summary() = Encode(yardstick.summary);
  return wire;
}

Result<Yardstick> Decode(const v1::Yardstick& wire) {
  FieldReader read;
  return read.Finish(Yardstick{.policy = read.Name("policy", wire.policy()),
                               .summary = read.Message("summary", Decode(wire.summary()))});
}

v1::ComparisonRow Encode(const ComparisonRow& row) {
  v1::ComparisonRow wire;
  *wire.mutable_series() = Encode(row.series);
  wire.mutable_baseline_samples()->Add(row.baseline_samples.begin(), row.baseline_samples.end());
  wire.mutable_candidate_samples()->Add(row.candidate_samples.begin(), row.candidate_samples.end());
  *wire.mutable_baseline() = Encode(row.baseline);
  *wire.mutable_candidate() = Encode(row.candidate);
  if (row.relative_change) wire.set_relative_change(*row.relative_change);
  if (row.interval) {
    wire.set_interval_low(row.interval->low);
    wire.set_interval_high(row.interval->high);
  }
  if (row.p_value) wire.set_p_value(*row.p_value);
  wire.set_verdict(Encode(row.verdict));
  wire.set_more_runs_needed(row.more_runs_needed);
  for (const Yardstick& yardstick : row.yardsticks) *wire.add_yardsticks() = Encode(yardstick);
  return wire;
}

Result<ComparisonRow> Decode(const v1::ComparisonRow& wire) {
  FieldReader read;
  ComparisonRow row{
      .series = read.Message("series", Decode(wire.series())),
      .baseline_samples = read.Samples("baseline_samples", wire.baseline_samples()),
      .candidate_samples = read.Samples("candidate_samples", wire.candidate_samples()),
      .baseline = read.Message("baseline", Decode(wire.baseline())),
      .candidate = read.Message("candidate", Decode(wire.candidate())),
      .relative_change = {},
      .interval = {},
      .p_value = {},
      .verdict = read.Value("verdict", Decode(wire.verdict())),
      .more_runs_needed = read.Number32("more_runs_needed", wire.more_runs_needed(), 0, INT32_MAX),
      .yardsticks = read.Messages("yardsticks", wire.yardsticks(), kMaxSelectionsPerJob, kDecode)};
  if (wire.has_relative_change()) {
    row.relative_change = read.Finite("relative_change", wire.relative_change());
  }
  if (wire.has_interval_low() != wire.has_interval_high()) {
    read.Refuse("interval_low", "must be set together with interval_high");
  } else if (wire.has_interval_low()) {
    // An end is infinite where few runs bound the change on one side only.
    row.interval = ChangeInterval{.low = wire.interval_low(), .high = wire.interval_high()};
  }
  if (wire.has_p_value()) row.p_value = read.Finite("p_value", wire.p_value());
  return read.Finish(std::move(row));
}

v1::CompareRevisionsResponse Encode(const RevisionComparison& comparison) {
  v1::CompareRevisionsResponse wire;
  wire.set_baseline_revision(comparison.baseline.id);
  wire.set_baseline_subject(comparison.baseline.subject);
  wire.set_candidate_revision(comparison.candidate.id);
  wire.set_candidate_subject(comparison.candidate.subject);
  for (const ComparisonRow& row : comparison.rows) *wire.add_rows() = Encode(row);
  wire.set_false_discovery_rate(comparison.false_discovery_rate);
  return wire;
}

Result<RevisionComparison> Decode(const v1::CompareRevisionsResponse& wire) {
  FieldReader read("comparison");
  return read.Finish(RevisionComparison{
      .baseline = RevisionOf(read.Name("baseline_revision", wire.baseline_revision()),
                             read.Text("baseline_subject", wire.baseline_subject())),
      .candidate = RevisionOf(read.Name("candidate_revision", wire.candidate_revision()),
                              read.Text("candidate_subject", wire.candidate_subject())),
      .rows = read.Messages("rows", wire.rows(), kMaxComparisonRows, kDecode),
      .false_discovery_rate = read.Finite("false_discovery_rate", wire.false_discovery_rate())});
}

}  // namespace schedlab::rpc
