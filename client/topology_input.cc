#include "client/topology_input.h"

#include <fmt/format.h>

#include <filesystem>

#include "client/text_file.h"
#include "core/limits.h"
#include "core/topology_toml.h"
#include "ingest/hwloc_synthetic.h"
#include "ingest/hwloc_xml.h"

namespace schedlab::client {
namespace {

constexpr std::string_view kSyntheticPrefix = "synthetic:";
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

Result<std::string> NameOf(const TopologySource& source) {
  std::string name = source.name;
  if (name.empty() && source.path == "-") name = "imported";
  if (name.empty()) name = std::filesystem::path(source.path).stem().string();
  for (const char c : name) {
    if (c < ' ' || c > '~') {
      return Fail(ErrorCode::kInvalidArgument,
                  "a topology's name is of printable ASCII: use --name");
    }
  }
  if (!name.empty() && name.size() <= kMaxNameLength) return name;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("a topology's name has 1 to {} characters", kMaxNameLength));
}

bool IsXml(TopologyFormat format, std::string_view text) {
  switch (format) {
    case TopologyFormat::kAny:
      return !text.empty() && text.front() == '<';
    case TopologyFormat::kXml:
      return true;
    case TopologyFormat::kSynthetic:
      return false;
  }
  return false;
}

Result<ingest::ImportOptions> OptionsOf(const Catalog& catalog, const TopologySource& source) {
  const Result<std::string> name = NameOf(source);
  if (!name) return Fail(name.error());
  const Result<const Topology*> costs = catalog.FindTopology(source.costs_of);
  if (!costs) return Fail(costs.error());
  return ingest::ImportOptions{.name = *name, .costs = (*costs)->costs};
}

Result<ingest::ImportedTopology> ParseImported(const Catalog& catalog, const TopologySource& source,
                                               std::string_view text) {
  const Result<ingest::ImportOptions> options = OptionsOf(catalog, source);
  if (!options) return Fail(options.error());
  const std::string_view trimmed = Trimmed(text);
  if (IsXml(source.format, trimmed)) return ingest::TopologyFromHwlocXml(trimmed, *options);
  return ingest::TopologyFromHwlocSynthetic(trimmed, *options);
}

Result<Topology> OnlyTopology(Result<ingest::ImportedTopology> imported) {
  if (!imported) return Fail(imported.error());
  return std::move(imported->topology);
}

}  // namespace

Result<ingest::ImportedTopology> ImportTopology(const Catalog& catalog,
                                                const TopologySource& source) {
  const Result<std::string> text = ReadTextInput(source.path, ingest::kMaxHwlocXmlBytes);
  if (!text) return Fail(text.error());
  Result<ingest::ImportedTopology> imported = ParseImported(catalog, source, *text);
  if (imported) return imported;
  const std::string file = source.path == "-" ? "stdin" : source.path;
  return Fail(imported.error().code, fmt::format("{}: {}", file, imported.error().message));
}

Result<Topology> ResolveTopology(const Catalog& catalog, const std::string& text) {
  if (text.starts_with(kSyntheticPrefix)) {
    return OnlyTopology(ParseImported(
        catalog, {.path = "-", .format = TopologyFormat::kSynthetic, .name = "synthetic"},
        std::string_view(text).substr(kSyntheticPrefix.size())));
  }
  if (text.ends_with(".xml")) {
    return OnlyTopology(
        ImportTopology(catalog, {.path = text, .format = TopologyFormat::kXml, .name = ""}));
  }
  if (text.ends_with(".toml")) {
    const Result<std::string> file = ReadTextInput(text, ingest::kMaxHwlocXmlBytes);
    if (!file) return Fail(file.error());
    return TopologyFromToml(*file, text);
  }
  const Result<const Topology*> known = catalog.FindTopology(text);
  if (!known) return Fail(known.error());
  return **known;
}

}  // namespace schedlab::client
