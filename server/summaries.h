#pragma once

#include <span>

#include "core/alert.h"
#include "core/result.h"
#include "stats/summary.h"

namespace schedlab::server {

// What of a summary is stored and sent.
SampleSummary ToSampleSummary(const stats::Summary& summary);

// kInvalidArgument for no samples or one that is not finite.
Result<SampleSummary> SummaryOf(std::span<const double> samples);

}  // namespace schedlab::server
