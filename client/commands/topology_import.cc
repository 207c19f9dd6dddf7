#include <fmt/format.h>
#include <fmt/ranges.h>

#include "client/commands/commands.h"
#include "client/json_output.h"
#include "client/topology_input.h"
#include "core/topology_toml.h"

namespace schedlab::client {
namespace {

// "0-3,8": numbers that ascend.
std::string Ranges(const std::vector<std::int32_t>& numbers) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    ranges.push_back(last == i ? fmt::format("{}", numbers[i])
                               : fmt::format("{}-{}", numbers[i], numbers[last]));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

std::vector<std::string> Remarks(const ingest::ImportedTopology& imported,
                                 const std::string& costs_of) {
  std::vector<std::string> remarks = imported.notes;
  if (imported.os_indexes.back() + 1 != std::ssize(imported.os_indexes)) {
    remarks.push_back(fmt::format("CPUs 0 to {} are these of the described system: {}",
                                  imported.os_indexes.size() - 1, Ranges(imported.os_indexes)));
  }
  remarks.push_back(
      fmt::format("costs are those of {} in the catalog: hwloc does not measure them", costs_of));
  return remarks;
}

}  // namespace

ExitCode RunTopologyImport(const GlobalOptions& global, const TopologyImportOptions& options) {
  const Result<Catalog> catalog = ParseCatalog(EmbeddedCatalogFiles());
  if (!catalog) return ReportError("cannot read the catalog", catalog.error());
  const Result<ingest::ImportedTopology> imported = ImportTopology(*catalog, options.source);
  if (!imported) return ReportError("cannot import the topology", imported.error());
  const std::vector<std::string> remarks = Remarks(*imported, options.source.costs_of);
  if (global.output == OutputFormat::kJson || options.is_json) {
    for (const std::string& remark : remarks) PrintDiagnostic("note: " + remark + "\n");
    Print(TopologiesDocument({imported->topology}));
    return ExitCode::kOk;
  }
  for (const std::string& remark : remarks) Print("# " + remark + "\n");
  Print(ToToml(imported->topology));
  return ExitCode::kOk;
}

}  // namespace schedlab::client
