#pragma once

#include <string>

#include "core/alert.h"
#include "core/coverage.h"
#include "core/metric.h"
#include "core/result.h"
#include "core/series.h"
#include "schedlab/v1/results.pb.h"

namespace schedlab::rpc {

v1::Direction Encode(Direction direction);
Result<Direction> Decode(v1::Direction wire);

v1::SeriesKey Encode(const SeriesKey& key);
Result<SeriesKey> Decode(const v1::SeriesKey& wire);

// A revision of which a message has the id, and perhaps the subject.
RevisionRef RevisionOf(std::string id, std::string subject = {});

v1::Series Encode(const Series& series);
Result<Series> Decode(const v1::Series& wire);

v1::Summary Encode(const SampleSummary& summary);
Result<SampleSummary> Decode(const v1::Summary& wire);

// `summary` is of the point's samples.
v1::Point Encode(const Point& point, const SampleSummary& summary);
Result<Point> Decode(const v1::Point& wire);

// The wire has only the ids of its revisions.
v1::ChangePoint Encode(const StoredChangePoint& change);
Result<StoredChangePoint> Decode(const v1::ChangePoint& wire);

v1::CoverageCell Encode(const CoverageCell& cell);
Result<CoverageCell> Decode(const v1::CoverageCell& wire);

// The wire has the id and subject of the revision, and the ids of its neighbours.
v1::GetCoverageResponse Encode(const Coverage& coverage);
Result<Coverage> Decode(const v1::GetCoverageResponse& wire);

}  // namespace schedlab::rpc
