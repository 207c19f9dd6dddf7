#include <cstddef>
#include <cstdint>
#include <string>

#include "core/check.h"
#include "core/workload_trace.h"
#include "ingest/sched_trace.h"

// Whatever is imported is valid, and the same after a way through its text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(bytes, bytes + size);
  const auto trace = schedlab::ingest::ReadWorkloadTrace(text);
  if (!trace) return 0;
  SCHEDLAB_CHECK(schedlab::Validate(*trace).has_value());
  const auto decoded = schedlab::DecodeWorkloadTrace(schedlab::EncodeWorkloadTrace(*trace));
  SCHEDLAB_CHECK(decoded.has_value());
  SCHEDLAB_CHECK(*decoded == *trace);
  return 0;
}
