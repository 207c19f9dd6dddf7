#pragma once

#include <cstdint>

namespace schedlab::sim {

// A fingerprint of everything a run did, in order. Two runs that agree here agree in all. A word
// costs one multiplication: every event of a run passes through here.
class Digest {
 public:
  void Add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15U;
    value_ ^= value_ >> 29U;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace schedlab::sim
