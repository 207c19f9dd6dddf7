#include "core/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "core/limits.h"

namespace schedlab {
namespace {

constexpr std::array<std::string_view, 5> kLevels = {"numa", "package", "l3", "core", "pu"};
using Counts = std::array<std::int32_t, kLevels.size()>;

std::optional<std::size_t> LevelIndex(std::string_view word) {
  const auto* found = std::find(kLevels.begin(), kLevels.end(), word);
  if (found == kLevels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kLevels.begin());
}

Status ParseLevel(std::string_view item, std::size_t& next_level, Counts& counts) {
  const std::size_t colon = item.find(':');
  const std::string_view word = item.substr(0, colon);
  const std::optional<std::size_t> level = LevelIndex(word);
  if (!level) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("shape: unknown word '{}'; the words are numa, package, l3, core and pu",
                    word));
  }
  if (*level < next_level) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("shape: '{}' must stand once, and outer levels before inner ones", word));
  }
  const std::string_view digits =
      colon == std::string_view::npos ? std::string_view() : item.substr(colon + 1);
  std::int32_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc() || end != digits.data() + digits.size() || count < 1 ||
      count > kMaxCpus) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("shape: '{}' must be a word, a colon and a count from 1 to {}", item,
                            kMaxCpus));
  }
  counts[*level] = count;
  next_level = *level + 1;
  return {};
}

Cpu CpuAt(std::int64_t number, const Counts& counts) {
  const auto index = [number](std::int64_t cpus_below) {
    return static_cast<std::int32_t>(number / cpus_below);
  };
  const std::int64_t per_core = counts[4];
  const std::int64_t per_llc = per_core * counts[3];
  const std::int64_t per_package = per_llc * counts[2];
  const std::int64_t per_node = per_package * counts[1];
  return Cpu{.node = index(per_node),
             .package = index(per_package),
             .llc = index(per_llc),
             .core = index(per_core),
             .thread = static_cast<std::int32_t>(number % per_core)};
}

// Every index from 0 to the largest must occur, and an inner one must lie in a single outer one.
Status CheckLevel(const Topology& topology, std::string_view level, std::int32_t Cpu::*inner,
                  std::int32_t Cpu::*outer) {
  std::map<std::int32_t, std::int32_t> parent;
  for (const Cpu& cpu : topology.cpus) {
    const auto [it, is_new] = parent.emplace(cpu.*inner, cpu.*outer);
    if (!is_new && it->second != cpu.*outer) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("topology '{}': {} {} lies in two of the level above", topology.name,
                              level, it->first));
    }
  }
  if (parent.begin()->first != 0 ||
      parent.rbegin()->first != static_cast<std::int32_t>(parent.size()) - 1) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("topology '{}': {} numbers must run from 0 without gaps", topology.name,
                            level));
  }
  return {};
}

Status CheckDistances(const Topology& topology) {
  std::set<std::int32_t> nodes;
  for (const Cpu& cpu : topology.cpus) nodes.insert(cpu.node);
  const std::size_t size = nodes.size();
  bool is_square = topology.node_distances.size() == size;
  for (const auto& row : topology.node_distances) is_square = is_square && row.size() == size;
  if (!is_square) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("topology '{}': node_distances must be {} rows of {} numbers",
                            topology.name, size, size));
  }
  for (const auto& row : topology.node_distances) {
    for (const std::int32_t distance : row) {
      if (distance < 10 || distance > 255) {
        return Fail(ErrorCode::kInvalidArgument,
                    fmt::format("topology '{}': node distance {} is outside of 10 to 255",
                                topology.name, distance));
      }
    }
  }
  return {};
}

Status CheckNumbers(const Topology& topology) {
  for (const CostField& field : kCostFields) {
    const std::int64_t value = topology.costs.*field.member;
    if (value < 0 || value > 1'000'000'000) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("topology '{}': cost {} = {} is outside of 0 to 1000000000",
                              topology.name, field.name, value));
    }
  }
  if (topology.tick_hz < 1 || topology.tick_hz > 10'000) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("topology '{}': tick_hz = {} is outside of 1 to 10000", topology.name,
                            topology.tick_hz));
  }
  if (topology.housekeeping_period_ns < 0) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("topology '{}': housekeeping_period_ns = {} is negative", topology.name,
                            topology.housekeeping_period_ns));
  }
  return {};
}

}  // namespace

Result<std::vector<Cpu>> CpusFromShape(std::string_view shape) {
  Counts counts = {1, 1, 1, 1, 1};
  std::size_t next_level = 0;
  std::size_t at = 0;
  while ((at = shape.find_first_not_of(' ', at)) != std::string_view::npos) {
    const std::size_t end = std::min(shape.find(' ', at), shape.size());
    if (const Status parsed = ParseLevel(shape.substr(at, end - at), next_level, counts); !parsed) {
      return Fail(parsed.error());
    }
    at = end;
  }
  std::int64_t cpu_count = 1;
  for (const std::int32_t count : counts) {
    cpu_count *= count;
    if (cpu_count > kMaxCpus) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("shape: '{}' has more than {} CPUs", shape, kMaxCpus));
    }
  }
  std::vector<Cpu> cpus;
  for (std::int64_t number = 0; number < cpu_count; ++number) cpus.push_back(CpuAt(number, counts));
  return cpus;
}

Status Validate(const Topology& topology) {
  if (topology.cpus.empty() || topology.cpus.size() > static_cast<std::size_t>(kMaxCpus)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("topology '{}': has {} CPUs; it must have from 1 to {}", topology.name,
                            topology.cpus.size(), kMaxCpus));
  }
  if (Status s = CheckLevel(topology, "node", &Cpu::node, &Cpu::node); !s) return s;
  if (Status s = CheckLevel(topology, "package", &Cpu::package, &Cpu::node); !s) return s;
  if (Status s = CheckLevel(topology, "llc", &Cpu::llc, &Cpu::package); !s) return s;
  if (Status s = CheckLevel(topology, "core", &Cpu::core, &Cpu::llc); !s) return s;
  if (Status s = CheckDistances(topology); !s) return s;
  return CheckNumbers(topology);
}

}  // namespace schedlab
