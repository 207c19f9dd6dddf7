#include "core/suite.h"

#include <fmt/format.h>

#include "core/limits.h"
#include "core/toml.h"

namespace schedlab {
namespace {

PolicySelection ReadPolicy(TomlReader& reader) {
  PolicySelection selection;
  selection.policy = reader.String("name");
  selection.revisions = reader.String("revisions", "");
  selection.switches = reader.StringMap("switches");
  reader.RefuseUnknownKeys();
  return selection;
}

std::string ReadDocument(TomlReader& reader, const DocumentReader& read_document) {
  const std::string path = reader.String("file", "");
  if (path.empty()) return {};
  Result<std::string> document = read_document(path);
  if (!document) {
    reader.Refuse("file", document.error().message);
    return {};
  }
  if (document->empty()) reader.Refuse("file", "is empty");
  return *std::move(document);
}

std::int32_t ReadCpu(TomlReader& reader) {
  const std::int64_t cpu = reader.Integer("cpu");
  if (cpu < 0 || cpu >= kMaxCpus)
    reader.Refuse("cpu", fmt::format("must be from 0 to {}", kMaxCpus - 1));
  return static_cast<std::int32_t>(cpu);
}

// Whether the topologies have these CPUs is seen when the job is expanded.
std::vector<HotplugEvent> ReadHotplug(TomlReader& workload) {
  std::vector<HotplugEvent> events;
  for (TomlReader& event : workload.Tables("hotplug")) {
    const std::int64_t at_ns = event.Integer("at_ns");
    const std::int32_t cpu = ReadCpu(event);
    events.push_back({.at_ns = at_ns, .cpu = cpu, .is_online = event.Boolean("is_online")});
    event.RefuseUnknownKeys();
  }
  return events;
}

std::vector<IrqSource> ReadIrqSources(TomlReader& workload) {
  std::vector<IrqSource> sources;
  for (TomlReader& source : workload.Tables("irq_sources")) {
    const std::int32_t cpu = ReadCpu(source);
    const std::int64_t period_ns = source.Integer("period_ns");
    sources.push_back(
        {.cpu = cpu, .period_ns = period_ns, .duration_ns = source.Integer("duration_ns")});
    source.RefuseUnknownKeys();
  }
  return sources;
}

WorkloadSelection ReadWorkload(TomlReader& reader, const DocumentReader& read_document) {
  WorkloadSelection selection;
  selection.workload = reader.String("name");
  selection.duration_ns = reader.Integer("duration_ns", 0);
  if (selection.duration_ns < 0 || selection.duration_ns > kMaxSimulatedNs) {
    reader.Refuse("duration_ns", fmt::format("must be from 0 to {}", kMaxSimulatedNs));
  }
  selection.parameters = reader.IntegerMap("parameters");
  selection.document = ReadDocument(reader, read_document);
  selection.hotplug = ReadHotplug(reader);
  selection.irq_sources = ReadIrqSources(reader);
  reader.RefuseUnknownKeys();
  return selection;
}

void ReadSeedMode(TomlReader& reader, JobSpec& spec) {
  const std::string mode = reader.String("seed_mode", "independent");
  if (mode == "paired") {
    spec.seed_mode = SeedMode::kPaired;
  } else if (mode != "independent") {
    reader.Refuse("seed_mode", "must be independent or paired");
  }
}

}  // namespace

Result<JobSpec> ParseSuite(std::string_view text, std::string_view file_name,
                           const DocumentReader& read_document) {
  if (text.size() > static_cast<std::size_t>(kMaxSuiteFileBytes)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: has {} bytes; a suite file has at most {}", file_name, text.size(),
                            kMaxSuiteFileBytes));
  }
  Result<TomlValue> document = ParseToml(text, file_name);
  if (!document) return Fail(document.error());
  TomlReader reader(*document, file_name);
  JobSpec spec;
  spec.suite = reader.String("name");
  spec.project = reader.String("project");
  const std::int64_t repetitions = reader.Integer("repetitions");
  if (repetitions < 1 || repetitions > kMaxRepetitions) {
    reader.Refuse("repetitions", fmt::format("must be from 1 to {}", kMaxRepetitions));
  }
  spec.repetitions = static_cast<std::int32_t>(repetitions);
  ReadSeedMode(reader, spec);
  spec.salt = reader.String("salt", "");
  spec.topologies = reader.Strings("topologies");
  spec.metrics = reader.Strings("metrics");
  spec.yardsticks = reader.Strings("yardsticks");
  for (TomlReader& item : reader.Tables("policy")) spec.policies.push_back(ReadPolicy(item));
  for (TomlReader& item : reader.Tables("workload")) {
    spec.workloads.push_back(ReadWorkload(item, read_document));
  }
  if (spec.topologies.empty()) reader.Refuse("topologies", "must name at least one");
  if (spec.policies.empty()) reader.Refuse("policy", "must name at least one: [[policy]]");
  if (spec.workloads.empty()) reader.Refuse("workload", "must name at least one: [[workload]]");
  reader.RefuseUnknownKeys();
  if (!reader.status()) return Fail(reader.status().error());
  return spec;
}

}  // namespace schedlab
