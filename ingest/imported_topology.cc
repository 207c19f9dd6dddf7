#include "ingest/imported_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace schedlab::ingest {
namespace {

// What Linux takes the distance of two nodes for where firmware says nothing.
constexpr std::int32_t kUnknownDistance = 20;
constexpr std::int32_t kOwnDistance = 10;

// Numbers the distinct keys that it is given, in the order of their first appearance.
template <class Key>
class Numbering {
 public:
  std::int32_t Of(const Key& key) {
    return numbers_.emplace(key, static_cast<std::int32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<Key, std::int32_t> numbers_;
};

using NestedKey = std::pair<std::int32_t, std::int64_t>;  // number of the outer object, own id

std::vector<std::int64_t> NodeIds(const DescribedMachine& machine) {
  std::set<std::int64_t> ids;
  for (const DescribedCpu& cpu : machine.cpus) ids.insert(cpu.node);
  return {ids.begin(), ids.end()};
}

std::vector<Cpu> NumberCpus(const std::vector<DescribedCpu>& described,
                            const std::vector<std::int64_t>& node_ids) {
  Numbering<std::int64_t> packages;
  Numbering<std::array<std::int64_t, 3>> llcs;
  Numbering<NestedKey> clusters;
  Numbering<NestedKey> cores;
  std::map<std::int32_t, std::int32_t> threads;
  std::vector<Cpu> cpus;
  for (const DescribedCpu& one : described) {
    Cpu cpu;
    cpu.node = static_cast<std::int32_t>(
        std::lower_bound(node_ids.begin(), node_ids.end(), one.node) - node_ids.begin());
    const std::int64_t package = one.package != 0 ? one.package : -1 - one.node;
    cpu.package = packages.Of(package);
    cpu.llc = llcs.Of({one.node, package, one.llc});
    cpu.cluster = clusters.Of({cpu.llc, one.cluster});
    cpu.core = cores.Of({cpu.cluster, one.core});
    cpu.thread = threads[cpu.core]++;
    cpu.capacity = one.capacity;
    cpus.push_back(cpu);
  }
  return cpus;
}

std::int64_t DistanceOf(const DescribedMachine& machine, std::int64_t from, std::int64_t to) {
  const auto found = machine.distances.find({from, to});
  if (found != machine.distances.end()) return found->second;
  return from == to ? kOwnDistance : kUnknownDistance;
}

void SetDistances(const DescribedMachine& machine, const std::vector<std::int64_t>& node_ids,
                  ImportedTopology& imported) {
  bool is_symmetric = true;
  for (const std::int64_t from : node_ids) {
    std::vector<std::int32_t>& row = imported.topology.node_distances.emplace_back();
    for (const std::int64_t to : node_ids) {
      const std::int64_t there = DistanceOf(machine, from, to);
      const std::int64_t back = DistanceOf(machine, to, from);
      is_symmetric = is_symmetric && there == back;
      // Validate() refuses what is clamped here.
      row.push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>(
          std::max(there, back), 0, std::numeric_limits<std::int32_t>::max())));
    }
  }
  if (!is_symmetric) {
    imported.notes.emplace_back("distances differ by direction: the larger one counts");
  }
  if (machine.distances.empty() && node_ids.size() > 1) {
    imported.notes.push_back(
        fmt::format("no node distances are given: every two nodes are {} apart", kUnknownDistance));
  }
}

// Capacities relative to the largest, which is 1024.
void ScaleCapacities(std::vector<Cpu>& cpus) {
  std::int64_t largest = 1;
  for (const Cpu& cpu : cpus) largest = std::max<std::int64_t>(largest, cpu.capacity);
  for (Cpu& cpu : cpus) {
    cpu.capacity = static_cast<std::int32_t>(
        std::max<std::int64_t>(1, std::int64_t{cpu.capacity} * 1024 / largest));
  }
}

}  // namespace

Result<ImportedTopology> Assemble(DescribedMachine machine, const ImportOptions& options) {
  std::sort(machine.cpus.begin(), machine.cpus.end(),
            [](const DescribedCpu& a, const DescribedCpu& b) { return a.os_index < b.os_index; });
  ImportedTopology imported;
  imported.notes = std::move(machine.notes);
  imported.topology.name = options.name;
  imported.topology.description = machine.description;
  imported.topology.costs = options.costs;
  const std::vector<std::int64_t> node_ids = NodeIds(machine);
  imported.topology.cpus = NumberCpus(machine.cpus, node_ids);
  ScaleCapacities(imported.topology.cpus);
  SetDistances(machine, node_ids, imported);
  for (const DescribedCpu& cpu : machine.cpus) imported.os_indexes.push_back(cpu.os_index);
  if (const Status valid = Validate(imported.topology); !valid) return Fail(valid.error());
  return imported;
}

}  // namespace schedlab::ingest
