#pragma once

#include "core/catalog.h"
#include "core/metric.h"
#include "core/result.h"
#include "schedlab/v1/catalog.pb.h"

namespace schedlab::rpc {

v1::WorkloadDefinition Encode(const WorkloadDefinition& workload);
Result<WorkloadDefinition> Decode(const v1::WorkloadDefinition& wire);

// Of its revisions, the wire leaves out author and evidence.
v1::PolicyDefinition Encode(const PolicyDefinition& policy);
Result<PolicyDefinition> Decode(const v1::PolicyDefinition& wire);

v1::Metric Encode(const MetricSpec& metric);
Result<MetricSpec> Decode(const v1::Metric& wire);

}  // namespace schedlab::rpc
