#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace schedlab::ingest {

// The largest number that a CPU or a node of a described system may have.
inline constexpr std::int32_t kMaxOsIndex = 65'535;

// A set of CPU or node numbers, as hwloc writes it.
class CpuBitmap {
 public:
  // "0x0000000f", or more words of 32 bits, the highest first: "0x00000001,,0x80000000" (an empty
  // word is 0). kInvalidArgument: anything else, an infinite set, or a number above kMaxOsIndex.
  static Result<CpuBitmap> Parse(std::string_view text);

  bool Contains(std::int64_t number) const;
  std::int64_t Count() const;

 private:
  std::vector<std::uint32_t> words_;  // lowest first
};

}  // namespace schedlab::ingest
