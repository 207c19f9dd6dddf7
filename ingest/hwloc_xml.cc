#include "ingest/hwloc_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/limits.h"
#include "ingest/hwloc_xml_attributes.h"

namespace schedlab::ingest {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxNodeObjects = 1'024;
constexpr std::size_t kMaxDescription = 100;
constexpr std::int64_t kMaxCapacity = 65'535;
constexpr std::int64_t kLatencyKind = 4;  // a bit of distances2's `kind`

// The ids of the objects around a place in the tree; 0 where there is none.
struct Place {
  std::int64_t package = 0;
  std::int64_t l3 = 0;
  std::int64_t l2 = 0;
  std::int64_t cluster = 0;
  std::int64_t core = 0;
};

struct NodeObject {
  std::int64_t os_index = 0;
  std::int64_t gp_index = 0;
  CpuBitmap cpus;
  std::int64_t cpu_count = 0;
};

class TreeReader {
 public:
  // Reads `object` and what lies in it.
  Status Read(pugi::xml_node object, Place place, int depth) {
    if (depth > kMaxDepth) {
      return RefuseElement(object, fmt::format("lies deeper than {} objects", kMaxDepth));
    }
    const std::string_view type = object.attribute("type").value();
    if (type == "Bridge" || type == "PCIDev" || type == "OSDev" || type == "Misc") return {};
    if (type == "PU") return ReadCpu(object, place);
    if (type == "NUMANode") return ReadNode(object);
    if (Status s = Enter(object, type, place); !s) return s;
    for (const pugi::xml_node child : object.children("object")) {
      if (Status s = Read(child, place, depth + 1); !s) return s;
    }
    return {};
  }

  std::vector<DescribedCpu> TakeCpus() { return std::move(cpus_); }
  const std::vector<NodeObject>& nodes() const { return nodes_; }
  std::int64_t offline_count() const { return offline_count_; }

 private:
  // Caches inside of a core belong to it and say nothing.
  Status Enter(pugi::xml_node object, std::string_view type, Place& place) {
    if (type == "Package") {
      place.package = ++last_id_;
    } else if (type == "Core") {
      place.core = ++last_id_;
    } else if (type == "L3Cache") {
      if (place.core == 0) place.l3 = ++last_id_;
    } else if (type == "L2Cache") {
      if (place.core == 0) place.l2 = ++last_id_;
    } else if (type == "Group") {
      const std::string_view subtype = object.attribute("subtype").value();
      if (subtype == "Cluster" && place.core == 0) place.cluster = ++last_id_;
    } else if (type != "Machine" && type != "Die" && type != "MemCache" && type != "L1Cache" &&
               type != "L4Cache" && type != "L5Cache" && type != "L1iCache" && type != "L2iCache" &&
               type != "L3iCache") {
      return RefuseElement(object, "is of no type that hwloc 2 has");
    }
    return {};
  }

  Status ReadCpu(pugi::xml_node object, const Place& place) {
    const Result<std::int64_t> index = IntegerAttribute(object, "os_index", 0, kMaxOsIndex);
    if (!index) return Fail(index.error());
    const Result<CpuBitmap> set = BitmapAttribute(object, "cpuset");
    if (!set) return Fail(set.error());
    // Of CPUs that are offline too: a wrong index must not pass for one.
    if (!os_indexes_.insert(*index).second) {
      return RefuseElement(object, fmt::format("has os_index {}, which another one has", *index));
    }
    if (!set->Contains(*index)) {
      if (set->Count() > 0) {
        return RefuseElement(object,
                             fmt::format("has os_index {}, which is not in its cpuset", *index));
      }
      ++offline_count_;
      return {};
    }
    if (cpus_.size() == static_cast<std::size_t>(kMaxCpus)) {
      return RefuseElement(object, fmt::format("is one CPU more than {}", kMaxCpus));
    }
    const std::int64_t core = place.core != 0 ? place.core : ++last_id_;
    std::int64_t llc = core;
    if (place.l2 != 0) llc = place.l2;
    if (place.l3 != 0) llc = place.l3;
    std::int64_t cluster = core;
    if (place.l2 != 0 && place.l3 != 0) cluster = place.l2;
    if (place.cluster != 0) cluster = place.cluster;
    cpus_.push_back({.os_index = static_cast<std::int32_t>(*index),
                     .package = place.package,
                     .llc = llc,
                     .cluster = cluster,
                     .core = core});
    return {};
  }

