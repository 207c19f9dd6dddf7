#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace schedlab::sim {

// How the fields of one event lie in a record of trace.dat.
struct DatEventFormat {
  std::uint16_t id = 0;
  std::string_view text;  // the event's `format` file
};

inline constexpr std::uint16_t kDatMigrateId = 371;
inline constexpr std::uint16_t kDatSwitchId = 372;
inline constexpr std::uint16_t kDatWakeupNewId = 373;
inline constexpr std::uint16_t kDatWakingId = 375;

extern const std::array<DatEventFormat, 4> kDatEventFormats;
extern const std::string_view kDatPageFormat;   // header_page
extern const std::string_view kDatEventHeader;  // header_event

}  // namespace schedlab::sim
