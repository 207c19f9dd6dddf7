#include "proto/rpc/specs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/limits.h"
#include "proto/rpc/field_reader.h"

namespace schedlab::rpc {
namespace {

constexpr std::size_t kDigestHexDigits = 16;

v1::Cpu Encode(const Cpu& cpu) {
  v1::Cpu wire;
  wire.set_node(cpu.node);
  wire.set_package(cpu.package);
  wire.set_llc(cpu.llc);
  wire.set_core(cpu.core);
  wire.set_thread(cpu.thread);
  wire.set_capacity(cpu.capacity);
  if (cpu.cluster != cpu.core) wire.set_cluster(cpu.cluster);
  return wire;
}

// Whether the indices fit together is for Validate(Topology).
Result<Cpu> Decode(const v1::Cpu& wire) {
  return Cpu{.node = wire.node(),
             .package = wire.package(),
             .llc = wire.llc(),
             .core = wire.core(),
             .thread = wire.thread(),
             .capacity = wire.capacity(),
             .cluster = wire.has_cluster() ? wire.cluster() : wire.core()};
}

Result<std::vector<std::int32_t>> Decode(const v1::NodeDistances& wire) {
  return std::vector<std::int32_t>(wire.distances().begin(), wire.distances().end());
}

Result<CostTable> DecodeCosts(const google::protobuf::Map<std::string, std::int64_t>& wire) {
  CostTable costs;
  for (const auto& entry : wire) {
    const std::string& name = entry.first;
    const auto* const field = std::find_if(kCostFields.begin(), kCostFields.end(),
                                           [&](const CostField& f) { return f.name == name; });
    if (field == kCostFields.end()) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("has an unknown cost '{}'", name.substr(0, kMaxNameLength)));
    }
    costs.*field->member = entry.second;
  }
  return costs;
}

}  // namespace

constexpr auto kDecode = [](const auto& wire) { return Decode(wire); };

v1::HotplugEvent Encode(const HotplugEvent& event) {
  v1::HotplugEvent wire;
  wire.set_at_ns(event.at_ns);
  wire.set_cpu(event.cpu);
  wire.set_is_online(event.is_online);
  return wire;
}

v1::IrqSource Encode(const IrqSource& source) {
  v1::IrqSource wire;
  wire.set_cpu(source.cpu);
  wire.set_period_ns(source.period_ns);
  wire.set_duration_ns(source.duration_ns);
  return wire;
}

Result<HotplugEvent> Decode(const v1::HotplugEvent& wire) {
  return HotplugEvent{.at_ns = wire.at_ns(), .cpu = wire.cpu(), .is_online = wire.is_online()};
}

Result<IrqSource> Decode(const v1::IrqSource& wire) {
  return IrqSource{
      .cpu = wire.cpu(), .period_ns = wire.period_ns(), .duration_ns = wire.duration_ns()};
}

v1::Executor Encode(Executor executor) {
  switch (executor) {
    case Executor::kSim:
      return v1::EXECUTOR_SIM;
  }
  return v1::EXECUTOR_UNSPECIFIED;
}

Result<Executor> Decode(v1::Executor wire) {
  switch (wire) {
    case v1::EXECUTOR_SIM:
      return Executor::kSim;
    default:
      return RefuseEnum(wire);
  }
}

v1::PolicySpec Encode(const PolicySpec& policy) {
  v1::PolicySpec wire;
  wire.set_name(policy.name);
  wire.set_revision(policy.revision);
  wire.set_variant(policy.variant);
  wire.mutable_switches()->insert(policy.switches.begin(), policy.switches.end());
  wire.set_implementation(policy.implementation);
  return wire;
}

Result<PolicySpec> Decode(const v1::PolicySpec& wire) {
  FieldReader read;
  return read.Finish(
      PolicySpec{.name = read.Name("name", wire.name()),
                 .revision = read.OptionalName("revision", wire.revision()),
                 .variant = read.Text("variant", wire.variant()),
                 .switches = read.Strings("switches", wire.switches()),
                 .implementation = read.OptionalName("implementation", wire.implementation())});
}

v1::Topology Encode(const Topology& topology) {
  v1::Topology wire;
  wire.set_name(topology.name);
  wire.set_description(topology.description);
  for (const Cpu& cpu : topology.cpus) *wire.add_cpus() = Encode(cpu);
  for (const auto& row : topology.node_distances) {
    wire.add_node_distances()->mutable_distances()->Add(row.begin(), row.end());
  }
  wire.set_tick_hz(topology.tick_hz);
  wire.set_housekeeping_period_ns(topology.housekeeping_period_ns);
  for (const CostField& field : kCostFields) {
    const std::int64_t cost = topology.costs.*field.member;
    if (cost != 0) (*wire.mutable_costs())[std::string(field.name)] = cost;
  }
  return wire;
}

