#pragma once

#include "sim/output/byte_sink.h"
#include "sim/output/sim_trace.h"

namespace schedlab::sim {

// The text of tracefs's `trace` file with the events sched_switch, sched_waking, sched_wakeup_new
// and sched_migrate_task. Records that were dropped show in its "entries-written".
void WriteFtraceText(const SimTrace& trace, const ByteSink& sink);

}  // namespace schedlab::sim
