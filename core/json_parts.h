#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/series.h"

namespace schedlab {

// What the files of core that write JSON share.

using Json = nlohmann::json;  // objects keep their keys in order

// Looked up in a JSON object, so that an unknown word is an error of the JSON library like any
// other.
template <class Enum, std::size_t kCount>
Enum WordIn(const Json& json, const std::array<Enum, kCount>& values) {
  Json known = Json::object();
  for (std::size_t i = 0; i < kCount; ++i) known[std::string(ToString(values[i]))] = i;
  return values[known.at(json.get<std::string>()).template get<std::size_t>()];
}

inline Json OrNull(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

inline std::optional<double> OptionalFrom(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<double>();
}

inline Json RevisionJson(const RevisionRef& revision) {
  return {{"id", revision.id},
          {"ordinal", revision.ordinal},
          {"subject", revision.subject},
          {"date", revision.date}};
}

inline RevisionRef RevisionFrom(const Json& json) {
  return {.id = json.at("id"),
          .ordinal = json.at("ordinal"),
          .subject = json.at("subject"),
          .date = json.at("date")};
}

// Bytes that are not UTF-8 cannot be JSON; they are kept apart from one another all the same.
inline std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace schedlab