Result<Topology> Decode(const v1::Topology& wire) {
  FieldReader read;
  Result<Topology> topology = read.Finish(Topology{
      .name = read.Name("name", wire.name()),
      .description = read.Text("description", wire.description()),
      .cpus = read.Messages("cpus", wire.cpus(), kMaxCpus, kDecode),
      .node_distances = read.Messages("node_distances", wire.node_distances(), kMaxNodes, kDecode),
      .tick_hz = wire.tick_hz(),
      .housekeeping_period_ns = wire.housekeeping_period_ns(),
      .costs = read.Value("costs", DecodeCosts(wire.costs())),
  });
  if (!topology) return topology;
  if (const Status valid = Validate(*topology); !valid) return Fail(valid.error());
  return topology;
}

v1::WorkloadSpec Encode(const WorkloadSpec& workload) {
  v1::WorkloadSpec wire;
  wire.set_name(workload.name);
  wire.mutable_parameters()->insert(workload.parameters.begin(), workload.parameters.end());
  wire.set_document(workload.document);
  return wire;
}

Result<WorkloadSpec> Decode(const v1::WorkloadSpec& wire) {
  FieldReader read;
  return read.Finish(WorkloadSpec{.name = read.Name("name", wire.name()),
                                  .parameters = read.Numbers("parameters", wire.parameters()),
                                  .document = read.Document("document", wire.document())});
}

v1::Scenario Encode(const Scenario& scenario) {
  v1::Scenario wire;
  *wire.mutable_topology() = Encode(scenario.topology);
  *wire.mutable_workload() = Encode(scenario.workload);
  wire.set_duration_ns(scenario.duration_ns);
  for (const HotplugEvent& event : scenario.hotplug) *wire.add_hotplug() = Encode(event);
  for (const IrqSource& source : scenario.irq_sources) *wire.add_irq_sources() = Encode(source);
  return wire;
}

Result<Scenario> Decode(const v1::Scenario& wire) {
  FieldReader read;
  Result<Scenario> scenario = read.Finish(Scenario{
      .topology = read.Message("topology", Decode(wire.topology())),
      .workload = read.Message("workload", Decode(wire.workload())),
      .duration_ns = read.Number("duration_ns", wire.duration_ns(), 0, kMaxSimulatedNs),
      .hotplug = read.Messages("hotplug", wire.hotplug(), kMaxHotplugEvents, kDecode),
      .irq_sources = read.Messages("irq_sources", wire.irq_sources(), kMaxIrqSources, kDecode)});
  if (!scenario) return scenario;
  const Status valid_hotplug = Validate(scenario->hotplug, scenario->topology, kMaxSimulatedNs + 1);
  if (!valid_hotplug) return Fail(valid_hotplug.error());
  if (const Status valid = Validate(scenario->irq_sources, scenario->topology); !valid) {
    return Fail(valid.error());
  }
  return scenario;
}

v1::RunSpec Encode(const RunSpec& spec) {
  v1::RunSpec wire;
  wire.set_executor(Encode(spec.executor));
  wire.set_engine_version(spec.engine_version);
  *wire.mutable_policy() = Encode(spec.policy);
  *wire.mutable_scenario() = Encode(spec.scenario);
  wire.set_seed(spec.seed);
  return wire;
}

Result<RunSpec> Decode(const v1::RunSpec& wire) {
  FieldReader read("run");
  return read.Finish(RunSpec{.executor = read.Value("executor", Decode(wire.executor())),
                             .engine_version = read.Name("engine_version", wire.engine_version()),
                             .policy = read.Message("policy", Decode(wire.policy())),
                             .scenario = read.Message("scenario", Decode(wire.scenario())),
                             .seed = read.Count("seed", wire.seed())});
}

v1::RunResult Encode(const RunResult& result) {
  v1::RunResult wire;
  wire.set_digest(DigestToHex(result.digest));
  wire.set_event_count(result.event_count);
  wire.set_simulated_ns(result.simulated_ns);
  wire.mutable_metrics()->insert(result.metrics.begin(), result.metrics.end());
  return wire;
}

Result<RunResult> Decode(const v1::RunResult& wire) {
  FieldReader read("result");
  return read.Finish(RunResult{
      .digest = read.Value("digest", DigestFromHex(wire.digest())),
      .event_count = read.Count("event_count", wire.event_count()),
      .simulated_ns = read.Count("simulated_ns", wire.simulated_ns()),
      .metrics = read.Settings(
          "metrics", wire.metrics(), kMaxMetricsPerRun,
          [&](const std::string& path, double value) { return read.Finite(path, value); })});
}

std::string DigestToHex(std::uint64_t digest) { return fmt::format("{:016x}", digest); }

Result<std::uint64_t> DigestFromHex(std::string_view text) {
  constexpr int kBase = 16;
  std::uint64_t digest = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, digest, kBase);
  const bool is_hex = error == std::errc() && stop == end && text.size() == kDigestHexDigits;
  if (!is_hex || text != DigestToHex(digest)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("must be {} lower-case hex digits, is '{}'", kDigestHexDigits,
                            text.substr(0, kMaxNameLength)));
  }
  return digest;
}

}  // namespace schedlab::rpc
