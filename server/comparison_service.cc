#include "server/comparison_service.h"

#include <fmt/format.h>

#include "proto/rpc/comparison.h"
#include "server/find_changes.h"
#include "server/judge_pairs.h"

namespace schedlab::server {
namespace {

constexpr RpcMethod kCompareRevisions = {"schedlab.v1.ComparisonService", "CompareRevisions"};

Status CheckFields(const v1::CompareRevisionsRequest& request) {
  const auto missing = [](std::string_view field) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{} must not be empty", field));
  };
  if (request.project().empty()) return missing("project");
  if (request.policy().empty()) return missing("policy");
  if (request.baseline_revision().empty()) return missing("baseline_revision");
  if (request.candidate_revision().empty()) return missing("candidate_revision");
  return {};
}

// A comparison is of one variant, the one without switches included.
SeriesFilter FilterOf(const v1::CompareRevisionsRequest& request) {
  return {.project = request.project(),
          .policy = request.policy(),
          .variant = request.variant(),
          .metric = "",
          .topology = request.topology(),
          .workload = request.workload(),
          .headline_only = false};
}

}  // namespace

ComparisonService::ComparisonService(AnalysisStore& store, WorkPool& pool, Telemetry& telemetry)
    : store_(store), calls_(pool, telemetry) {
  telemetry.DeclareMethod(kCompareRevisions);
}

Result<RevisionComparison> ComparisonService::Compare(const v1::CompareRevisionsRequest& request) {
  if (const Status checked = CheckFields(request); !checked) return Fail(checked.error());
  const Result<RevisionRef> baseline =
      store_.FindRevision(request.project(), request.policy(), request.baseline_revision());
  if (!baseline) return Fail(baseline.error());
  const Result<RevisionRef> candidate =
      store_.FindRevision(request.project(), request.policy(), request.candidate_revision());
  if (!candidate) return Fail(candidate.error());
  const Result<std::vector<SeriesPair>> pairs =
      store_.ReadPairs(FilterOf(request), baseline->id, candidate->id);
  if (!pairs) return Fail(pairs.error());
  Result<std::vector<ComparisonRow>> rows = JudgePairs(*pairs, request.is_paired());
  if (!rows) return Fail(rows.error());
  if (rows->empty()) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("no scenario has results of both {} and {}; submit a job that runs "
                            "both in the same scenario",
                            baseline->id, candidate->id));
  }
  return RevisionComparison{.baseline = *baseline,
                            .candidate = *candidate,
                            .rows = std::move(*rows),
                            .false_discovery_rate = kFalseDiscoveryRate};
}

grpc::ServerUnaryReactor* ComparisonService::CompareRevisions(
    grpc::CallbackServerContext* context, const v1::CompareRevisionsRequest* request,
    v1::CompareRevisionsResponse* response) {
  return calls_.Run(context, kCompareRevisions, [this, request, response]() -> Status {
    const Result<RevisionComparison> comparison = Compare(*request);
    if (!comparison) return Fail(comparison.error());
    *response = rpc::Encode(*comparison);
    return {};
  });
}

}  // namespace schedlab::server
