#include <cstddef>
#include <cstdint>
#include <string>

#include "ingest/hwloc_xml.h"
#include "tests/fuzz/expect_importable.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(bytes, bytes + size);
  schedlab::fuzz::ExpectImportable(schedlab::ingest::TopologyFromHwlocXml(text, {.name = "fuzz"}));
  return 0;
}
