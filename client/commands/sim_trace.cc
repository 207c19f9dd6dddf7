#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "client/commands/commands.h"
#include "client/number_format.h"
#include "client/output_file.h"
#include "client/traced_run.h"
#include "sim/output/ftrace_text.h"
#include "sim/output/perfetto.h"
#include "sim/output/trace_dat.h"

namespace schedlab::client {
namespace {

void Encode(const TracedRun& run, const SimTraceOptions& options, OutputFile& file) {
  const sim::ByteSink sink = [&file](std::string_view bytes) { file.Write(bytes); };
  switch (options.format) {
    case TraceFormat::kPerfetto:
      sim::WritePerfetto(run.trace, "schedlab " + DescribeSimInput(options.run), sink);
      return;
    case TraceFormat::kTraceDat:
      sim::WriteTraceDat(run.trace, sink);
      return;
    case TraceFormat::kFtrace:
      sim::WriteFtraceText(run.trace, sink);
      return;
  }
}

std::string_view NameOf(TraceFormat format) {
  switch (format) {
    case TraceFormat::kPerfetto:
      return "perfetto";
    case TraceFormat::kTraceDat:
      return "trace.dat";
    case TraceFormat::kFtrace:
      return "ftrace";
  }
  return "";
}

std::string_view HowToOpen(TraceFormat format) {
  switch (format) {
    case TraceFormat::kPerfetto:
      return "open it in ui.perfetto.dev";
    case TraceFormat::kTraceDat:
      return "read it with `trace-cmd report -i` or KernelShark";
    case TraceFormat::kFtrace:
      return "it is text, as tracefs shows it";
  }
  return "";
}

std::string RenderJson(const TracedRun& run, const SimTraceOptions& options,
                       const OutputFile& file) {
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  document["format_version"] = 1;
  document["file"] = options.path;
  document["format"] = NameOf(options.format);
  document["bytes"] = file.byte_count();
  document["records"] = run.trace.record_count();
  document["dropped_records"] = run.trace.dropped_count();
  document["traced_ns"] = sim::Ns(run.trace.end());
  document["simulated_ns"] = run.result.simulated_ns;
  document["events"] = run.result.event_count;
  document["digest"] = fmt::format("{:016x}", run.result.digest);
  return document.dump(2) + "\n";
}

std::string RenderText(const TracedRun& run, const SimTraceOptions& options,
                       const OutputFile& file) {
  return fmt::format("{}: {} records, {} s, {} bytes of {}; {}\n", options.path,
                     run.trace.record_count(),
                     FormatNumber(static_cast<double>(sim::Ns(run.trace.end())) / 1e9),
                     file.byte_count(), NameOf(options.format), HowToOpen(options.format));
}

}  // namespace

ExitCode RunSimTrace(const GlobalOptions& global, const SimTraceOptions& options) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return ReportError("cannot read the catalog", catalog.error());
  const Result<SimInput> input = ResolveSimInput(*catalog, options.run);
  if (!input) return ReportError("cannot simulate", input.error());
  // Before the run, which may take long.
  Result<OutputFile> file = OutputFile::Create(options.path);
  if (!file) return ReportError("cannot trace", file.error());
  const Result<TracedRun> run = RunInterruptibly(*input, options.record_limit);
  if (!run) return ReportError("cannot simulate", run.error());
  Encode(*run, options, *file);
  const Status written = file->Finish();
  if (!written) return ReportError("cannot trace", written.error());
  WarnOfLoss(*run);
  const std::string report = global.output == OutputFormat::kJson
                                 ? RenderJson(*run, options, *file)
                                 : RenderText(*run, options, *file);
  if (options.path == "-") {
    PrintDiagnostic(report);
  } else {
    Print(report);
  }
  return ExitCode::kOk;
}

}  // namespace schedlab::client
