#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "ingest/synthetic_levels.h"

namespace schedlab::ingest {

// The numbers that the objects of a level have, in the order of the tree, by its attribute
// `indexes`: all of them ("0,2,1,3"), loops of a step and a number ("2*4:1*2"), or levels above it
// whose objects are counted first ("core:numa"). `levels` are those above it, and the level itself
// last, each counted in its own parent. kInvalidArgument where two objects would have one number.
Result<std::vector<std::int32_t>> ExpandIndexes(std::string_view indexes,
                                                const std::vector<SyntheticLevel>& levels);

}  // namespace schedlab::ingest
