#include "client/topology_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "client/text_table.h"

namespace schedlab::client {
namespace {

struct Level {
  std::string_view name;
  std::int32_t Cpu::*index;
};
constexpr std::array kLevels = {Level{"nodes", &Cpu::node}, Level{"packages", &Cpu::package},
                                Level{"last-level caches", &Cpu::llc},
                                Level{"clusters", &Cpu::cluster}, Level{"cores", &Cpu::core}};

// "4 of 8 CPUs", or where they differ "2 of 1 to 3 CPUs".
std::string DescribeLevel(const Topology& topology, const Level& level) {
  std::map<std::int32_t, std::size_t> sizes;
  for (const Cpu& cpu : topology.cpus) ++sizes[cpu.*level.index];
  const auto [least, most] = std::minmax_element(
      sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string size = least->second == most->second
                               ? fmt::format("{}", least->second)
                               : fmt::format("{} to {}", least->second, most->second);
  return fmt::format("{} of {} CPU{}", sizes.size(), size, most->second == 1 ? "" : "s");
}

std::string DescribeCapacities(const Topology& topology) {
  std::map<std::int32_t, std::size_t> counts;
  for (const Cpu& cpu : topology.cpus) ++counts[cpu.capacity];
  std::vector<std::string> parts;
  for (const auto& [capacity, count] : counts) {
    parts.push_back(fmt::format("{} CPUs of {}", count, capacity));
  }
  return fmt::format("{} (1024: the fastest)", fmt::join(parts, ", "));
}

std::string RenderShape(const Topology& topology) {
  std::vector<std::pair<std::string, std::string>> rows = {
      {"CPUs", fmt::format("{}", topology.cpus.size())}};
  for (const Level& level : kLevels) {
    rows.emplace_back(level.name, DescribeLevel(topology, level));
  }
  rows.emplace_back("capacities", DescribeCapacities(topology));
  rows.emplace_back("tick", fmt::format("{} Hz", topology.tick_hz));
  rows.emplace_back("housekeeping",
                    topology.housekeeping_period_ns == 0
                        ? "never"
                        : fmt::format("every {} ns", topology.housekeeping_period_ns));
  std::string text;
  for (const auto& [name, value] : rows) text += fmt::format("  {:<18} {}\n", name, value);
  return text;
}

std::string RenderDistances(const Topology& topology) {
  std::string text = "\nnode distances\n";
  for (const auto& row : topology.node_distances) {
    text += fmt::format("  {:>3}\n", fmt::join(row, " "));
  }
  return text;
}

// What stands behind '#' on the line that sets `key`; empty where nothing does.
std::string_view RemarkOn(std::string_view key, std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(key) || line.substr(key.size(), 1) != " ") continue;
    const std::size_t remark = line.find("# ");
    return remark == std::string_view::npos ? std::string_view() : line.substr(remark + 2);
  }
  return {};
}

std::string RenderCosts(const CostTable& costs, std::string_view text) {
  TextTable table({{"cost"}, {"value", Alignment::kRight}, {"source"}});
  for (const CostField& field : kCostFields) {
    table.AddRow({std::string(field.name), fmt::format("{}", costs.*field.member),
                  std::string(RemarkOn(field.name, text))});
  }
  return "\n" + table.Render();
}

// The comment lines of the file: what the machine is, and what the sources' words mean.
std::string Remarks(std::string_view text) {
  std::string remarks;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.starts_with("# ")) remarks += fmt::format("{}\n", line.substr(2));
  }
  return remarks.empty() ? remarks : "\n" + remarks;
}

}  // namespace

std::string RenderTopology(const Topology& topology, std::string_view text) {
  return fmt::format("{}: {}\n\n", topology.name, topology.description) + RenderShape(topology) +
         RenderDistances(topology) + RenderCosts(topology.costs, text) + Remarks(text);
}

}  // namespace schedlab::client
