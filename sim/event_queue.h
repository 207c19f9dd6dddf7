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
// tree over the timers whose inner nodes follow their leaves late, all at once when somebody asks
// who is first: most handlers arm the same few timers again and again. Nothing is allocated after
// the last AddTimer() but the list of stale leaves.
class EventQueue {
 public:
  EventQueue();

  SimTime now() const { return now_; }

  TimerId AddTimer();

  // Arms `timer` for `at`, instead of any earlier arming. Timers of one instant fire in the order
  // in which they were armed. Requires: at >= now().
  void Arm(TimerId timer, SimTime at) {
    SCHEDLAB_CHECK(at >= now_);
    SetLeaf(timer, Key(at, next_sequence_++, timer));
  }

  void Disarm(TimerId timer) {
    if (IsArmed(timer)) SetLeaf(timer, kUnarmed);
  }

  bool IsArmed(TimerId timer) const { return nodes_[Leaf(timer)] != kUnarmed; }

  // When the earliest armed timer fires; kNever where none is armed.
  SimTime NextAt() {
    Settle();
    return TimeOf(Front());
  }

  // Advances the clock to the earliest armed timer, which is disarmed. Requires: some timer is
  // armed.
  TimerId Fire() {
    Settle();
    const WideKey front = Front();
    SCHEDLAB_CHECK(front != kUnarmed);
    now_ = TimeOf(front);
    const auto timer = static_cast<TimerId>(static_cast<std::uint64_t>(front) & kTimerMask);
    fired_leaf_ = Leaf(timer);
    nodes_[fired_leaf_] = kUnarmed;
    return timer;
  }

  // Advances the clock to `at` with no event. Requires: now() <= at <= NextAt().
  void AdvanceTo(SimTime at);

 private:
  // Time above, then sequence, then the timer's number, so that one comparison orders two timers.
  __extension__ using WideKey = unsigned __int128;
  static constexpr WideKey kUnarmed = ~WideKey{0};
  static constexpr unsigned kTimerBits = 20;
  static constexpr int kLevelsToLook = 4;
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

  void SetLeaf(TimerId timer, WideKey key) {
    const std::size_t leaf = Leaf(timer);
    nodes_[leaf] = key;
    if (leaf == fired_leaf_ || leaf == last_stale_) return;
    last_stale_ = leaf;
    stale_leaves_.push_back(leaf);
  }

  void Settle() {
    if (fired_leaf_ != 0) {
      Climb(fired_leaf_, nodes_[fired_leaf_]);
      fired_leaf_ = 0;
    }
    if (last_stale_ == 0) return;
    for (const std::size_t leaf : stale_leaves_) Replay(leaf);
    stale_leaves_.clear();
    last_stale_ = 0;
  }

  // Sets every node above `at`, which is to hold `key`. The node that fired was first everywhere.
  void Climb(std::size_t at, WideKey key) {
    for (; at > 1; at /= 2) {
      const WideKey sibling = nodes_[at ^ 1U];
      key = sibling < key ? sibling : key;
      nodes_[at / 2] = key;
    }
  }

  // A timer of the far future is first among few others: everything above a node that stays as it
  // was is right already, or is above another stale leaf. Past the first levels looking for such a
  // node costs more than it saves.
  void Replay(std::size_t leaf) {
    WideKey key = nodes_[leaf];
    std::size_t at = leaf;
    for (int level = 0; level < kLevelsToLook && at > 1; ++level, at /= 2) {
      const WideKey sibling = nodes_[at ^ 1U];
      key = sibling < key ? sibling : key;
      if (nodes_[at / 2] == key) return;
      nodes_[at / 2] = key;
    }
    Climb(at, key);
  }

  void Grow();

  SimTime now_;
  std::uint64_t next_sequence_ = 0;
  std::size_t timer_count_ = 0;
  std::size_t leaf_count_ = 1;
  std::vector<WideKey> nodes_;  // nodes_[1] is the root; the leaves are the second half
  // Leaves that the nodes above do not know yet; 0: none. `last_stale_` is on the list, too.
  std::size_t fired_leaf_ = 0;
  std::size_t last_stale_ = 0;
  std::vector<std::size_t> stale_leaves_;
};

}  // namespace schedlab::sim
