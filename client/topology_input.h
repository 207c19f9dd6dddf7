#pragma once

#include <string>
#include <string_view>

#include "core/catalog.h"
#include "ingest/imported_topology.h"

namespace schedlab::client {

// Whose costs an imported machine gets: hwloc says nothing of costs, and machines that are imported
// are of today.
inline constexpr std::string_view kDefaultCostsTopology = "epyc-2s";

enum class TopologyFormat { kAny, kXml, kSynthetic };

struct TopologySource {
  std::string path;  // "-" = stdin
  TopologyFormat format = TopologyFormat::kAny;
  std::string name = {};  // empty = from the path
  std::string costs_of = std::string(kDefaultCostsTopology);
};

// The machine in a file of hwloc XML or of one synthetic string; kAny = XML where the text begins
// with
// '<'. Costs are those of the catalog's topology `costs_of`.
Result<ingest::ImportedTopology> ImportTopology(const Catalog& catalog,
                                                const TopologySource& source);

// What --topology names: "synthetic:STRING" of hwloc, a file ending in .toml (as in the catalog) or
// in .xml (of hwloc), or else a topology of the catalog.
Result<Topology> ResolveTopology(const Catalog& catalog, const std::string& text);

}  // namespace schedlab::client
