#pragma once

#include <string>
#include <vector>

#include "client/comparison_set.h"
#include "client/coordinator.h"
#include "client/noise_report.h"
#include "core/alert.h"
#include "core/campaign.h"
#include "core/catalog.h"
#include "core/change_explanation.h"
#include "core/comparison.h"
#include "core/coverage.h"
#include "core/job.h"
#include "core/run.h"
#include "core/worker.h"

namespace schedlab::client {

// Answers for programs: one JSON document with a format_version, numbers in full precision, full
// ids, a line end. Fields are only ever added. Absent values are null.
std::string JobDocument(const Job& job, const std::vector<Run>& runs);
std::string JobListDocument(const std::vector<Job>& jobs);
std::string GateDocument(const Campaign& gate);
std::string GateListDocument(const std::vector<Campaign>& gates);
std::string ComparisonDocument(const RevisionComparison& comparison);
// The first pair with the fields of ComparisonDocument(), verdicts by group, the further pairs.
std::string ComparisonSetDocument(const ComparisonSet& set, Grouping grouping);
std::string CoverageDocument(const Coverage& coverage);
std::string NoiseDocument(const std::vector<NoiseReport>& reports);
// `judged_in` has the workloads that the metric is judged in.
std::string MetricDocument(const MetricSpec& metric, const std::vector<std::string>& judged_in);
std::string HistoryDocument(const std::vector<SeriesHistory>& histories);
std::string AlertDocument(const Alert& alert);
std::string AlertListDocument(const std::vector<Alert>& alerts);
std::string AlertPrecisionDocument(const std::vector<AlertPrecision>& projects);
std::string ExplanationDocument(const ChangeExplanation& explanation);
std::string WorkerListDocument(const std::vector<Worker>& workers);

std::string TopologiesDocument(const std::vector<Topology>& topologies);
std::string WorkloadsDocument(const std::vector<WorkloadDefinition>& workloads);
std::string PoliciesDocument(const std::vector<PolicyDefinition>& policies);
std::string MetricsDocument(const std::vector<MetricSpec>& metrics);
std::string SuitesDocument(const std::map<std::string, std::string>& suites);

}  // namespace schedlab::client
