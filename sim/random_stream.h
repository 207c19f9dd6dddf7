#pragma once

#include <cstdint>
#include <string_view>

#include "core/check.h"
#include "sim/sim_time.h"

namespace schedlab::sim {

// One independent stream of random numbers per purpose, so that adding a draw for one purpose
// leaves every other stream, and so every older result, as it was. The standard distributions are
// not used: their algorithms differ between standard libraries.
class RandomStream {
 public:
  RandomStream(std::uint64_t run_seed, std::string_view purpose) : state_(run_seed) {
    for (const char c : purpose) state_ = Mix(state_ ^ static_cast<unsigned char>(c));
  }

  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15U;
    return Mix(state_);
  }

  // Uniform in [0, bound), without the bias of a plain remainder. Requires: bound > 0.
  std::int64_t Below(std::int64_t bound) {
    SCHEDLAB_CHECK(bound > 0);
    const auto range = static_cast<std::uint64_t>(bound);
    // Lemire (2019): the high half of a product; a draw is repeated only in the short overhang.
    Wide product = Wide{Next()} * range;
    if (static_cast<std::uint64_t>(product) < range) {
      const std::uint64_t overhang = (0 - range) % range;
      while (static_cast<std::uint64_t>(product) < overhang) product = Wide{Next()} * range;
    }
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(product >> 64U));
  }

  bool OneIn1000(std::int64_t permille) { return Below(1000) < permille; }

  // Uniform in mean +- spread_permille of it, whole nanoseconds.
  SimDuration Around(SimDuration mean, std::int64_t spread_permille) {
    const std::int64_t spread = mean.count() * spread_permille / 1000;
    return SimDuration(mean.count() - spread + Below(2 * spread + 1));
  }

 private:
  __extension__ using Wide = unsigned __int128;

  static std::uint64_t Mix(std::uint64_t z) {  // SplitMix64's output function
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

}  // namespace schedlab::sim
