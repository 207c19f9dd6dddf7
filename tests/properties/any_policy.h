#pragma once

#include <cstdint>

#include "core/policy_spec.h"

namespace schedlab::properties {

// A revision of a history of the catalog, a reference policy, or a mixture of switches of which no
// kernel ever had all.
PolicySpec AnyPolicy(std::uint64_t seed);

// Likewise, but without the catalog: what it is does not change as histories are corrected.
PolicySpec AnyMixture(std::uint64_t seed);

}  // namespace schedlab::properties
