#include "stats/bisection_batch.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace schedlab::stats {
namespace {

// Runs on which a level should rest before any search: the loss of a probe for lack of references
// is about 1 / (runs of the level), over the 20 to 40 probes of a search, and is least near their
// root.
constexpr double kFewestReferences = 6;
// A place whose side is as sure as this serves as a reference itself.
constexpr double kSure = 0.02;

struct Tally {
  std::vector<double> bad_chances;  // of each place to be after the step
  std::vector<double> counts;       // runs of each place
  double good_references = 0;
  double bad_references = 0;
  double most_at_unsure = 0;  // runs of the best measured place whose side is not sure
};

Tally Count(std::span<const double> posterior, std::span<const PlacedValue> values) {
  Tally tally;
  tally.counts.resize(posterior.size());
  for (const PlacedValue& value : values) tally.counts[value.place] += 1;
  double bad_chance = 0;
  for (std::size_t place = 0; place < posterior.size(); ++place) {
    bad_chance += posterior[place];
    tally.bad_chances.push_back(bad_chance);
    const double count = tally.counts[place];
    if (bad_chance <= kSure) {
      tally.good_references += count;
    } else if (bad_chance >= 1 - kSure) {
      tally.bad_references += count;
    } else {
      tally.most_at_unsure = std::max(tally.most_at_unsure, count);
    }
  }
  return tally;
}

// The inner place that is bad with about this chance; of equals the less measured, then the
// earlier.
std::size_t PlaceAt(const Tally& tally, double chance) {
  std::size_t best = 1;
  const auto distance = [&](std::size_t place) {
    return std::abs(tally.bad_chances[place] - chance);
  };
  for (std::size_t place = 2; place + 1 < tally.counts.size(); ++place) {
    const double gain = distance(best) - distance(place);
    const bool is_less_measured = tally.counts[place] < tally.counts[best];
    if (gain > 0 || (gain == 0 && is_less_measured)) best = place;
  }
  return best;
}

struct References {
  std::int64_t good = 0;
  std::int64_t bad = 0;
};

References WantedReferences(const Tally& tally, std::int64_t run_count) {
  const double wanted = std::max(kFewestReferences, tally.most_at_unsure + 1);
  const double good_lack = std::max(0.0, std::ceil(wanted - tally.good_references));
  const double bad_lack = std::max(0.0, std::ceil(wanted - tally.bad_references));
  if (run_count < 4) {
    const bool is_lacking = good_lack > 0 || bad_lack > 0;
    if (!is_lacking) return {};
    return good_lack >= bad_lack ? References{.good = 1} : References{.bad = 1};
  }
  const std::int64_t quarter = run_count / 4;
  const auto most = static_cast<double>(quarter);
  return {.good = static_cast<std::int64_t>(std::min(good_lack, most)),
          .bad = static_cast<std::int64_t>(std::min(bad_lack, most))};
}

}  // namespace

std::vector<std::size_t> AlternatingBatch(std::size_t one, std::size_t other,
                                          std::int64_t run_count) {
  std::vector<std::size_t> batch;
  for (std::int64_t i = 0; i < run_count; ++i) batch.push_back(i % 2 == 0 ? one : other);
  return batch;
}

std::vector<std::size_t> SearchBatch(std::span<const double> posterior,
                                     std::span<const PlacedValue> values, std::int64_t run_count) {
  SCHEDLAB_CHECK(posterior.size() >= 3 && run_count >= 1);
  const Tally tally = Count(posterior, values);
  const References references = WantedReferences(tally, run_count);
  const std::int64_t probe_count = run_count - references.good - references.bad;
  std::vector<std::size_t> batch;
  for (std::int64_t i = 0; i < references.good; ++i) batch.push_back(0);
  for (std::int64_t i = 0; i < probe_count; ++i) {
    // Somewhat nearer to the median than even quantiles: what the others of the batch will have
    // told is not known yet.
    const double chance = (static_cast<double>(i) + 1.5) / (static_cast<double>(probe_count) + 2);
    batch.push_back(PlaceAt(tally, chance));
  }
  for (std::int64_t i = 0; i < references.bad; ++i) batch.push_back(posterior.size() - 1);
  // Good references, probes and bad ones are dealt out in turn, so that a drift within the round
  // does not set them apart.
  std::vector<std::size_t> dealt;
  const std::size_t stride = std::max<std::size_t>(1, (batch.size() + 2) / 3);
  for (std::size_t offset = 0; offset < stride; ++offset) {
    for (std::size_t i = offset; i < batch.size(); i += stride) dealt.push_back(batch[i]);
  }
  return dealt;
}

std::vector<std::size_t> SurveyPlaces(std::size_t place_count) {
  constexpr std::size_t kMostPlaces = 7;
  const std::size_t inner = place_count - 2;
  const std::size_t count = std::min(inner, kMostPlaces);
  std::vector<std::size_t> places;
  for (std::size_t i = 1; i <= count; ++i) {
    places.push_back(i * (place_count - 1) / (count + 1));
  }
  if (inner <= kMostPlaces) {
    for (std::size_t i = 0; i < count; ++i) places[i] = i + 1;
  }
  return places;
}

}  // namespace schedlab::stats
