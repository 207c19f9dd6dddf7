#include "proto/rpc/campaigns.h"

#include "core/limits.h"
#include "proto/rpc/bisections.h"
#include "proto/rpc/comparison.h"
#include "proto/rpc/field_reader.h"
#include "proto/rpc/jobs.h"
#include "proto/rpc/results.h"
#include "proto/rpc/time.h"

namespace schedlab::rpc {
namespace {

constexpr double kMaxFalseDiscoveryRate = 0.5;
constexpr std::int64_t kMaxCampaignJobs = 100'000;

v1::GateSides Encode(const GateSides& sides) {
  v1::GateSides wire;
  wire.set_baseline_revision(sides.baseline.id);
  wire.set_baseline_subject(sides.baseline.subject);
  wire.set_candidate_revision(sides.candidate.id);
  wire.set_candidate_subject(sides.candidate.subject);
  wire.set_rule_taken(rpc::Encode(sides.rule_taken));
  wire.set_commits_back(sides.commits_back);
  return wire;
}

Result<GateSides> Decode(const v1::GateSides& wire) {
  FieldReader read;
  return read.Finish(
      GateSides{.baseline = RevisionOf(read.Name("baseline_revision", wire.baseline_revision()),
                                       read.Text("baseline_subject", wire.baseline_subject())),
                .candidate = RevisionOf(read.Name("candidate_revision", wire.candidate_revision()),
                                        read.Text("candidate_subject", wire.candidate_subject())),
                .rule_taken = read.Value("rule_taken", rpc::Decode(wire.rule_taken())),
                .commits_back = wire.commits_back()});
}

v1::UnmeasuredCell Encode(const UnmeasuredCell& cell) {
  v1::UnmeasuredCell wire;
  wire.set_policy(cell.policy);
  wire.set_variant(cell.variant);
  wire.set_topology(cell.topology);
  wire.set_workload(cell.workload);
  wire.set_metric(cell.metric);
  wire.set_has_failed(cell.has_failed);
  wire.set_reason(cell.reason);
  return wire;
}

Result<UnmeasuredCell> Decode(const v1::UnmeasuredCell& wire) {
  FieldReader read;
  return read.Finish(UnmeasuredCell{.policy = read.Name("policy", wire.policy()),
                                    .variant = read.Text("variant", wire.variant()),
                                    .topology = read.Name("topology", wire.topology()),
                                    .workload = read.Name("workload", wire.workload()),
                                    .metric = read.Name("metric", wire.metric()),
                                    .has_failed = wire.has_failed(),
                                    .reason = read.Text("reason", wire.reason())});
}

v1::GateAnswer Encode(const GateAnswer& answer) {
  v1::GateAnswer wire;
  wire.set_end(rpc::Encode(answer.end));
  for (const ComparisonRow& row : answer.rows) *wire.add_rows() = rpc::Encode(row);
  for (const UnmeasuredCell& cell : answer.unmeasured) *wire.add_unmeasured() = Encode(cell);
  return wire;
}

Result<GateAnswer> Decode(const v1::GateAnswer& wire) {
  FieldReader read;
  return read.Finish(
      GateAnswer{.end = read.Value("end", rpc::Decode(wire.end())),
                 .rows = read.Messages("rows", wire.rows(), kMaxGateCells,
                                       [](const auto& row) { return rpc::Decode(row); }),
                 .unmeasured = read.Messages("unmeasured", wire.unmeasured(), kMaxGateCells,
                                             [](const auto& cell) { return Decode(cell); })});
}

Result<CampaignJob> Decode(const v1::CampaignJob& wire) {
  FieldReader read;
  return read.Finish(CampaignJob{.round = read.Number32("round", wire.round(), 1, INT32_MAX),
                                 .job = read.Key<JobId>("job_id", wire.job_id())});
}

// Sets what of the wire's campaign depends on its kind.
struct KindEncoder {
  v1::Campaign& wire;

