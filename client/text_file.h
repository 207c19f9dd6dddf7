#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/result.h"

namespace schedlab::client {

// What this program writes for itself is far below this.
inline constexpr std::size_t kMaxTextFileBytes = 16'777'216;

// The whole text of a regular file or of a pipe. kNotFound: there is none; kInvalidArgument: it is
// something else, cannot be read, or has more than `byte_limit` bytes, of which no more are read.
Result<std::string> ReadTextFile(const std::string& path,
                                 std::size_t byte_limit = kMaxTextFileBytes);

// The same, of stdin where `path` is "-".
Result<std::string> ReadTextInput(const std::string& path, std::size_t byte_limit);

// The same of an open file of any kind, up to its end. `name` stands in errors.
Result<std::string> ReadOpenFile(int descriptor, std::string_view name, std::size_t byte_limit);

}  // namespace schedlab::client
