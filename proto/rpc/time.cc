#include "proto/rpc/time.h"

#include <fmt/format.h>

namespace schedlab::rpc {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// The bounds that google/protobuf/timestamp.proto and duration.proto state.
constexpr std::int64_t kFirstSecond = -62'135'596'800;
constexpr std::int64_t kLastSecond = 253'402'300'799;
constexpr std::int64_t kMaxDurationSeconds = 315'576'000'000;
constexpr std::int32_t kMaxNanos = 999'999'999;

}  // namespace

google::protobuf::Timestamp Encode(WallTime time) {
  const auto whole = std::chrono::floor<seconds>(time);
  google::protobuf::Timestamp wire;
  wire.set_seconds(whole.time_since_epoch().count());
  wire.set_nanos(static_cast<std::int32_t>(nanoseconds(time - whole).count()));
  return wire;
}

Result<WallTime> Decode(const google::protobuf::Timestamp& wire) {
  const bool is_valid = wire.seconds() >= kFirstSecond && wire.seconds() <= kLastSecond &&
                        wire.nanos() >= 0 && wire.nanos() <= kMaxNanos;
  if (!is_valid) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("must be a time in the years 1 to 9999, is {} s and {} ns",
                            wire.seconds(), wire.nanos()));
  }
  return WallTime(seconds(wire.seconds()) + duration_cast<microseconds>(nanoseconds(wire.nanos())));
}

google::protobuf::Duration Encode(microseconds duration) {
  const auto whole = duration_cast<seconds>(duration);
  google::protobuf::Duration wire;
  wire.set_seconds(whole.count());
  wire.set_nanos(static_cast<std::int32_t>(nanoseconds(duration - whole).count()));
  return wire;
}

Result<microseconds> Decode(const google::protobuf::Duration& wire) {
  const bool has_one_sign =
      (wire.seconds() >= 0 || wire.nanos() <= 0) && (wire.seconds() <= 0 || wire.nanos() >= 0);
  const bool is_valid = wire.seconds() >= -kMaxDurationSeconds &&
                        wire.seconds() <= kMaxDurationSeconds && wire.nanos() >= -kMaxNanos &&
                        wire.nanos() <= kMaxNanos && has_one_sign;
  if (!is_valid) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("must be a duration of at most 10000 years, is {} s and {} ns",
                            wire.seconds(), wire.nanos()));
  }
  return seconds(wire.seconds()) + duration_cast<microseconds>(nanoseconds(wire.nanos()));
}

}  // namespace schedlab::rpc
