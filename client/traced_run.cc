#include "client/traced_run.h"

#include <fmt/format.h>

#include <utility>

#include "client/interrupt.h"
#include "client/number_format.h"
#include "client/terminal.h"
#include "sim/output/trace_recorder.h"
#include "sim/simulate.h"

namespace schedlab::client {

Result<TracedRun> RunTraced(const SimInput& input, std::int64_t record_limit,
                            std::stop_token stop) {
  const auto cpu_count = static_cast<std::int32_t>(input.scenario.topology.cpus.size());
  TracedRun run{sim::SimTrace(cpu_count, record_limit), {}};
  sim::TraceRecorder recorder(run.trace);
  Result<RunResult> result =
      sim::Simulate(input.scenario, input.policy, input.seed, std::move(stop),
                    {.observer = &recorder, .event_limit = input.event_limit}, input.document);
  if (!result) return Fail(result.error());
  run.result = std::move(*result);
  run.trace.Close(sim::SimTime(sim::SimDuration(run.result.simulated_ns)));
  return run;
}

Result<TracedRun> RunInterruptibly(const SimInput& input, std::int64_t record_limit) {
  const Interrupt interrupt;
  return RunTraced(input, record_limit, interrupt.token());
}

Result<TracedRun> RunTraced(const SimRunOptions& options, std::int64_t record_limit) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return Fail(catalog.error());
  const Result<SimInput> input = ResolveSimInput(*catalog, options);
  if (!input) return Fail(input.error());
  return RunInterruptibly(*input, record_limit);
}

void WarnOfLoss(const TracedRun& run) {
  if (run.trace.dropped_count() == 0) return;
  const auto seconds = [](sim::SimTime at) {
    return FormatNumber(static_cast<double>(sim::Ns(at)) / 1e9);
  };
  PrintDiagnostic(
      fmt::format("schedlab: the trace is full: it has the first {} events, which end at {} s of "
                  "{} s; {} later "
                  "ones are missing (--records keeps more)\n",
                  run.trace.record_count(), seconds(run.trace.end()), seconds(run.trace.run_end()),
                  run.trace.dropped_count()));
}

}  // namespace schedlab::client
