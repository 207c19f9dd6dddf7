#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/check.h"
#include "sim/sim_time.h"

namespace schedlab::sim {

// Names one timer of an EventQueue; its value counts from 0 in the order of AddTimer().
enum class TimerId : std::int32_t {};

// The future event list: a fixed set of timers, each armed for one instant or not at all. A winner
// tree over the timers makes re-arming and disarming as cheap as popping, and nothing is allocated
// after the last AddTimer().
class EventQueue {
 public:
  EventQueue();

  SimTime now() const { return now_; }

  TimerId AddTimer();

  // Arms `timer` for `at`, instead of any earlier arming. Timers of one instant fire in the order
  // in which they were armed. Requires: at >= now().
  void Arm(TimerId timer, SimTime at) {
    SCHEDLAB_CHECK(at >= now_);
    Replay(Leaf(timer), Key(at, next_sequence_++, timer));
  }

  void Disarm(TimerId timer) { Replay(Leaf(timer), kUnarmed); }

  bool IsArmed(TimerId timer) const { return nodes_[Leaf(timer)] != kUnarmed; }

  // When the earliest armed timer fires; kNever where none is armed.
  SimTime NextAt() const { return TimeOf(Front()); }

  // Advances the clock to the earliest armed timer. It counts as disarmed, although the tree
  // forgets it only with the next Settle(): most handlers re-arm their own timer, which saves one
  // walk. Requires: some timer is armed.
  TimerId Fire() {
    const WideKey front = Front();
    SCHEDLAB_CHECK(front != kUnarmed);
    now_ = TimeOf(front);
    const auto timer = static_cast<TimerId>(static_cast<std::uint64_t>(front) & kTimerMask);
    nodes_[Leaf(timer)] = kUnarmed;
    fired_leaf_ = Leaf(timer);
    return timer;
  }

  // To be called after the handler of a fired timer and before the next NextAt() or Fire().
  void Settle() {
    if (fired_leaf_ != 0) Replay(fired_leaf_, nodes_[fired_leaf_]);
  }

  // Advances the clock to `at` with no event. Requires: now() <= at <= NextAt().
  void AdvanceTo(SimTime at);

 private:
  // Time above, then sequence, then the timer's number, so that one comparison orders two timers.
  __extension__ using WideKey = unsigned __int128;
  static constexpr WideKey kUnarmed = ~WideKey{0};
  static constexpr unsigned kTimerBits = 20;
  static constexpr std::uint64_t kTimerMask = (1U << kTimerBits) - 1;

  static WideKey Key(SimTime at, std::uint64_t sequence, TimerId timer) {
    return (WideKey{static_cast<std::uint64_t>(Ns(at))} << 64U) |
           ((sequence << kTimerBits) | static_cast<std::uint64_t>(timer));
  }
  static SimTime TimeOf(WideKey key) {
    if (key == kUnarmed) return kNever;
    return SimTime(SimDuration(static_cast<std::int64_t>(static_cast<std::uint64_t>(key >> 64U))));
  }

  std::size_t Leaf(TimerId timer) const { return leaf_count_ + static_cast<std::size_t>(timer); }
  WideKey Front() const { return nodes_[1]; }

  void Replay(std::size_t leaf, WideKey key) {
    if (leaf == fired_leaf_) fired_leaf_ = 0;
    nodes_[leaf] = key;
    for (std::size_t at = leaf; at > 1; at /= 2) {
      const WideKey sibling = nodes_[at ^ 1U];
      key = sibling < key ? sibling : key;
      nodes_[at / 2] = key;
    }
  }

  void Grow();

  SimTime now_;
  std::uint64_t next_sequence_ = 0;
  std::size_t timer_count_ = 0;
  std::size_t leaf_count_ = 1;
  std::size_t fired_leaf_ = 0;  // 0: none; that node is not part of the tree
  std::vector<WideKey> nodes_;  // nodes_[1] is the root; the leaves are the second half
};

}  // namespace schedlab::sim
