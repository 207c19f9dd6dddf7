#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <vector>

namespace schedlab::sim {

using CpuNumber = std::int32_t;
inline constexpr CpuNumber kNoCpu = -1;

// A set of CPUs of one machine.
class CpuSet {
 public:
  CpuSet() = default;
  explicit CpuSet(std::int32_t cpu_count)
      : words_((static_cast<std::size_t>(cpu_count) + 63) / 64) {}

  static CpuSet Of(std::int32_t cpu_count, const std::vector<CpuNumber>& cpus) {
    CpuSet set(cpu_count);
    for (const CpuNumber cpu : cpus) set.Add(cpu);
    return set;
  }

  bool Contains(CpuNumber cpu) const { return ((words_[Word(cpu)] >> Bit(cpu)) & 1U) != 0; }
  void Add(CpuNumber cpu) { words_[Word(cpu)] |= std::uint64_t{1} << Bit(cpu); }
  void Remove(CpuNumber cpu) { words_[Word(cpu)] &= ~(std::uint64_t{1} << Bit(cpu)); }

  void Clear() { std::fill(words_.begin(), words_.end(), 0); }

  // The first member that is >= `from`, or kNoCpu.
  CpuNumber NextFrom(CpuNumber from) const {
    std::size_t word = Word(from);
    if (word >= words_.size()) return kNoCpu;
    std::uint64_t bits = words_[word] & (~std::uint64_t{0} << Bit(from));
    while (bits == 0) {
      if (++word == words_.size()) return kNoCpu;
      bits = words_[word];
    }
    return static_cast<CpuNumber>(word * 64) + std::countr_zero(bits);
  }
  CpuNumber First() const { return NextFrom(0); }

  std::int32_t Count() const {
    std::int32_t count = 0;
    for (const std::uint64_t word : words_) count += std::popcount(word);
    return count;
  }

  CpuSet And(const CpuSet& other) const {
    CpuSet both = *this;
    for (std::size_t i = 0; i < words_.size(); ++i) both.words_[i] &= other.words_[i];
    return both;
  }

  bool Intersects(const CpuSet& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }

  friend auto operator<=>(const CpuSet&, const CpuSet&) = default;

 private:
  static std::size_t Word(CpuNumber cpu) { return static_cast<std::size_t>(cpu) / 64; }
  static unsigned Bit(CpuNumber cpu) { return static_cast<unsigned>(cpu) % 64; }

  std::vector<std::uint64_t> words_;
};

// A set that a machine keeps for all tasks that have the same, see Machine::Intern(): a task of a
// large machine would be mostly sets. Two of one machine are equal if they are one.
class CpuSetRef {
 public:
  CpuSetRef() = default;
  explicit CpuSetRef(const CpuSet& kept) : set_(&kept) {}

  operator const CpuSet&() const { return *set_; }  // NOLINT(google-explicit-constructor)
  bool Contains(CpuNumber cpu) const { return set_->Contains(cpu); }
  CpuNumber NextFrom(CpuNumber from) const { return set_->NextFrom(from); }
  CpuNumber First() const { return set_->First(); }
  std::int32_t Count() const { return set_->Count(); }
  CpuSet And(const CpuSet& other) const { return set_->And(other); }

  friend bool operator==(const CpuSetRef&, const CpuSetRef&) = default;

 private:
  const CpuSet* set_ = nullptr;
};

}  // namespace schedlab::sim
