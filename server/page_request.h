#pragma once

#include <cstdint>
#include <string>

#include "core/result.h"
#include "server/store/job_store.h"

namespace schedlab::server {

// The page that a request asks for: 0 is kDefaultPageSize, and more than kMaxPageSize is that.
// kInvalidArgument for a negative size.
Result<PageRequest> PageOf(std::int32_t page_size, const std::string& page_token);

}  // namespace schedlab::server
