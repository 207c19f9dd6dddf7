#include "core/spec_json.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/check.h"

namespace schedlab {
namespace {

using Json = nlohmann::json;  // objects keep their keys in order

Json TopologyJson(const Topology& topology) {
  Json cpus = Json::array();
  for (const Cpu& cpu : topology.cpus) {
    Json row = {cpu.node, cpu.package, cpu.llc, cpu.core, cpu.thread, cpu.capacity};
    if (cpu.cluster != cpu.core) row.push_back(cpu.cluster);
    cpus.push_back(std::move(row));
  }
  Json costs = Json::object();
  for (const CostField& field : kCostFields) {
    const std::int64_t cost = topology.costs.*field.member;
    if (cost != 0 || !field.is_added) costs[std::string(field.name)] = cost;
  }
  return {
      {"name", topology.name},       {"description", topology.description},
      {"cpus", std::move(cpus)},     {"node_distances", topology.node_distances},
      {"tick_hz", topology.tick_hz}, {"housekeeping_period_ns", topology.housekeeping_period_ns},
      {"costs", std::move(costs)}};
}

Topology TopologyFrom(const Json& json) {
  Topology topology;
  json.at("name").get_to(topology.name);
  json.at("description").get_to(topology.description);
  for (const Json& row : json.at("cpus")) {
    topology.cpus.push_back(Cpu{.node = row.at(0),
                                .package = row.at(1),
                                .llc = row.at(2),
                                .core = row.at(3),
                                .thread = row.at(4),
                                .capacity = row.at(5),
                                .cluster = row.at(row.size() > 6 ? 6 : 3)});
  }
  json.at("node_distances").get_to(topology.node_distances);
  json.at("tick_hz").get_to(topology.tick_hz);
  json.at("housekeeping_period_ns").get_to(topology.housekeeping_period_ns);
  for (const CostField& field : kCostFields) {
    topology.costs.*field.member = json.at("costs").value(std::string(field.name), 0);
  }
  return topology;
}

// Left out where there is none, so that the digests of scenarios without one stay as they are.
void AddDocument(Json& json, const std::string& document) {
  if (!document.empty()) json["document"] = document;
}

Json WorkloadJson(const WorkloadSpec& workload) {
  Json json = {{"name", workload.name}, {"parameters", workload.parameters}};
  AddDocument(json, workload.document);
  return json;
}

// What does not disturb is left out, so that the digest of a scenario without it stays.
template <class T>
void AddDisturbances(Json& json, const T& disturbed) {
  for (const HotplugEvent& event : disturbed.hotplug) {
    json["hotplug"].push_back(
        {{"at_ns", event.at_ns}, {"cpu", event.cpu}, {"is_online", event.is_online}});
  }
  for (const IrqSource& source : disturbed.irq_sources) {
    json["irq_sources"].push_back({{"cpu", source.cpu},
                                   {"period_ns", source.period_ns},
                                   {"duration_ns", source.duration_ns}});
  }
}

template <class T>
void ReadDisturbances(const Json& json, T& disturbed) {
  for (const Json& event : json.value("hotplug", Json::array())) {
    disturbed.hotplug.push_back(
        {.at_ns = event.at("at_ns"), .cpu = event.at("cpu"), .is_online = event.at("is_online")});
  }
  for (const Json& source : json.value("irq_sources", Json::array())) {
    disturbed.irq_sources.push_back({.cpu = source.at("cpu"),
                                     .period_ns = source.at("period_ns"),
                                     .duration_ns = source.at("duration_ns")});
  }
}

Json ScenarioJson(const Scenario& scenario) {
  Json json = {{"topology", TopologyJson(scenario.topology)},
               {"workload", WorkloadJson(scenario.workload)},
               {"duration_ns", scenario.duration_ns}};
  AddDisturbances(json, scenario);
  return json;
}

Json PolicyJson(const PolicySpec& policy) {
  Json json = {{"name", policy.name},
               {"revision", policy.revision},
               {"variant", policy.variant},
               {"switches", policy.switches}};
  if (!policy.implementation.empty()) json["implementation"] = policy.implementation;
  return json;
}

constexpr std::string_view SeedModeName(SeedMode mode) {
  switch (mode) {
    case SeedMode::kIndependent:
      return "independent";
    case SeedMode::kPaired:
      return "paired";
  }
  return "";
}

Json JobJson(const JobSpec& spec) {
  Json policies = Json::array();
  for (const PolicySelection& item : spec.policies) {
    policies.push_back(
        {{"policy", item.policy}, {"revisions", item.revisions}, {"switches", item.switches}});
  }
  Json workloads = Json::array();
  for (const WorkloadSelection& item : spec.workloads) {
    workloads.push_back({{"workload", item.workload},
                         {"parameters", item.parameters},
                         {"duration_ns", item.duration_ns}});
    AddDocument(workloads.back(), item.document);
    AddDisturbances(workloads.back(), item);
  }
  Json json = {{"project", spec.project},
               {"suite", spec.suite},
               {"executor", ToString(spec.executor)},
               {"policies", std::move(policies)},
               {"topologies", spec.topologies},
               {"workloads", std::move(workloads)},
               {"repetitions", spec.repetitions},
               {"seed_mode", SeedModeName(spec.seed_mode)},
               {"salt", spec.salt},
               {"metrics", spec.metrics}};
  if (!spec.yardsticks.empty()) json["yardsticks"] = spec.yardsticks;
  return json;
}

JobSpec JobFrom(const Json& json) {
  JobSpec spec;
  json.at("project").get_to(spec.project);
  json.at("suite").get_to(spec.suite);
  for (const Json& item : json.at("policies")) {
    spec.policies.push_back({.policy = item.at("policy"),
                             .revisions = item.at("revisions"),
                             .switches = item.at("switches")});
  }
  json.at("topologies").get_to(spec.topologies);
  for (const Json& item : json.at("workloads")) {
    spec.workloads.push_back({.workload = item.at("workload"),
                              .parameters = item.at("parameters"),
                              .duration_ns = item.at("duration_ns"),
                              .document = item.value("document", "")});
    ReadDisturbances(item, spec.workloads.back());
  }
  json.at("repetitions").get_to(spec.repetitions);
  spec.seed_mode = json.at("seed_mode") == SeedModeName(SeedMode::kPaired) ? SeedMode::kPaired
                                                                           : SeedMode::kIndependent;
  json.at("salt").get_to(spec.salt);
  json.at("metrics").get_to(spec.metrics);
  spec.yardsticks = json.value("yardsticks", std::vector<std::string>());
  return spec;
}

// Bytes that are not UTF-8 cannot be JSON; they are kept apart from one another all the same.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The only foreign exceptions here are the JSON library's.
template <class T>
Result<T> Parsed(std::string_view text, std::string_view kind, T (*convert)(const Json&)) {
  try {
    return convert(Json::parse(text));
  } catch (const Json::exception& e) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("not the JSON of a {}: {}", kind, e.what()));
  }
}

