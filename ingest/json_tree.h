#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace schedlab::ingest {

// No format read here nests deeper; a tree is walked and freed recursively.
inline constexpr std::size_t kMaxJsonDepth = 16;

// A JSON value whose objects keep the order of their members, and members of one name apart.
struct JsonTree {
  enum class Kind : std::uint8_t { kNull, kBoolean, kInteger, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text{};
  std::vector<JsonTree> items{};
  std::vector<std::pair<std::string, JsonTree>> members{};
};

// Reads what people write as JSON by hand: also with comments (/* */ and //), with a comma after
// the last member, and with a member that is only a name, which is null. kInvalidArgument names
// the line.
Result<JsonTree> ParseJsonTree(std::string_view text);

}  // namespace schedlab::ingest
