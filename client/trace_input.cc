#include "client/trace_input.h"

#include <fmt/format.h>

#include "client/terminal.h"
#include "client/text_file.h"
#include "core/limits.h"

namespace schedlab::client {

Result<TraceInput> ReadTraceInput(const std::string& path) {
  const Result<std::string> text = ReadTextInput(path, kMaxRecordingBytes);
  if (!text) return Fail(text.error());
  const auto refuse = [&](const Error& error) {
    return Fail(error.code, fmt::format("{}: {}", path == "-" ? "stdin" : path, error.message));
  };
  if (IsEncodedWorkloadTrace(*text)) {
    Result<WorkloadTrace> trace = DecodeWorkloadTrace(*text);
    if (!trace) return refuse(trace.error());
    return TraceInput{*std::move(trace), {}};
  }
  Result<ingest::ImportedRecording> imported = ingest::ImportRecording(*text);
  if (!imported) return refuse(imported.error());
  return TraceInput{std::move(imported->trace), imported->counts};
}

void WarnOfDoubts(const TraceInput& input) {
  if (!input.counts) return;
  const ingest::RecordingCounts& counts = *input.counts;
  if (counts.cut_line > 0) {
    PrintDiagnostic(
        fmt::format("schedlab: line {}, the last, is cut off and was left out\n", counts.cut_line));
  }
  if (counts.loss_count > 0) {
    PrintDiagnostic(fmt::format(
        "schedlab: the recording lacks at least {} events, in {} places: what tasks did there "
        "became sleeps\n",
        counts.lost_count, counts.loss_count));
  }
  if (counts.contradiction_count > 0) {
    PrintDiagnostic(fmt::format(
        "schedlab: {} times another task executes than the recorded switches say: events are "
        "missing, or lines out of order\n",
        counts.contradiction_count));
  }
}

}  // namespace schedlab::client
