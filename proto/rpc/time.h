#pragma once

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <chrono>

#include "core/clock.h"
#include "core/result.h"

namespace schedlab::rpc {

// Instants and durations in whole microseconds; what is finer is cut off. Decode fails with
// kInvalidArgument outside of the years 1 to 9999, or of plus and minus 10 000 years.
google::protobuf::Timestamp Encode(WallTime time);
Result<WallTime> Decode(const google::protobuf::Timestamp& wire);
google::protobuf::Duration Encode(std::chrono::microseconds duration);
Result<std::chrono::microseconds> Decode(const google::protobuf::Duration& wire);

}  // namespace schedlab::rpc
