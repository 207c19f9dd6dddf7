#pragma once

#include "sim/output/byte_sink.h"
#include "sim/output/sim_trace.h"

namespace schedlab::sim {

// What `perf sched timehist` shows, by its own options.
struct TimehistColumns {
  bool has_wakeups = false;     // --wakeups: lines of wakeups
  bool has_migrations = false;  // --migrations: lines of migrations
  bool has_state = false;       // --state: why each task left; also of the summary
  bool has_next = false;        // --next: who follows
  bool has_cpu_visual = false;  // --cpu-visual: a column for each CPU
  bool has_rows = true;         // all but --summary
  bool has_summary = false;     // --summary, --with-summary
};

// The text of `perf sched timehist` of perf 6.1. Unlike perf this knows what the CPUs did before
// their first switch, and its summary counts migrations whatever the options.
void WritePerfSchedTimehist(const SimTrace& trace, const TimehistColumns& columns,
                            const ByteSink& sink);

}  // namespace schedlab::sim
