#include <cstddef>
#include <cstdint>
#include <string>

#include "core/catalog.h"
#include "core/check.h"
#include "core/suite.h"

namespace schedlab {
namespace {

// As whatever kind of file of a catalog it is read, it is valid or refused in words.
void ReadAs(const char* path, const std::string& text) {
  const CatalogFile file{.path = path, .text = text};
  const Result<Catalog> catalog = ParseCatalog({&file, 1});
  if (!catalog) {
    SCHEDLAB_CHECK(!catalog.error().message.empty());
    return;
  }
  for (const Topology& topology : catalog->topologies) {
    SCHEDLAB_CHECK(Validate(topology).has_value());
  }
}

}  // namespace
}  // namespace schedlab

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(bytes, bytes + size);
  for (const char* const path :
       {"topologies/a.toml", "workloads/a.toml", "policies/a.toml", "metrics.toml"}) {
    schedlab::ReadAs(path, text);
  }
  const auto suite = schedlab::ParseSuite(text, "suite.toml", [](const std::string& path) {
    return schedlab::Result<std::string>(path);
  });
  if (!suite) SCHEDLAB_CHECK(!suite.error().message.empty());
  return 0;
}