Scenario ScenarioFrom(const Json& json) {
  Scenario scenario;
  scenario.topology = TopologyFrom(json.at("topology"));
  json.at("workload").at("name").get_to(scenario.workload.name);
  json.at("workload").at("parameters").get_to(scenario.workload.parameters);
  scenario.workload.document = json.at("workload").value("document", "");
  json.at("duration_ns").get_to(scenario.duration_ns);
  ReadDisturbances(json, scenario);
  return scenario;
}

PolicySpec PolicyFrom(const Json& json) {
  return {.name = json.at("name"),
          .revision = json.at("revision"),
          .variant = json.at("variant"),
          .switches = json.at("switches"),
          .implementation = json.value("implementation", "")};
}

}  // namespace

std::string ToJson(const Topology& topology) { return Dump(TopologyJson(topology)); }
std::string ToJson(const Scenario& scenario) { return Dump(ScenarioJson(scenario)); }
std::string ToJson(const PolicySpec& policy) { return Dump(PolicyJson(policy)); }
std::string ToJson(const JobSpec& spec) { return Dump(JobJson(spec)); }

Result<Scenario> ScenarioFromJson(std::string_view text) {
  return Parsed<Scenario>(text, "scenario", &ScenarioFrom);
}

Result<PolicySpec> PolicySpecFromJson(std::string_view text) {
  return Parsed<PolicySpec>(text, "policy", &PolicyFrom);
}

Result<JobSpec> JobSpecFromJson(std::string_view text) {
  return Parsed<JobSpec>(text, "job", &JobFrom);
}

std::string Sha256Hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  SCHEDLAB_CHECK(
      EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) == 1);
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

std::string ScenarioDigest(const Scenario& scenario) { return Sha256Hex(ToJson(scenario)); }

std::string RunKey(const RunKeySource& source) {
  return Sha256Hex(fmt::format("run\n{}\n{}\n{}\n{}\n{}", ToString(source.executor),
                               source.engine_version, source.policy_json, source.scenario_digest,
                               source.seed));
}

}  // namespace schedlab
