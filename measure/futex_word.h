#pragma once

#include <atomic>
#include <cstdint>

namespace schedlab::measure {

// A word that threads of this process sleep on until it changes.
class FutexWord {
 public:
  std::uint32_t Load() const { return word_.load(std::memory_order_acquire); }
  void Store(std::uint32_t value) { word_.store(value, std::memory_order_release); }
  // Returns at the latest when somebody wakes the word; at once where it is not `expected`.
  void WaitWhile(std::uint32_t expected);
  // Wakes one sleeper; returns how many there were to wake, 0 or 1.
  std::int64_t WakeOne();

 private:
  std::atomic<std::uint32_t> word_{0};
};

}  // namespace schedlab::measure
