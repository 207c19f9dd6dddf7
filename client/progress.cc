#include "client/progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace schedlab::client {
namespace {

constexpr std::int64_t kBarWidth = 30;

std::string DescribeCounts(const RunCounts& counts, std::int64_t done) {
  std::string text = fmt::format("{}/{} runs", done, counts.total());
  if (counts.failed > 0) text += fmt::format(", {} failed", counts.failed);
  if (counts.cancelled > 0) text += fmt::format(", {} cancelled", counts.cancelled);
  return text;
}

}  // namespace

std::string Progress::Update(const RunCounts& counts) {
  const std::int64_t total = std::max<std::int64_t>(counts.total(), 1);
  const std::int64_t done = counts.succeeded + counts.failed;
  if (has_bar_) {
    is_bar_drawn_ = true;
    const auto filled = static_cast<std::size_t>(done * kBarWidth / total);
    return fmt::format("\r      [{:<{}}] {}\x1b[K", std::string(filled, '='), kBarWidth,
                       DescribeCounts(counts, done));
  }
  const std::int64_t tenth = done * 10 / total;
  if (tenth <= last_tenth_) return "";
  last_tenth_ = tenth;
  return fmt::format("      {:3} %  {}\n", tenth * 10, DescribeCounts(counts, done));
}

std::string Progress::Finish() { return is_bar_drawn_ ? "\n" : ""; }

}  // namespace schedlab::client
