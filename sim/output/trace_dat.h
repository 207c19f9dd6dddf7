#pragma once

#include "sim/output/byte_sink.h"
#include "sim/output/sim_trace.h"

namespace schedlab::sim {

// A trace.dat of version 6, as `trace-cmd report` and KernelShark open it: formats of its own of
// sched_switch, sched_waking, sched_wakeup_new and sched_migrate_task, and a ring buffer for each
// CPU. It has no place for the number of records that were dropped.
void WriteTraceDat(const SimTrace& trace, const ByteSink& sink);

}  // namespace schedlab::sim
