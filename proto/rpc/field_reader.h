#pragma once

#include <google/protobuf/generated_enum_reflection.h>
#include <google/protobuf/map.h>
#include <google/protobuf/repeated_field.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/result.h"

namespace schedlab::rpc {

// "must be one of A, B, is 7": why a number is none of the enum's values.
Error UnknownEnumValue(const google::protobuf::EnumDescriptor& descriptor, int value);

template <class WireEnum>
tl::unexpected<Error> RefuseEnum(WireEnum value) {
  return Fail(UnknownEnumValue(*google::protobuf::GetEnumDescriptor<WireEnum>(), value));
}

// Reads the fields of one message: checks each against its limit and keeps the first error, whose
// text starts with the path of the field. A value that was refused reads as empty.
class FieldReader {
 public:
  FieldReader() = default;
  // `root` begins every path: "job" makes "job.repetitions".
  explicit FieldReader(std::string root) : root_(std::move(root)) {}

  // 1 to kMaxNameLength bytes, and the same where it may be left out.
  std::string Name(std::string_view field, const std::string& value);
  std::string OptionalName(std::string_view field, const std::string& value);
  // 0 to kMaxTextLength bytes.
  std::string Text(std::string_view field, const std::string& value);
  // 0 to kMaxDocumentBytes bytes.
  std::string Document(std::string_view field, const std::string& value);
  double Finite(std::string_view field, double value);
  // minimum <= value <= maximum.
  std::int64_t Number(std::string_view field, std::int64_t value, std::int64_t minimum,
                      std::int64_t maximum);
  std::int32_t Number32(std::string_view field, std::int32_t value, std::int32_t minimum,
                        std::int32_t maximum);
  std::int64_t Count(std::string_view field, std::int64_t value);
  template <class IdType>
  IdType Key(std::string_view field, std::int64_t value) {
    return IdType{Number(field, value, 1, INT64_MAX)};
  }

  // The value of a field that is one value, such as an enum: "field must be ...".
  template <class T>
  T Value(std::string_view field, Result<T> value) {
    return Take(std::string(field) + " ", std::move(value));
  }
  // The value of a field that is a message: "field.inner must be ...".
  template <class T>
  T Message(std::string_view field, Result<T> value) {
    return Take(std::string(field) + ".", std::move(value));
  }
  // A value whose errors have a root of their own.
  template <class T>
  T Rooted(Result<T> value) {
    if (!value) KeepError(std::move(value.error()));
    return value ? *std::move(value) : T{};
  }

  // At most `maximum` elements, each through `decode(element)` as a message.
  template <class Wire, class DecodeOne>
  auto Messages(std::string_view field, const Wire& wire, std::int64_t maximum, DecodeOne decode) {
    std::vector<typename decltype(decode(*wire.begin()))::value_type> values;
    if (!CheckSize(field, wire.size(), maximum)) return values;
    for (const auto& element : wire) {
      values.push_back(Message(ElementPath(field, values.size()), decode(element)));
    }
    return values;
  }
  // At most `maximum` enum values.
  template <class Wire, class DecodeOne>
  auto Enums(std::string_view field, const Wire& wire, std::int64_t maximum, DecodeOne decode) {
    std::vector<typename decltype(decode(*wire.begin()))::value_type> values;
    if (!CheckSize(field, wire.size(), maximum)) return values;
    for (const auto& element : wire) {
      values.push_back(Value(ElementPath(field, values.size()), decode(element)));
    }
    return values;
  }
  // At most `maximum` names.
  template <class Wire>
  std::vector<std::string> Names(std::string_view field, const Wire& wire, std::int64_t maximum) {
    std::vector<std::string> values;
    if (!CheckSize(field, wire.size(), maximum)) return values;
    for (const auto& element : wire) {
      values.push_back(Name(ElementPath(field, values.size()), element));
    }
    return values;
  }
  // At most `maximum` settings by name; `read` checks one value: read(path, value).
  template <class Wire, class ReadOne>
  auto Settings(std::string_view field, const Wire& wire, std::int64_t maximum, ReadOne read) {
    std::map<std::string, decltype(read(std::string(), wire.begin()->second))> values;
    if (!CheckSize(field, static_cast<std::int64_t>(wire.size()), maximum)) return values;
    for (const auto& [name, value] : wire) {
      Name(field, name);
      values.emplace(name, read(std::string(field) + "[" + name + "]", value));
    }
    return values;
  }
  std::map<std::string, std::string> Strings(
      std::string_view field, const google::protobuf::Map<std::string, std::string>& wire);
  std::map<std::string, std::int64_t> Numbers(
      std::string_view field, const google::protobuf::Map<std::string, std::int64_t>& wire);
  std::vector<double> Samples(std::string_view field,
                              const google::protobuf::RepeatedField<double>& wire);

  // For a check of the caller's own: the error "<field> <reason>".
  void Refuse(std::string_view field, std::string_view reason);

  // `value`, or the first error.
  template <class T>
  Result<T> Finish(T value) {
    if (has_error_) return Fail(std::move(error_));
    return value;
  }

 private:
  template <class T>
  T Take(const std::string& prefix, Result<T> value) {
    if (value) return *std::move(value);
    KeepError(Error{value.error().code, WithRoot(prefix + value.error().message)});
    return T{};
  }
  std::string ElementPath(std::string_view field, std::size_t index) const;
  std::string WithRoot(const std::string& text) const;
  bool CheckSize(std::string_view field, std::int64_t size, std::int64_t maximum);
  std::string BoundedString(std::string_view field, const std::string& value, std::size_t minimum,
                            std::size_t maximum);
  void KeepError(Error error);

  std::string root_;
  bool has_error_ = false;
  Error error_;
};

}  // namespace schedlab::rpc
