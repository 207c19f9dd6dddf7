#include "ingest/synthetic_indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "ingest/cpu_bitmap.h"

namespace schedlab::ingest {
namespace {

constexpr std::size_t kShown = 40;

// The object at position j of its level gets the digit (j / step) % count.
struct Loop {
  std::int64_t step = 1;
  std::int64_t count = 1;
};

tl::unexpected<Error> Refuse(std::string_view indexes, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("hwloc synthetic string: indexes={} {}", indexes.substr(0, kShown), why));
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<std::int64_t> ParseNumber(std::string_view text, std::int64_t minimum) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < minimum || number > kMaxOsIndex) {
    return std::nullopt;
  }
  return number;
}

Result<std::vector<std::int32_t>> ReadList(std::string_view indexes, std::int64_t total) {
  std::vector<std::int32_t> numbers;
  for (const std::string_view part : Split(indexes, ',')) {
    const std::optional<std::int64_t> number = ParseNumber(part, 0);
    if (!number) return Refuse(indexes, fmt::format("has '{}'", part.substr(0, kShown)));
    numbers.push_back(static_cast<std::int32_t>(*number));
  }
  if (std::ssize(numbers) != total) {
    return Refuse(indexes, fmt::format("has {} numbers for {} objects", numbers.size(), total));
  }
  return numbers;
}

Result<std::vector<Loop>> ReadStepLoops(std::string_view indexes) {
  std::vector<Loop> loops;
  for (const std::string_view part : Split(indexes, ':')) {
    const std::size_t star = part.find('*');
    const std::optional<std::int64_t> step = ParseNumber(part.substr(0, star), 1);
    const std::optional<std::int64_t> count =
        star == std::string_view::npos ? std::nullopt : ParseNumber(part.substr(star + 1), 1);
    if (!step || !count) {
      return Refuse(indexes, fmt::format("has '{}', which is no step*number", part));
    }
    loops.push_back({*step, *count});
  }
  return loops;
}

// Objects of level `depth` in the machine; depth 0 is the machine.
std::int64_t WidthAt(const std::vector<SyntheticLevel>& levels, std::size_t depth) {
  std::int64_t width = 1;
  for (std::size_t i = 0; i < depth; ++i) width *= levels[i].count;
  return width;
}

Result<std::size_t> DepthOf(std::string_view indexes, std::string_view word,
                            const std::vector<SyntheticLevel>& levels) {
  const Result<SyntheticType> type = ParseSyntheticType(word);
  for (std::size_t i = 0; type && i + 1 < levels.size(); ++i) {
    if (levels[i].type == *type) return i + 1;
  }
  return Refuse(indexes, fmt::format("has '{}', which is no level above", word.substr(0, kShown)));
}

// A level counts in the nearest outer level that is listed too.
Result<std::vector<Loop>> ReadLevelLoops(std::string_view indexes,
                                         const std::vector<SyntheticLevel>& levels) {
  std::set<std::size_t> depths = {0};
  std::vector<std::size_t> order;
  for (const std::string_view part : Split(indexes, ':')) {
    const Result<std::size_t> depth = DepthOf(indexes, part, levels);
    if (!depth) return Fail(depth.error());
    if (!depths.insert(*depth).second) return Refuse(indexes, "names a level twice");
    order.push_back(*depth);
  }
  const std::int64_t total = WidthAt(levels, levels.size());
  std::vector<Loop> loops;
  for (const std::size_t depth : order) {
    const std::size_t outer = *std::prev(depths.find(depth));
    loops.push_back(
        {total / WidthAt(levels, depth), WidthAt(levels, depth) / WidthAt(levels, outer)});
  }
  return loops;
}

// The loop over neighbours may be left out.
Status CompleteLoops(std::string_view indexes, std::int64_t total, std::vector<Loop>& loops) {
  std::int64_t covered = 1;
  std::int64_t smallest_step = total;
  for (const Loop& loop : loops) {
    covered *= loop.count;
    smallest_step = std::min(smallest_step, loop.step);
    if (covered > total) break;
  }
  if (covered == total) return {};
  if (covered < total && total % covered == 0 && smallest_step == total / covered) {
    loops.push_back({1, total / covered});
    return {};
  }
  return Refuse(indexes, fmt::format("covers {} of {} objects", covered, total));
}

std::vector<std::int32_t> NumbersOf(const std::vector<Loop>& loops, std::int64_t total) {
  std::vector<std::int32_t> numbers;
  for (std::int64_t position = 0; position < total; ++position) {
    std::int64_t number = 0;
    std::int64_t weight = 1;
    for (const Loop& loop : loops) {
      number += position / loop.step % loop.count * weight;
      weight *= loop.count;
    }
    numbers.push_back(static_cast<std::int32_t>(number));
  }
  return numbers;
}

}  // namespace

Result<std::vector<std::int32_t>> ExpandIndexes(std::string_view indexes,
                                                const std::vector<SyntheticLevel>& levels) {
  const std::int64_t total = WidthAt(levels, levels.size());
  Result<std::vector<std::int32_t>> numbers;
  if (indexes.find_first_not_of("0123456789,") == std::string_view::npos) {
    numbers = ReadList(indexes, total);
  } else {
    const bool has_steps = indexes.find('*') != std::string_view::npos;
    Result<std::vector<Loop>> loops =
        has_steps ? ReadStepLoops(indexes) : ReadLevelLoops(indexes, levels);
    if (!loops) return Fail(loops.error());
    if (Status s = CompleteLoops(indexes, total, *loops); !s) return Fail(s.error());
    numbers = NumbersOf(*loops, total);
  }
  if (!numbers) return numbers;
  if (std::set<std::int32_t>(numbers->begin(), numbers->end()).size() != numbers->size()) {
    return Refuse(indexes, "gives two objects one number");
  }
  return numbers;
}

}  // namespace schedlab::ingest
