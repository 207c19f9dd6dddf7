#pragma once

#include <string>

#include "core/expansion.h"
#include "core/job.h"

namespace schedlab::server {

// What a repeated request must repeat: the spec and all that its names stand for. Another catalog
// or engine may make another job of the same spec.
std::string ContentDigest(const JobSpec& spec, const ExpandedJob& job);

}  // namespace schedlab::server
