#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/topology.h"

namespace schedlab::ingest {

// What a description of hardware does not say.
struct ImportOptions {
  std::string name;
  CostTable costs = {};
};

// A machine that another tool described.
struct ImportedTopology {
  Topology topology;
  // By CPU number: the number that the described system gave it. CPUs are numbered in the order of
  // these, without their gaps.
  std::vector<std::int32_t> os_indexes;
  // What was left out or assumed, a clause each.
  std::vector<std::string> notes;
};

// One CPU as a description has it. Ids tell objects of a level apart and mean nothing else, but for
// `node`, in whose order nodes are numbered.
struct DescribedCpu {
  std::int32_t os_index = 0;
  std::int64_t node = 0;
  std::int64_t package = 0;  // 0 = none is described: each node is one
  std::int64_t llc = 0;
  std::int64_t cluster = 0;
  std::int64_t core = 0;
  std::int32_t capacity = 1024;
};

struct DescribedMachine {
  std::string description;
  std::vector<DescribedCpu> cpus;
  // By the ids of two nodes; empty where the description has none.
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> distances;
  std::vector<std::string> notes;
};

// Numbers what `machine` has from 0 without gaps. An object that reaches across objects of an outer
// level counts once in each, since a kernel too cuts a cache where a node ends. Where no distances
// are given, every two nodes are 20 apart. Fails with kInvalidArgument where no valid topology
// comes out.
Result<ImportedTopology> Assemble(DescribedMachine machine, const ImportOptions& options);

}  // namespace schedlab::ingest