  Status ReadNode(pugi::xml_node object) {
    const Result<std::int64_t> index = IntegerAttribute(object, "os_index", 0, kMaxOsIndex);
    if (!index) return Fail(index.error());
    Result<CpuBitmap> set = BitmapAttribute(object, "cpuset");
    if (!set) return Fail(set.error());
    for (const NodeObject& other : nodes_) {
      if (other.os_index != *index) continue;
      return RefuseElement(object, fmt::format("has os_index {}, which another one has", *index));
    }
    if (nodes_.size() == kMaxNodeObjects) {
      return RefuseElement(object, fmt::format("is one node more than {}", kMaxNodeObjects));
    }
    const std::int64_t cpu_count = set->Count();
    nodes_.push_back({.os_index = *index,
                      .gp_index = object.attribute("gp_index").as_llong(-1),
                      .cpus = std::move(*set),
                      .cpu_count = cpu_count});
    return {};
  }

  std::vector<DescribedCpu> cpus_;
  std::set<std::int64_t> os_indexes_;
  std::vector<NodeObject> nodes_;
  std::int64_t offline_count_ = 0;
  std::int64_t last_id_ = 0;
};

// hwloc 1 has no version there and other types of objects.
Status CheckVersion(pugi::xml_node topology) {
  if (!topology) {
    return Fail(ErrorCode::kInvalidArgument, "hwloc XML: has no element topology at its top");
  }
  const std::string_view version = topology.attribute("version").value();
  if (version.substr(0, 2) == "2." || version.substr(0, 2) == "3.") return {};
  return RefuseElement(topology, version.empty()
                                     ? "has no version: it is of hwloc 1; export it with hwloc 2"
                                     : fmt::format("has version '{}'; it must be 2 or 3",
                                                   version.substr(0, kMaxDescription)));
}

// Only CPUs that the system of the export allowed its processes.
Status DropDisallowed(pugi::xml_node machine, DescribedMachine& described,
                      std::int64_t offline_count) {
  const std::size_t all = described.cpus.size();
  if (machine.attribute("allowed_cpuset")) {
    const Result<CpuBitmap> allowed = BitmapAttribute(machine, "allowed_cpuset");
    if (!allowed) return Fail(allowed.error());
    std::erase_if(described.cpus,
                  [&](const DescribedCpu& cpu) { return !allowed->Contains(cpu.os_index); });
  }
  const auto left_out = static_cast<std::int64_t>(all - described.cpus.size()) + offline_count;
  if (described.cpus.empty()) return RefuseElement(machine, "has no PU that may be used");
  if (left_out > 0) {
    described.notes.push_back(
        fmt::format("left out: {} CPUs that are offline or not allowed", left_out));
  }
  return {};
}

Status PlaceInNodes(pugi::xml_node machine, std::vector<NodeObject> nodes,
                    DescribedMachine& described) {
  if (nodes.empty()) return {};
  std::sort(nodes.begin(), nodes.end(), [](const NodeObject& a, const NodeObject& b) {
    return std::pair(a.cpu_count, a.os_index) < std::pair(b.cpu_count, b.os_index);
  });
  std::set<std::int64_t> used;
  for (DescribedCpu& cpu : described.cpus) {
    const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const NodeObject& one) {
      return one.cpus.Contains(cpu.os_index);
    });
    if (node == nodes.end()) {
      return RefuseElement(machine,
                           fmt::format("has PU {} in none of its NUMANode objects", cpu.os_index));
    }
    cpu.node = node->os_index;
    used.insert(cpu.node);
  }
  if (used.size() < nodes.size()) {
    described.notes.push_back(fmt::format("left out: {} NUMA nodes that are no CPU's nearest",
                                          nodes.size() - used.size()));
  }
  return {};
}

// The os_index of each node of a matrix, in its order.
Result<std::vector<std::int64_t>> MatrixNodes(pugi::xml_node matrix,
                                              const std::vector<NodeObject>& nodes) {
  std::vector<std::int64_t> indexes;
  for (const pugi::xml_node part : matrix.children("indexes")) {
    if (Status s = AppendNumbers(part, kMaxNodeObjects, indexes); !s) return Fail(s.error());
  }
  const Result<std::int64_t> count = IntegerAttribute(matrix, "nbobjs", 1, kMaxNodeObjects);
  if (!count) return Fail(count.error());
  if (std::ssize(indexes) != *count) {
    return RefuseElement(matrix,
                         fmt::format("has {} indexes for {} objects", indexes.size(), *count));
  }
  if (matrix.attribute("indexing").value() == std::string_view("os")) return indexes;
  for (std::int64_t& index : indexes) {
    const auto node = std::find_if(nodes.begin(), nodes.end(),
                                   [&](const NodeObject& one) { return one.gp_index == index; });
    if (node == nodes.end()) {
      return RefuseElement(matrix, fmt::format("has index {}, which no NUMANode has", index));
    }
    index = node->os_index;
  }
  return indexes;
}

