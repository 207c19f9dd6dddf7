#pragma once

#include "core/comparison.h"
#include "core/result.h"
#include "schedlab/v1/comparison.pb.h"

namespace schedlab::rpc {

// kNone is VERDICT_UNSPECIFIED, and the other way round.
v1::Verdict Encode(Verdict verdict);
Result<Verdict> Decode(v1::Verdict wire);

v1::Yardstick Encode(const Yardstick& yardstick);
Result<Yardstick> Decode(const v1::Yardstick& wire);

v1::ComparisonRow Encode(const ComparisonRow& row);
Result<ComparisonRow> Decode(const v1::ComparisonRow& wire);

// The wire has the ids and subjects of both revisions.
v1::CompareRevisionsResponse Encode(const RevisionComparison& comparison);
Result<RevisionComparison> Decode(const v1::CompareRevisionsResponse& wire);

}  // namespace schedlab::rpc
