#include "proto/rpc/field_reader.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <cmath>

#include "core/limits.h"

namespace schedlab::rpc {

Error UnknownEnumValue(const google::protobuf::EnumDescriptor& descriptor, int value) {
  std::string names;
  for (int i = 0; i < descriptor.value_count(); ++i) {
    if (descriptor.value(i)->number() == 0) continue;
    names += (names.empty() ? "" : ", ") + descriptor.value(i)->name();
  }
  return {ErrorCode::kInvalidArgument, fmt::format("must be one of {}, is {}", names, value)};
}

std::string FieldReader::Name(std::string_view field, const std::string& value) {
  return BoundedString(field, value, 1, kMaxNameLength);
}

std::string FieldReader::OptionalName(std::string_view field, const std::string& value) {
  return BoundedString(field, value, 0, kMaxNameLength);
}

std::string FieldReader::Text(std::string_view field, const std::string& value) {
  return BoundedString(field, value, 0, kMaxTextLength);
}

std::string FieldReader::Document(std::string_view field, const std::string& value) {
  return BoundedString(field, value, 0, kMaxDocumentBytes);
}

double FieldReader::Finite(std::string_view field, double value) {
  if (!std::isfinite(value)) Refuse(field, "must be a finite number");
  return value;
}

std::int64_t FieldReader::Number(std::string_view field, std::int64_t value, std::int64_t minimum,
                                 std::int64_t maximum) {
  if (value >= minimum && value <= maximum) return value;
  if (maximum == INT64_MAX) {
    Refuse(field, fmt::format("must be at least {}, is {}", minimum, value));
  } else {
    Refuse(field, fmt::format("must be from {} to {}, is {}", minimum, maximum, value));
  }
  return minimum;
}

std::int32_t FieldReader::Number32(std::string_view field, std::int32_t value, std::int32_t minimum,
                                   std::int32_t maximum) {
  return static_cast<std::int32_t>(Number(field, value, minimum, maximum));
}

std::int64_t FieldReader::Count(std::string_view field, std::int64_t value) {
  return Number(field, value, 0, INT64_MAX);
}

std::map<std::string, std::string> FieldReader::Strings(
    std::string_view field, const google::protobuf::Map<std::string, std::string>& wire) {
  return Settings(field, wire, kMaxSettings, [this](const std::string& path, const std::string& v) {
    return OptionalName(path, v);
  });
}

std::map<std::string, std::int64_t> FieldReader::Numbers(
    std::string_view field, const google::protobuf::Map<std::string, std::int64_t>& wire) {
  return Settings(field, wire, kMaxSettings,
                  [](const std::string& /*path*/, std::int64_t value) { return value; });
}

std::vector<double> FieldReader::Samples(std::string_view field,
                                         const google::protobuf::RepeatedField<double>& wire) {
  if (!CheckSize(field, wire.size(), kMaxRunsPerJob)) return {};
  for (const double sample : wire) Finite(field, sample);
  return {wire.begin(), wire.end()};
}

void FieldReader::Refuse(std::string_view field, std::string_view reason) {
  KeepError({ErrorCode::kInvalidArgument, WithRoot(fmt::format("{} {}", field, reason))});
}

std::string FieldReader::ElementPath(std::string_view field, std::size_t index) const {
  return fmt::format("{}[{}]", field, index);
}

std::string FieldReader::WithRoot(const std::string& text) const {
  return root_.empty() ? text : root_ + "." + text;
}

bool FieldReader::CheckSize(std::string_view field, std::int64_t size, std::int64_t maximum) {
  if (size <= maximum) return true;
  Refuse(field, fmt::format("must have at most {} elements, has {}", maximum, size));
  return false;
}

std::string FieldReader::BoundedString(std::string_view field, const std::string& value,
                                       std::size_t minimum, std::size_t maximum) {
  if (value.size() < minimum) {
    Refuse(field, "must not be empty");
  } else if (value.size() > maximum) {
    Refuse(field, fmt::format("must be at most {} bytes long, is {}", maximum, value.size()));
  } else if (value.find('\0') != std::string::npos) {
    Refuse(field, "must not contain a NUL byte");  // PostgreSQL's text cannot hold one
  } else {
    return value;
  }
  return {};
}

void FieldReader::KeepError(Error error) {
  if (has_error_) return;
  has_error_ = true;
  error_ = std::move(error);
}

}  // namespace schedlab::rpc
