#pragma once

#include <string_view>

#include "sim/output/byte_sink.h"
#include "sim/output/sim_trace.h"

namespace schedlab::sim {

// A perfetto.protos.Trace for ui.perfetto.dev: the names of all tasks under one process, which is
// called `title`, and bundles of ftrace events, each of one CPU and in order of time. Where records
// were dropped, the title says so.
void WritePerfetto(const SimTrace& trace, std::string_view title, const ByteSink& sink);

}  // namespace schedlab::sim
