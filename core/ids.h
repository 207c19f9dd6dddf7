#pragma once

#include <compare>
#include <cstdint>

namespace schedlab {

// A database key that cannot be mistaken for another entity's key.
template <class Tag>
struct Id {
  std::int64_t value = 0;
  friend auto operator<=>(const Id&, const Id&) = default;
};

using JobId = Id<struct JobTag>;
using RunId = Id<struct RunTag>;
using SeriesId = Id<struct SeriesTag>;
using AlertId = Id<struct AlertTag>;
using CampaignId = Id<struct CampaignTag>;

}  // namespace schedlab
