#include "tests/scenarios/scenario_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/catalog.h"
#include "core/shape.h"
#include "tests/scenarios/scenario_words.h"
#include "tests/support/topologies.h"

namespace schedlab::scenarios {
namespace {

// A machine of the catalog, but without its costs, as all machines of scenarios.
Status UseCatalogMachine(const std::string& name, Topology& topology) {
  const Catalog catalog = ParseCatalog(EmbeddedCatalogFiles()).value();
  const Result<const Topology*> found = catalog.FindTopology(name);
  if (!found) return Fail(found.error());
  topology = **found;
  topology.costs = {};
  topology.housekeeping_period_ns = 0;
  return {};
}

Status ParseTopology(const std::string& line, Topology& topology) {
  const std::vector<std::string> words = Split(line, ' ');
  const std::size_t quote = line.find('"');
  const bool is_shape = quote != std::string::npos && line.rfind('"') > quote;
  if (!is_shape && words.size() != 2) {
    return Mistake("topology is cpus=N, shape=\"...\" or a name of the catalog");
  }
  std::string shape;
  if (is_shape) {
    shape = line.substr(quote + 1, line.rfind('"') - quote - 1);
  } else if (words[1].starts_with("cpus=")) {
    shape = "package:" + words[1].substr(5);
  } else {
    return UseCatalogMachine(words[1], topology);
  }
  if (const auto parsed = CpusFromShape(shape); !parsed) return Fail(parsed.error());
  topology = testing::FreeTopology(shape);
  return {};
}

// capacities 0-3=446 4,5=1024
Status ParseCapacities(const std::vector<std::string>& words, Topology& topology) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const KeyValue option = SplitOption(words[i]);
    const auto cpus = ParseCpus(option.key);
    if (!cpus) return Fail(cpus.error());
    for (const sim::CpuNumber cpu : *cpus) {
      const auto index = static_cast<std::size_t>(cpu);
      if (index >= topology.cpus.size()) return Mistake(fmt::format("there is no CPU {}", cpu));
      const Status parsed = AssignNumber(option.value, topology.cpus[index].capacity);
      if (!parsed) return parsed;
    }
  }
  return {};
}

// distances 20 30 20: of nodes 0-1, 0-2, ... and then 1-2, ...
Status ParseDistances(const std::vector<std::string>& words, Topology& topology) {
  const std::size_t count = topology.node_distances.size();
  if (words.size() != 1 + count * (std::max<std::size_t>(count, 1) - 1) / 2) {
    return Mistake(fmt::format("{} nodes have another number of distances", count));
  }
  auto word = words.begin() + 1;
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t to = from + 1; to < count; ++to) {
      const Status parsed = AssignNumber(*word++, topology.node_distances[from][to]);
      if (!parsed) return parsed;
      topology.node_distances[to][from] = topology.node_distances[from][to];
    }
  }
  return {};
}

// costs context_switch_ns=1000 wakeup_ns=500
Status ParseCosts(const std::vector<std::string>& words, Topology& topology) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const KeyValue option = SplitOption(words[i]);
    const auto* const field =
        std::find_if(kCostFields.begin(), kCostFields.end(),
                     [&](const CostField& f) { return f.name == option.key; });
    if (field == kCostFields.end()) return Mistake(fmt::format("no cost '{}'", option.key));
    const Status parsed = AssignNumber(option.value, topology.costs.*(field->member));
    if (!parsed) return parsed;
  }
  return {};
}

bool IsFlat(const Topology& topology) {
  return std::all_of(topology.cpus.begin(), topology.cpus.end(),
                     [](const Cpu& cpu) { return cpu.capacity == 1'024; });
}

std::string CapacitiesText(const Topology& topology) {
  if (IsFlat(topology)) return "";
  std::string text = "capacities";
  for (std::size_t cpu = 0; cpu < topology.cpus.size(); ++cpu) {
    text += fmt::format(" {}={}", cpu, topology.cpus[cpu].capacity);
  }
  return text + "\n";
}

std::string DistancesText(const Topology& topology) {
  const std::size_t count = topology.node_distances.size();
  if (count < 2) return "";
  std::string text = "distances";
  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t to = from + 1; to < count; ++to) {
      text += fmt::format(" {}", topology.node_distances[from][to]);
    }
  }
  return text + "\n";
}

std::string CostsText(const CostTable& costs) {
  std::string text;
  for (const CostField& field : kCostFields) {
    const std::int64_t cost = costs.*(field.member);
    if (cost != 0) text += fmt::format(" {}={}", field.name, cost);
  }
  return text.empty() ? "" : "costs" + text + "\n";
}

}  // namespace

bool IsOfMachine(const std::string& word) {
  constexpr std::array<std::string_view, 6> kWords = {"topology", "capacities", "distances",
                                                      "costs",    "tick_hz",    "housekeeping"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

Status ParseMachineLine(const std::string& line, Topology& topology) {
  const std::vector<std::string> words = Split(line, ' ');
  if (words[0] == "topology") return ParseTopology(line, topology);
  if (words[0] == "capacities") return ParseCapacities(words, topology);
  if (words[0] == "distances") return ParseDistances(words, topology);
  if (words[0] == "costs") return ParseCosts(words, topology);
  const std::string argument = words.size() == 2 ? words[1] : "";
  if (words[0] == "tick_hz") return AssignNumber(argument, topology.tick_hz);
  const auto period = ParseTime(argument);
  if (!period) return Fail(period.error());
  topology.housekeeping_period_ns = period->count();
  return {};
}

std::string MachineText(const Topology& topology) {
  std::vector<Cpu> cpus = topology.cpus;
  for (Cpu& cpu : cpus) cpu.capacity = 1'024;
  std::string text = fmt::format("topology shape=\"{}\"\n", ShapeOf(cpus).value_or("?"));
  text += CapacitiesText(topology) + DistancesText(topology) + CostsText(topology.costs);
  text += fmt::format("tick_hz {}\n", topology.tick_hz);
  if (topology.housekeeping_period_ns > 0) {
    text += fmt::format("housekeeping {}\n", WriteTime(topology.housekeeping_period_ns));
  }
  return text;
}

}  // namespace schedlab::scenarios
