#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace schedlab::stats {

// Where the last segment of the best division of a growing series may begin: the begins that are
// best for some level of that segment. All others are pruned for good, which keeps few of them
// however long the series (FPOP: Maidstone, Hocking, Rigaill and Fearnhead 2017).
//
// A begin is known by what it costs at a level, less what all begins have in common:
// `constant` + `slope` * level - `begin` * level^2.
class BeginsByLevel {
 public:
  struct Begin {
    std::size_t begin = 0;
    double constant = 0;
    double slope = 0;
  };

  // Requires: lowest < highest, which enclose all values of the series.
  BeginsByLevel(double lowest, double highest) : lowest_(lowest), highest_(highest) {}

  // Requires: later than all before it.
  void Add(const Begin& begin);

  // By the level that they are best at; one may come more than once.
  struct Piece {
    double low = 0;
    double high = 0;
    Begin begin;
  };
  std::span<const Piece> pieces() const { return pieces_; }

 private:
  void Append(double low, double high, const Begin& begin);

  double lowest_;
  double highest_;
  std::vector<Piece> pieces_;
  std::vector<Piece> former_;  // kept for its memory
};

}  // namespace schedlab::stats