Status ReadMatrix(pugi::xml_node matrix, const std::vector<NodeObject>& nodes,
                  DescribedMachine& described) {
  const Result<std::vector<std::int64_t>> indexes = MatrixNodes(matrix, nodes);
  if (!indexes) return Fail(indexes.error());
  const std::size_t size = indexes->size();
  std::vector<std::int64_t> values;
  for (const pugi::xml_node part : matrix.children("u64values")) {
    if (Status s = AppendNumbers(part, size * size, values); !s) return s;
  }
  if (values.size() != size * size) {
    return RefuseElement(matrix, fmt::format("has {} values for {} objects", values.size(), size));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    described.distances[{(*indexes)[i / size], (*indexes)[i % size]}] = values[i];
  }
  return {};
}

Status ReadDistances(pugi::xml_node topology, const std::vector<NodeObject>& nodes,
                     DescribedMachine& described) {
  for (const pugi::xml_node matrix : topology.children("distances2")) {
    if (matrix.attribute("type").value() != std::string_view("NUMANode")) continue;
    const Result<std::int64_t> kind = IntegerAttribute(matrix, "kind", 0, 0xffff);
    if (!kind) return Fail(kind.error());
    if ((*kind & kLatencyKind) != 0) return ReadMatrix(matrix, nodes, described);
  }
  return {};
}

Status ReadCapacities(pugi::xml_node topology, DescribedMachine& described) {
  bool has_unknown = false;
  for (const pugi::xml_node kind : topology.children("cpukind")) {
    const Result<CpuBitmap> set = BitmapAttribute(kind, "cpuset");
    if (!set) return Fail(set.error());
    for (const pugi::xml_node info : kind.children("info")) {
      if (info.attribute("name").value() != std::string_view("LinuxCapacity")) continue;
      const Result<std::int64_t> capacity = IntegerAttribute(info, "value", 1, kMaxCapacity);
      if (!capacity) return Fail(capacity.error());
      for (DescribedCpu& cpu : described.cpus) {
        if (set->Contains(cpu.os_index)) cpu.capacity = static_cast<std::int32_t>(*capacity);
      }
    }
    has_unknown = has_unknown || InfoOf(kind, "LinuxCapacity").empty();
  }
  if (has_unknown) {
    described.notes.emplace_back("kinds of CPUs without a LinuxCapacity count as full CPUs");
  }
  return {};
}

// What the export says of the model, if that is plain text.
std::string Describe(pugi::xml_node machine, std::size_t cpu_count) {
  std::string_view model;
  for (const pugi::xml_node child : machine.children("object")) {
    if (model.empty()) model = InfoOf(child, "CPUModel");
  }
  if (model.empty()) model = InfoOf(machine, "CPUModel");
  const bool is_plain =
      std::all_of(model.begin(), model.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (model.empty() || !is_plain) return fmt::format("{} CPUs, imported from hwloc", cpu_count);
  return fmt::format("{} CPUs of {}, imported from hwloc", cpu_count,
                     model.substr(0, kMaxDescription));
}

Result<DescribedMachine> ReadMachine(pugi::xml_node topology) {
  const pugi::xml_node machine = topology.child("object");
  if (!machine) return RefuseElement(topology, "has no object");
  TreeReader tree;
  if (Status s = tree.Read(machine, {}, 1); !s) return Fail(s.error());
  DescribedMachine described;
  described.cpus = tree.TakeCpus();
  if (Status s = DropDisallowed(machine, described, tree.offline_count()); !s) {
    return Fail(s.error());
  }
  described.description = Describe(machine, described.cpus.size());
  if (Status s = PlaceInNodes(machine, tree.nodes(), described); !s) return Fail(s.error());
  if (Status s = ReadDistances(topology, tree.nodes(), described); !s) return Fail(s.error());
  if (Status s = ReadCapacities(topology, described); !s) return Fail(s.error());
  return described;
}

}  // namespace

Result<ImportedTopology> TopologyFromHwlocXml(std::string_view text, const ImportOptions& options) {
  if (text.size() > kMaxHwlocXmlBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("hwloc XML: has {} bytes; at most {} are read", text.size(),
                            kMaxHwlocXmlBytes));
  }
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("hwloc XML: not XML at byte {}: {}",
                                                         parsed.offset, parsed.description()));
  }
  const pugi::xml_node topology = document.child("topology");
  if (Status s = CheckVersion(topology); !s) return Fail(s.error());
  Result<DescribedMachine> machine = ReadMachine(topology);
  if (!machine) return Fail(machine.error());
  return Assemble(std::move(*machine), options);
}

}  // namespace schedlab::ingest
