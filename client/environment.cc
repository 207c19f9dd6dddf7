#include "client/environment.h"

#include <cstdlib>

namespace schedlab::client {

std::string EnvironmentVariable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread sets it
  return value == nullptr ? "" : value;
}

}  // namespace schedlab::client
