#include "measure/sys_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>

#include "core/limits.h"

namespace schedlab::measure {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> FirstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<std::int32_t> NumberIn(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<std::int32_t> ReadNumber(const fs::path& path) {
  const std::optional<std::string> line = FirstLine(path);
  if (!line) return Fail(ErrorCode::kNotFound, fmt::format("cannot read {}", path.string()));
  const std::optional<std::int32_t> value = NumberIn(*line);
  if (value) return *value;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} holds '{}', not a number", path.string(), *line));
}

// "0-3,8" in full.
std::optional<std::vector<std::int32_t>> ListIn(const std::string& text) {
  std::vector<std::int32_t> numbers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dash = part.find('-');
    const auto first = NumberIn(std::string_view(part).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : NumberIn(std::string_view(part).substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last - *first >= kMaxCpus) {
      return std::nullopt;
    }
    for (std::int32_t i = *first; i <= *last; ++i) numbers.push_back(i);
  }
  return numbers;
}

Result<std::vector<std::int32_t>> ReadList(const fs::path& path) {
  const std::optional<std::string> line = FirstLine(path);
  if (!line) return Fail(ErrorCode::kNotFound, fmt::format("cannot read {}", path.string()));
  const auto numbers = ListIn(*line);
  if (numbers && !numbers->empty()) return *numbers;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} holds '{}', not a list of numbers", path.string(), *line));
}

// What one CPU says of itself, in the kernel's numbers.
struct Said {
  std::int32_t os_index = 0;
  std::int32_t node = 0;
  std::int32_t package = 0;
  std::int32_t llc = 0;      // the first CPU that shares it
  std::int32_t cluster = 0;  // likewise
  std::int32_t core = 0;     // likewise
  std::int32_t capacity = 1024;
};

// The first CPU that shares the highest level of cache; the CPU itself where none is told.
Result<std::int32_t> ReadLlc(const fs::path& cpu, std::int32_t os_index) {
  std::int32_t llc = os_index;
  std::int32_t highest = 0;
  for (std::int32_t i = 0; fs::exists(cpu / fmt::format("cache/index{}", i)); ++i) {
    const fs::path cache = cpu / fmt::format("cache/index{}", i);
    const Result<std::int32_t> level = ReadNumber(cache / "level");
    if (!level) return level;
    const auto sharing = ReadList(cache / "shared_cpu_list");
    if (!sharing) return Fail(sharing.error());
    if (*level <= highest) continue;
    highest = *level;
    llc = sharing->front();
  }
  return llc;
}

std::int32_t FirstOf(const fs::path& path, std::int32_t otherwise) {
  const auto list = ReadList(path);
  return list ? list->front() : otherwise;
}

Result<Said> ReadCpu(const fs::path& root, std::int32_t os_index) {
  const fs::path cpu = root / fmt::format("devices/system/cpu/cpu{}", os_index);
  Said said{.os_index = os_index};
  const Result<std::int32_t> package = ReadNumber(cpu / "topology/physical_package_id");
  if (!package) return Fail(package.error());
  said.package = *package;
  const auto core = ReadList(cpu / "topology/thread_siblings_list");
  if (!core) return Fail(core.error());
  said.core = core->front();
  said.cluster = FirstOf(cpu / "topology/cluster_cpus_list", said.core);
  const Result<std::int32_t> llc = ReadLlc(cpu, os_index);
  if (!llc) return Fail(llc.error());
  said.llc = *llc;
  const Result<std::int32_t> capacity = ReadNumber(cpu / "cpu_capacity");
  if (capacity) said.capacity = *capacity;
  return said;
}

struct Nodes {
  std::vector<std::int32_t> numbers;
  std::map<std::int32_t, std::int32_t> of_cpu;  // index into `numbers`
  std::vector<std::vector<std::int32_t>> distances;
};

Result<Nodes> ReadNodes(const fs::path& root) {
  const fs::path folder = root / "devices/system/node";
  const auto online = ReadList(folder / "online");
  if (!online) return Nodes{.numbers = {0}, .of_cpu = {}, .distances = {{10}}};
  Nodes nodes;
  for (const std::int32_t number : *online) {
    const fs::path node = folder / fmt::format("node{}", number);
    const auto cpus = ReadList(node / "cpulist");
    if (!cpus) continue;  // memory without a CPU
    for (const std::int32_t cpu : *cpus) {
      nodes.of_cpu[cpu] = static_cast<std::int32_t>(nodes.numbers.size());
    }
    nodes.numbers.push_back(number);
  }
  for (const std::int32_t number : nodes.numbers) {
    const fs::path path = folder / fmt::format("node{}/distance", number);
    std::istringstream words(FirstLine(path).value_or(""));
    const std::vector<std::int32_t> all{std::istream_iterator<std::int32_t>(words), {}};
    std::vector<std::int32_t> row;
    for (std::size_t i = 0; i < online->size() && i < all.size(); ++i) {
      if (std::count(nodes.numbers.begin(), nodes.numbers.end(), (*online)[i]) > 0) {
        row.push_back(all[i]);
      }
    }
    if (row.size() != nodes.numbers.size()) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{} has not one distance for each node", path.string()));
    }
    nodes.distances.push_back(row);
  }
  return nodes;
}

// Numbers keys from 0 in the order in which they are met.
template <class Key>
class Numbering {
 public:
  std::int32_t Of(const Key& key) {
    return numbers_.emplace(key, static_cast<std::int32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<Key, std::int32_t> numbers_;
};

// The nesting of levels is enforced: whatever differs on the outside differs inside.
std::vector<Cpu> NumberCpus(const std::vector<Said>& said, const Nodes& nodes) {
  Numbering<std::tuple<std::int32_t, std::int32_t>> packages;
  Numbering<std::tuple<std::int32_t, std::int32_t>> llcs;
  Numbering<std::tuple<std::int32_t, std::int32_t>> clusters;
  Numbering<std::tuple<std::int32_t, std::int32_t>> cores;
  std::map<std::int32_t, std::int32_t> thread_counts;
  std::vector<Cpu> cpus;
  for (const Said& one : said) {
    Cpu cpu;
    const auto node = nodes.of_cpu.find(one.os_index);
    cpu.node = node == nodes.of_cpu.end() ? 0 : node->second;
    cpu.package = packages.Of({0, one.package});
    cpu.llc = llcs.Of({cpu.package * kMaxCpus + cpu.node, one.llc});
    cpu.core = cores.Of({cpu.llc, one.core});
    cpu.cluster = clusters.Of({cpu.llc, one.cluster});
    cpu.thread = thread_counts[cpu.core]++;
    cpu.capacity = one.capacity;
    cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace

Result<SysTopology> ReadSysTopology(const std::filesystem::path& root) {
  const auto online = ReadList(root / "devices/system/cpu/online");
  if (!online) return Fail(online.error());
  const Result<Nodes> nodes = ReadNodes(root);
  if (!nodes) return Fail(nodes.error());
  std::vector<Said> said;
  for (const std::int32_t os_index : *online) {
    const Result<Said> cpu = ReadCpu(root, os_index);
    if (!cpu) return Fail(cpu.error());
    said.push_back(*cpu);
  }
  return SysTopology{
      .cpus = NumberCpus(said, *nodes), .node_distances = nodes->distances, .os_indexes = *online};
}

}  // namespace schedlab::measure
