#include "ingest/hwloc_xml_attributes.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace schedlab::ingest {
namespace {

constexpr std::size_t kShown = 40;
constexpr std::string_view kBlanks = " \t\r\n";

std::optional<std::int64_t> ParseNumber(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

Status RequireAttribute(pugi::xml_node element, const char* name) {
  if (element.attribute(name)) return {};
  return RefuseElement(element, fmt::format("has no attribute {}", name));
}

}  // namespace

tl::unexpected<Error> RefuseElement(pugi::xml_node element, std::string_view why) {
  const std::string_view type = element.attribute("type").value();
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("hwloc XML: {}{}{} at byte {} {}",
                  std::string_view(element.name()).substr(0, kShown), type.empty() ? "" : " ",
                  type.substr(0, kShown), element.offset_debug(), why));
}

Result<std::int64_t> IntegerAttribute(pugi::xml_node element, const char* name,
                                      std::int64_t minimum, std::int64_t maximum) {
  if (Status s = RequireAttribute(element, name); !s) return Fail(s.error());
  const std::string_view text = element.attribute(name).value();
  const std::optional<std::int64_t> number = ParseNumber(text);
  if (!number || *number < minimum || *number > maximum) {
    return RefuseElement(element, fmt::format("has {} '{}'; it must be a number from {} to {}",
                                              name, text.substr(0, kShown), minimum, maximum));
  }
  return *number;
}

Result<CpuBitmap> BitmapAttribute(pugi::xml_node element, const char* name) {
  if (Status s = RequireAttribute(element, name); !s) return Fail(s.error());
  Result<CpuBitmap> bitmap = CpuBitmap::Parse(element.attribute(name).value());
  if (bitmap) return bitmap;
  return RefuseElement(element, fmt::format("has {}: {}", name, bitmap.error().message));
}

Status AppendNumbers(pugi::xml_node element, std::size_t maximum_count,
                     std::vector<std::int64_t>& numbers) {
  const std::string_view text = element.text().get();
  std::size_t at = 0;
  while ((at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    const std::optional<std::int64_t> number = ParseNumber(text.substr(at, end - at));
    if (!number) {
      return RefuseElement(element, fmt::format("has '{}', which is not a whole number",
                                                text.substr(at, std::min(end - at, kShown))));
    }
    if (numbers.size() == maximum_count) {
      return RefuseElement(element, fmt::format("has more than {} numbers", maximum_count));
    }
    numbers.push_back(*number);
    at = end;
  }
  return {};
}

std::string_view InfoOf(pugi::xml_node element, std::string_view name) {
  for (const pugi::xml_node info : element.children("info")) {
    if (info.attribute("name").value() == name) return info.attribute("value").value();
  }
  return {};
}

}  // namespace schedlab::ingest
