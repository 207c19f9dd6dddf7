#include <fmt/format.h>

#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/json_output.h"
#include "client/number_format.h"
#include "client/text_table.h"

namespace schedlab::client {

ExitCode RunWorkerList(const GlobalOptions& global) {
  Coordinator coordinator(global.server);
  const Result<std::vector<Worker>> workers = coordinator.ListWorkers();
  if (!workers) return ReportError("cannot list the workers", workers.error());
  if (global.output == OutputFormat::kJson) {
    Print(WorkerListDocument(*workers));
    return ExitCode::kOk;
  }
  TextTable table({{"name"},
                   {"state"},
                   {"leased", Alignment::kRight},
                   {"slots", Alignment::kRight},
                   {"engine"},
                   {"build"},
                   {"last seen"}});
  for (const Worker& worker : *workers) {
    table.AddRow({worker.identity.name, std::string(ToString(worker.state)),
                  fmt::format("{}", worker.leased_count),
                  fmt::format("{}", worker.identity.slot_count), worker.identity.engine_version,
                  worker.identity.build_version, FormatTime(worker.last_seen_at)});
  }
  Print(table.Render());
  return ExitCode::kOk;
}

}  // namespace schedlab::client
