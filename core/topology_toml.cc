#include "core/topology_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/catalog.h"
#include "core/shape.h"
#include "core/topology_fault.h"

namespace schedlab {
namespace {

struct CpuColumn {
  std::string_view name;
  std::int32_t Cpu::*member;
};
// The columns of `cpus`, in order.
constexpr std::array<CpuColumn, 7> kCpuColumns = {{{"node", &Cpu::node},
                                                   {"package", &Cpu::package},
                                                   {"llc", &Cpu::llc},
                                                   {"cluster", &Cpu::cluster},
                                                   {"core", &Cpu::core},
                                                   {"thread", &Cpu::thread},
                                                   {"capacity", &Cpu::capacity}}};

// Validate() looks at the value; here it only has to fit.
std::int32_t Narrow(std::int64_t number) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(
      number, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

std::vector<Cpu> ReadCpuRows(TomlReader& reader) {
  std::vector<Cpu> cpus;
  for (const std::vector<std::int64_t>& row : reader.IntegerRows("cpus")) {
    if (row.size() != kCpuColumns.size()) {
      reader.Refuse("cpus",
                    fmt::format("row {} has {} numbers; it must have node, package, llc, cluster, "
                                "core, thread and capacity",
                                cpus.size(), row.size()));
      return {};
    }
    Cpu& cpu = cpus.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) cpu.*kCpuColumns[i].member = Narrow(row[i]);
  }
  return cpus;
}

std::vector<Cpu> ReadCpus(TomlReader& reader) {
  if (reader.Has("cpus")) {
    if (reader.Has("shape")) reader.Refuse("shape", "stands beside cpus; one of them is enough");
    return ReadCpuRows(reader);
  }
  Result<std::vector<Cpu>> cpus = CpusFromShape(reader.String("shape"));
  if (cpus) return std::move(*cpus);
  reader.Refuse("shape", cpus.error().message);
  return {};
}

std::vector<std::vector<std::int32_t>> ReadDistances(TomlReader& reader) {
  std::vector<std::vector<std::int32_t>> distances;
  for (const std::vector<std::int64_t>& row : reader.IntegerRows("node_distances")) {
    std::vector<std::int32_t>& converted = distances.emplace_back();
    for (const std::int64_t distance : row) converted.push_back(Narrow(distance));
  }
  return distances;
}

void ReadCosts(TomlReader& reader, CostTable& costs) {
  std::vector<std::string> names;
  names.reserve(kCostFields.size());
  for (const CostField& field : kCostFields) names.emplace_back(field.name);
  for (const auto& [name, value] : reader.IntegerMap("costs")) {
    const auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end()) {
      reader.RefuseMember("costs", name,
                          fmt::format("'{}' is not a cost{}", name, DidYouMean(name, names)));
      return;
    }
    costs.*kCostFields[static_cast<std::size_t>(known - names.begin())].member = value;
  }
}

// At the line of what is wrong.
void RefuseFault(TomlReader& reader, const TopologyFault& fault) {
  const bool is_cost =
      std::any_of(kCostFields.begin(), kCostFields.end(),
                  [&](const CostField& field) { return field.name == fault.member; });
  if (is_cost) {
    reader.RefuseMember("costs", fault.member, fault.error.message);
  } else if (fault.member == "cpus" && !reader.Has("cpus")) {
    reader.Refuse("shape", fault.error.message);
  } else {
    reader.Refuse(fault.member, fault.error.message);
  }
}

// A TOML basic string.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += fmt::format("\\{}", c);
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\u{:04X}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string CpuRows(const std::vector<Cpu>& cpus) {
  std::string text = "# node, package, llc, cluster, core, thread, capacity\ncpus = [\n";
  for (const Cpu& cpu : cpus) {
    std::vector<std::int32_t> row;
    row.reserve(kCpuColumns.size());
    for (const CpuColumn& column : kCpuColumns) row.push_back(cpu.*column.member);
    text += fmt::format("  [{}],\n", fmt::join(row, ", "));
  }
  return text + "]\n";
}

std::string DistanceRows(const std::vector<std::vector<std::int32_t>>& distances) {
  std::vector<std::string> rows;
  rows.reserve(distances.size());
  for (const auto& row : distances) rows.push_back(fmt::format("[{}]", fmt::join(row, ", ")));
  const std::string_view separator = rows.size() > 2 ? ",\n  " : ", ";
  const std::string_view edge = rows.size() > 2 ? "\n" : "";
  return fmt::format("node_distances = [{}{}{}{}]\n", edge, rows.size() > 2 ? "  " : "",
                     fmt::join(rows, separator), edge);
}

}  // namespace

Topology ReadTopology(TomlReader& reader) {
  Topology topology;
  topology.name = reader.String("name");
  topology.description = reader.String("description");
  topology.cpus = ReadCpus(reader);
  topology.node_distances = ReadDistances(reader);
  topology.tick_hz = Narrow(reader.Integer("tick_hz", topology.tick_hz));
  topology.housekeeping_period_ns =
      reader.Integer("housekeeping_period_ns", topology.housekeeping_period_ns);
  ReadCosts(reader, topology.costs);
  reader.RefuseUnknownKeys();
  if (!reader.status()) return topology;
  if (const auto fault = FindFault(topology)) RefuseFault(reader, *fault);
  return topology;
}

Result<Topology> TopologyFromToml(std::string_view text, std::string_view file) {
  const Result<TomlValue> document = ParseToml(text, file);
  if (!document) return Fail(document.error());
  TomlReader reader(*document, file);
  Topology topology = ReadTopology(reader);
  if (const Status read = reader.status(); !read) return Fail(read.error());
  return topology;
}

std::string ToToml(const Topology& topology) {
  std::string text = fmt::format("name = {}\ndescription = {}\n", Quoted(topology.name),
                                 Quoted(topology.description));
  const std::optional<std::string> shape = ShapeOf(topology.cpus);
  text += shape ? fmt::format("shape = {}\n", Quoted(*shape)) : CpuRows(topology.cpus);
  text += DistanceRows(topology.node_distances);
  text += fmt::format("tick_hz = {}\nhousekeeping_period_ns = {}\n\n[costs]\n", topology.tick_hz,
                      topology.housekeeping_period_ns);
  for (const CostField& field : kCostFields) {
    text += fmt::format("{} = {}\n", field.name, topology.costs.*field.member);
  }
  return text;
}

}  // namespace schedlab
