#pragma once

#include <string>

namespace schedlab::client {

// The value of an environment variable of this process; empty where it is not set.
std::string EnvironmentVariable(const char* name);

}  // namespace schedlab::client