  void operator()(const GateCampaign& gate) const {
    *wire.mutable_gate()->mutable_question() = rpc::Encode(gate.question);
    *wire.mutable_gate()->mutable_sides() = Encode(gate.sides);
  }
  void operator()(const GateAnswer& answer) const {
    *wire.mutable_gate()->mutable_answer() = Encode(answer);
  }
  void operator()(const BisectionCampaign& bisection) const {
    *wire.mutable_bisection() = rpc::Encode(bisection);
  }
  void operator()(const BisectionAnswer& answer) const {
    *wire.mutable_bisection()->mutable_answer() = rpc::Encode(answer);
  }
};

Result<GateCampaign> DecodeGate(const v1::GateCampaign& wire) {
  FieldReader read;
  return read.Finish(
      GateCampaign{.question = read.Message("question", rpc::Decode(wire.question())),
                   .sides = read.Message("sides", Decode(wire.sides()))});
}

void ReadGate(const v1::GateCampaign& wire, FieldReader& read, Campaign& campaign) {
  campaign.question = read.Message("gate", DecodeGate(wire));
  if (wire.has_answer()) campaign.answer = read.Message("gate.answer", Decode(wire.answer()));
}

void ReadBisection(const v1::BisectionCampaign& wire, FieldReader& read, Campaign& campaign) {
  campaign.question = read.Message("bisection", rpc::Decode(wire));
  if (wire.has_answer()) {
    campaign.answer = read.Message("bisection.answer", rpc::Decode(wire.answer()));
  }
}

void ReadKind(const v1::Campaign& wire, FieldReader& read, Campaign& campaign) {
  switch (wire.kind_case()) {
    case v1::Campaign::kGate:
      return ReadGate(wire.gate(), read, campaign);
    case v1::Campaign::kBisection:
      return ReadBisection(wire.bisection(), read, campaign);
    case v1::Campaign::KIND_NOT_SET:
      break;
  }
  read.Refuse("kind", "must be set to one that this program knows");
}

}  // namespace

v1::BaselineRule Encode(BaselineRule rule) {
  switch (rule) {
    case BaselineRule::kMergeBase:
      return v1::BASELINE_RULE_MERGE_BASE;
    case BaselineRule::kParent:
      return v1::BASELINE_RULE_PARENT;
    case BaselineRule::kNewestMeasured:
      return v1::BASELINE_RULE_NEWEST_MEASURED;
    case BaselineRule::kExplicit:
      return v1::BASELINE_RULE_EXPLICIT;
  }
  return v1::BASELINE_RULE_UNSPECIFIED;
}

Result<BaselineRule> Decode(v1::BaselineRule wire) {
  switch (wire) {
    case v1::BASELINE_RULE_UNSPECIFIED:
    case v1::BASELINE_RULE_MERGE_BASE:
      return BaselineRule::kMergeBase;
    case v1::BASELINE_RULE_PARENT:
      return BaselineRule::kParent;
    case v1::BASELINE_RULE_NEWEST_MEASURED:
      return BaselineRule::kNewestMeasured;
    case v1::BASELINE_RULE_EXPLICIT:
      return BaselineRule::kExplicit;
    default:
      return RefuseEnum(wire);
  }
}

v1::GateEnd Encode(GateEnd end) {
  switch (end) {
    case GateEnd::kOpen:
      return v1::GATE_END_OPEN;
    case GateEnd::kDecided:
      return v1::GATE_END_DECIDED;
    case GateEnd::kLooksUsed:
      return v1::GATE_END_LOOKS_USED;
    case GateEnd::kBudgetSpent:
      return v1::GATE_END_BUDGET_SPENT;
  }
  return v1::GATE_END_UNSPECIFIED;
}

Result<GateEnd> Decode(v1::GateEnd wire) {
  switch (wire) {
    case v1::GATE_END_OPEN:
      return GateEnd::kOpen;
    case v1::GATE_END_DECIDED:
      return GateEnd::kDecided;
    case v1::GATE_END_LOOKS_USED:
      return GateEnd::kLooksUsed;
    case v1::GATE_END_BUDGET_SPENT:
      return GateEnd::kBudgetSpent;
    default:
      return RefuseEnum(wire);
  }
}

v1::CampaignState Encode(CampaignState state) {
  switch (state) {
    case CampaignState::kRunning:
      return v1::CAMPAIGN_STATE_RUNNING;
    case CampaignState::kFinished:
      return v1::CAMPAIGN_STATE_FINISHED;
    case CampaignState::kCancelled:
      return v1::CAMPAIGN_STATE_CANCELLED;
    case CampaignState::kFailed:
      return v1::CAMPAIGN_STATE_FAILED;
  }
  return v1::CAMPAIGN_STATE_UNSPECIFIED;
}

Result<CampaignState> Decode(v1::CampaignState wire) {
  switch (wire) {
    case v1::CAMPAIGN_STATE_RUNNING:
      return CampaignState::kRunning;
    case v1::CAMPAIGN_STATE_FINISHED:
      return CampaignState::kFinished;
    case v1::CAMPAIGN_STATE_CANCELLED:
      return CampaignState::kCancelled;
    case v1::CAMPAIGN_STATE_FAILED:
      return CampaignState::kFailed;
    default:
      return RefuseEnum(wire);
  }
}

v1::GateQuestion Encode(const GateQuestion& question) {
  v1::GateQuestion wire;
  *wire.mutable_suite() = Encode(question.suite);
  wire.set_candidate_revision(question.candidate);
  wire.set_baseline_rule(Encode(question.baseline_rule));
  wire.set_baseline_revision(question.baseline);
  wire.set_false_discovery_rate(question.false_discovery_rate);
  return wire;
}

Result<GateQuestion> Decode(const v1::GateQuestion& wire) {
  FieldReader read;
  GateQuestion question{
      .suite = read.Rooted(Decode(wire.suite())),
      .candidate = read.Name("candidate_revision", wire.candidate_revision()),
      .baseline_rule = read.Value("baseline_rule", Decode(wire.baseline_rule())),
      .baseline = read.OptionalName("baseline_revision", wire.baseline_revision())};
  const bool is_named = !question.baseline.empty();
  if (is_named != (question.baseline_rule == BaselineRule::kExplicit)) {
    read.Refuse("baseline_revision", "must be set with BASELINE_RULE_EXPLICIT, and only then");
  }
  if (wire.false_discovery_rate() != 0) {
    question.false_discovery_rate =
        read.Finite("false_discovery_rate", wire.false_discovery_rate());
  }
  if (question.false_discovery_rate <= 0 ||
      question.false_discovery_rate > kMaxFalseDiscoveryRate) {
    read.Refuse("false_discovery_rate", "must be above 0 and at most 0.5");
  }
  return read.Finish(std::move(question));
}

v1::Campaign Encode(const Campaign& campaign) {
  v1::Campaign wire;
  wire.set_id(campaign.id.value);
  wire.set_project(campaign.project);
  std::visit(KindEncoder{wire}, campaign.question);
  if (campaign.answer) std::visit(KindEncoder{wire}, *campaign.answer);
  wire.set_state(Encode(campaign.state));
  wire.set_round(campaign.round);
  wire.set_run_budget(campaign.run_budget);
  wire.set_run_count(campaign.run_count);
  *wire.mutable_round_runs() = Encode(campaign.round_runs);
  for (const CampaignJob& job : campaign.jobs) {
    v1::CampaignJob& added = *wire.add_jobs();
    added.set_round(job.round);
    added.set_job_id(job.job.value);
  }
  wire.set_failure(campaign.failure);
  *wire.mutable_create_time() = Encode(campaign.created_at);
  *wire.mutable_update_time() = Encode(campaign.updated_at);
  if (campaign.finished_at) *wire.mutable_finish_time() = Encode(*campaign.finished_at);
  return wire;
}

Result<Campaign> Decode(const v1::Campaign& wire) {
  FieldReader read("campaign");
  Campaign campaign;
  campaign.id = read.Key<CampaignId>("id", wire.id());
  campaign.project = read.Name("project", wire.project());
  ReadKind(wire, read, campaign);
  campaign.state = read.Value("state", Decode(wire.state()));
  campaign.round = read.Number32("round", wire.round(), 0, INT32_MAX);
  campaign.run_budget = read.Count("run_budget", wire.run_budget());
  campaign.run_count = read.Count("run_count", wire.run_count());
  campaign.round_runs = read.Message("round_runs", Decode(wire.round_runs()));
  campaign.jobs = read.Messages("jobs", wire.jobs(), kMaxCampaignJobs,
                                [](const auto& job) { return Decode(job); });
  campaign.failure = read.Text("failure", wire.failure());
  campaign.created_at = read.Message("create_time", Decode(wire.create_time()));
  campaign.updated_at = read.Message("update_time", Decode(wire.update_time()));
  if (wire.has_finish_time()) {
    campaign.finished_at = read.Message("finish_time", Decode(wire.finish_time()));
  }
  return read.Finish(std::move(campaign));
}

}  // namespace schedlab::rpc
