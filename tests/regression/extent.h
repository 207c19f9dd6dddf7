#pragma once

#include <cstdint>

namespace schedlab::sim {

// How much of a published regression is run: the size of the runs and the seeds, which are 1 to
// `seed_count`. The long form has the sizes of the tables in docs/fidelity.md.
struct Extent {
  bool is_long = false;
  std::uint64_t seed_count = 2;
};

// Of this process; set once, before the first test.
Extent& ThisExtent();

// One of two sizes.
inline std::int64_t Sized(std::int64_t quick, std::int64_t of_the_tables) {
  return ThisExtent().is_long ? of_the_tables : quick;
}

}  // namespace schedlab::sim
