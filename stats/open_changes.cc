#include "stats/open_changes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <tuple>

namespace schedlab::stats {
namespace {

bool Overlap(const ChangePoint& a, const ChangePoint& b) {
  return a.interval.first <= b.interval.last && b.interval.first <= a.interval.last;
}

bool SameDirection(const ChangePoint& a, const ChangePoint& b) {
  return (a.relative_change < 0) == (b.relative_change < 0);
}

class Following {
 public:
  Following(std::span<const OpenChange> open, std::span<const ChangePoint> found)
      : open_(open.begin(), open.end()), found_(found), is_taken_(found.size(), false) {
    for (OpenChange& change : open_) change.is_supported = false;
  }

  std::vector<OpenChange> Run() {
    Pair([](const ChangePoint& a, const ChangePoint& b) { return Overlap(a, b); });
    // Where one change was and one is, it is the same one, which more points have placed anew.
    Pair([this](const ChangePoint& a, const ChangePoint& b) {
      return SameDirection(a, b) && NoneFoundBetween(a.index, b.index);
    });
    OpenNew();
    std::stable_sort(open_.begin(), open_.end(), [](const OpenChange& a, const OpenChange& b) {
      return a.latest.index < b.latest.index;
    });
    return std::move(open_);
  }

 private:
  struct Match {
    std::int64_t distance = 0;
    std::size_t open = 0;
    std::size_t found = 0;

    auto AsTuple() const { return std::tuple(distance, open, found); }
  };

  // Nearest first, each at most once.
  template <class Predicate>
  void Pair(Predicate may_match) {
    std::vector<Match> matches;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (open_[i].is_supported) continue;
      for (std::size_t j = 0; j < found_.size(); ++j) {
        if (is_taken_[j] || !may_match(open_[i].latest, found_[j])) continue;
        matches.push_back(
            {.distance = std::abs(open_[i].latest.index - found_[j].index), .open = i, .found = j});
      }
    }
    std::sort(matches.begin(), matches.end(),
              [](const Match& a, const Match& b) { return a.AsTuple() < b.AsTuple(); });
    for (const Match& match : matches) {
      if (open_[match.open].is_supported || is_taken_[match.found]) continue;
      open_[match.open] = {.latest = found_[match.found], .is_supported = true};
      is_taken_[match.found] = true;
    }
  }

  bool NoneFoundBetween(std::int64_t a, std::int64_t b) const {
    const auto [low, high] = std::minmax(a, b);
    return std::none_of(
        open_.begin(), open_.end(), [low = low, high = high](const OpenChange& change) {
          return change.is_supported && change.latest.index > low && change.latest.index < high;
        });
  }

  void OpenNew() {
    for (std::size_t j = 0; j < found_.size(); ++j) {
      const bool is_known =
          is_taken_[j] || std::any_of(open_.begin(), open_.end(), [&](const OpenChange& change) {
            return Overlap(change.latest, found_[j]);
          });
      if (!is_known) open_.push_back({.latest = found_[j], .is_supported = true});
    }
  }

  std::vector<OpenChange> open_;
  std::span<const ChangePoint> found_;
  std::vector<bool> is_taken_;
};

}  // namespace

std::vector<OpenChange> FollowChangePoints(std::span<const OpenChange> open,
                                           std::span<const ChangePoint> found) {
  return Following(open, found).Run();
}

}  // namespace schedlab::stats
