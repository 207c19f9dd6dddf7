#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace schedlab::server {

// The token of the page after the row whose key is `last`, good only for the same `listing` (what
// is listed, with its filter).
std::string EncodePageToken(std::string_view listing, std::int64_t last);

// The key in `token`, or `first` where the token is empty. kInvalidArgument: malformed, or of
// another listing.
Result<std::int64_t> DecodePageToken(std::string_view listing, std::string_view token,
                                     std::int64_t first);

// How many rows a page has: `asked` within 1 to kMaxPageSize, kDefaultPageSize where it is not
// positive.
std::int32_t PageSize(std::int32_t asked);

}  // namespace schedlab::server
