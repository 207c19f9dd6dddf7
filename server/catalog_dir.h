#pragma once

#include <string>

#include "core/catalog.h"
#include "core/result.h"

namespace schedlab::server {

// The catalog of the files below `folder`, or the one inside the binary where `folder` is empty.
// kNotFound: no such folder, or no catalog file in it.
Result<Catalog> LoadCatalog(const std::string& folder);

}  // namespace schedlab::server
