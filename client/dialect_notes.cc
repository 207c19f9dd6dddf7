#include "client/dialect_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "client/number_format.h"
#include "client/terminal.h"

namespace schedlab::client {
namespace {

struct CountRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

void Widen(std::optional<CountRange>& range, const std::optional<ComparedSide>& side) {
  if (!side) return;
  const std::int64_t count = side->summary.count;
  if (!range) range = CountRange{count, count};
  range->low = std::min(range->low, count);
  range->high = std::max(range->high, count);
}

std::string CountText(const std::optional<CountRange>& range, const std::string& label) {
  if (!range) return fmt::format("none of {}", label);
  if (range->low == range->high) return fmt::format("{} of {}", range->low, label);
  return fmt::format("{} to {} of {}", range->low, range->high, label);
}

std::string NamesOf(const SeriesList& list, Direction direction) {
  std::set<std::string> names;
  for (const ComparedSeries* one : list) {
    if (one->series.role == MetricRole::kHeadline && one->series.direction == direction) {
      names.insert(one->series.key.metric);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string RunCountNote(const ComparisonSet& set, const SeriesList& list) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < set.baselines.size(); ++i) {
    std::optional<CountRange> range;
    for (const ComparedSeries* one : list) Widen(range, one->baselines[i]);
    parts.push_back(CountText(range, set.baselines[i].label));
  }
  for (std::size_t i = 0; i < set.candidates.size(); ++i) {
    std::optional<CountRange> range;
    for (const ComparedSeries* one : list) Widen(range, one->candidates[i]);
    parts.push_back(CountText(range, set.candidates[i].label));
  }
  return fmt::format("n: runs {}\n", fmt::join(parts, ", "));
}

std::string DirectionNote(const SeriesList& list) {
  const std::string higher = NamesOf(list, Direction::kHigherIsBetter);
  const std::string lower = NamesOf(list, Direction::kLowerIsBetter);
  if (higher.empty() && lower.empty()) return "";
  return EscapeControls(fmt::format("better: {}{}{}{}{}\n", higher.empty() ? "" : "higher for ",
                                    higher, higher.empty() || lower.empty() ? "" : "; ",
                                    lower.empty() ? "" : "lower for ", lower));
}

std::string ChangedNote(const ComparisonSet& set, const SeriesList& list) {
  std::string text;
  for (const ComparedSeries* one : list) {
    for (std::size_t candidate = 0; candidate < set.candidates.size(); ++candidate) {
      const std::optional<ComparedSide>& side = one->candidates[candidate];
      if (!side) continue;
      for (std::size_t baseline = 0; baseline < set.baselines.size(); ++baseline) {
        const std::optional<Judged>& judged = side->against[baseline];
        if (!judged ||
            (judged->verdict != Verdict::kWorse && judged->verdict != Verdict::kBetter)) {
          continue;
        }
        text += fmt::format("changed: {} is {}, {} against {}\n", MetricName(one->series),
                            ToString(judged->verdict), set.candidates[candidate].label,
                            set.baselines[baseline].label);
      }
    }
  }
  return EscapeControls(text.empty() ? "changed: no judged metric\n" : text);
}

std::vector<SeriesList> ScenariosOf(const SeriesList& list) {
  std::vector<SeriesList> scenarios;
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, std::size_t>
      places;
  for (const ComparedSeries* one : list) {
    const SeriesKey& key = one->series.key;
    const auto [place, is_new] = places.try_emplace(
        std::tuple(key.topology, key.workload, key.scenario_digest + key.engine_version, key.policy,
                   key.variant),
        scenarios.size());
    if (is_new) scenarios.emplace_back();
    scenarios[place->second].push_back(one);
  }
  return scenarios;
}

}  // namespace schedlab::client
