#include "server/store/page_token.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/limits.h"
#include "core/spec_json.h"

namespace schedlab::server {

std::string EncodePageToken(std::string_view listing, std::int64_t last) {
  return fmt::format("{}-{}", last, Sha256Hex(fmt::format("{}\n{}", listing, last)).substr(0, 16));
}

Result<std::int64_t> DecodePageToken(std::string_view listing, std::string_view token,
                                     std::int64_t first) {
  if (token.empty()) return first;
  std::int64_t last = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), last);
  if (error != std::errc() || EncodePageToken(listing, last) != token) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("page token '{}' does not belong to this listing", token));
  }
  return last;
}

std::int32_t PageSize(std::int32_t asked) {
  return asked <= 0 ? kDefaultPageSize : std::min(asked, kMaxPageSize);
}

}  // namespace schedlab::server
