#pragma once

#include <string>
#include <vector>

#include "core/campaign.h"

namespace schedlab::client {

// As the documents of client/json_output.h.
std::string BisectionDocument(const Campaign& bisection);
std::string BisectionListDocument(const std::vector<Campaign>& bisections);

}  // namespace schedlab::client
