#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "ingest/cpu_bitmap.h"

namespace schedlab::ingest {

// "object Core at byte 812 <why>".
tl::unexpected<Error> RefuseElement(pugi::xml_node element, std::string_view why);

// The attribute as a whole number from `minimum` to `maximum`; refused where it is absent.
Result<std::int64_t> IntegerAttribute(pugi::xml_node element, const char* name,
                                      std::int64_t minimum, std::int64_t maximum);

// The attribute as a set; refused where it is absent.
Result<CpuBitmap> BitmapAttribute(pugi::xml_node element, const char* name);

// Appends the whole numbers in the text of `element`, separated by white space. Refuses anything
// else, and more than `maximum_count` in all.
Status AppendNumbers(pugi::xml_node element, std::size_t maximum_count,
                     std::vector<std::int64_t>& numbers);

// The value of the <info> child of that name; empty where there is none.
std::string_view InfoOf(pugi::xml_node element, std::string_view name);

}  // namespace schedlab::ingest
