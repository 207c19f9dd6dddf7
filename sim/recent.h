#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace schedlab::sim {

// The last few different numbers, not negative, that something has turned to.
template <std::size_t kSize>
class Recent {
 public:
  Recent() { values_.fill(-1); }

  // Whether `value` was among them. It is the last one from now on.
  bool Touch(std::int32_t value) {
    const auto found = std::find(values_.begin(), values_.end(), value);
    const bool is_known = found != values_.end();
    const auto end = is_known ? found + 1 : values_.end();
    std::rotate(values_.begin(), end - 1, end);
    values_.front() = value;
    return is_known;
  }

 private:
  std::array<std::int32_t, kSize> values_;  // the last one first; -1 = none yet
};

}  // namespace schedlab::sim
