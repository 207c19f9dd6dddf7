#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/catalog.h"

namespace schedlab {
namespace {

constexpr std::size_t kNamesListed = 10;

// Levenshtein distance, by rows.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string DidYouMean(std::string_view unknown, std::span<const std::string> known) {
  if (known.empty()) return "";
  const std::string* nearest = nullptr;
  // Two letters of four make another word.
  std::size_t best = std::max<std::size_t>(1, unknown.size() / 3) + 1;
  for (const std::string& name : known) {
    const std::size_t distance = EditDistance(unknown, name);
    if (distance < best) {
      best = distance;
      nearest = &name;
    }
  }
  if (nearest != nullptr) return fmt::format(" (did you mean '{}'?)", *nearest);
  const std::size_t listed = std::min(known.size(), kNamesListed);
  return fmt::format(
      "; known: {}{}",
      fmt::join(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(listed), ", "),
      listed < known.size() ? ", ..." : "");
}

}  // namespace schedlab
