#include "server/page_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/limits.h"

namespace schedlab::server {

Result<PageRequest> PageOf(std::int32_t page_size, const std::string& page_token) {
  if (page_size < 0) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("page_size must not be negative, is {}", page_size));
  }
  const std::int32_t size = page_size == 0 ? kDefaultPageSize : std::min(page_size, kMaxPageSize);
  return PageRequest{.size = size, .token = page_token};
}

}  // namespace schedlab::server
