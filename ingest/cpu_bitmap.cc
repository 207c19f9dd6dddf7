#include "ingest/cpu_bitmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

namespace schedlab::ingest {
namespace {

constexpr std::int64_t kWordBits = 32;
constexpr std::size_t kMaxWords = (kMaxOsIndex + 1) / kWordBits;
constexpr std::size_t kShown = 40;

std::optional<std::uint32_t> ParseWord(std::string_view text) {
  if (text.empty()) return 0U;
  if (text.substr(0, 2) == "0x") text.remove_prefix(2);
  std::uint32_t word = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, word, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return word;
}

}  // namespace

Result<CpuBitmap> CpuBitmap::Parse(std::string_view text) {
  if (text.empty()) return Fail(ErrorCode::kInvalidArgument, "an empty set has no text");
  CpuBitmap bitmap;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::optional<std::uint32_t> word = ParseWord(rest.substr(0, comma));
    if (!word) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("'{}' is not a finite set of the form 0x0000000f,0x00000001",
                              text.substr(0, kShown)));
    }
    bitmap.words_.push_back(*word);
    if (bitmap.words_.size() > kMaxWords) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("holds numbers above {}", kMaxOsIndex));
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  std::reverse(bitmap.words_.begin(), bitmap.words_.end());
  return bitmap;
}

bool CpuBitmap::Contains(std::int64_t number) const {
  const auto word = static_cast<std::size_t>(number / kWordBits);
  return number >= 0 && word < words_.size() && ((words_[word] >> (number % kWordBits)) & 1U) != 0;
}

std::int64_t CpuBitmap::Count() const {
  std::int64_t count = 0;
  for (const std::uint32_t word : words_) count += std::popcount(word);
  return count;
}

}  // namespace schedlab::ingest
