#include "server/store/sql_values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/check.h"

namespace schedlab::server {
namespace {

template <class T>
std::vector<T> NumbersOf(std::string_view text) {
  std::vector<T> numbers;
  const char* at = text.data() + 1;  // past '{'
  const char* end = text.data() + text.size() - 1;
  while (at < end) {
    T number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    SCHEDLAB_CHECK(error == std::errc());
    numbers.push_back(number);
    at = next + 1;  // past ','
  }
  return numbers;
}

}  // namespace

void SqlArray::Separate() {
  SCHEDLAB_CHECK(!is_closed_);
  if (text_.size() > 1) text_ += ',';
}

void SqlArray::Add(std::int64_t value) {
  Separate();
  text_ += fmt::format("{}", value);
}

void SqlArray::Add(double value) {
  Separate();
  text_ += std::isnan(value) ? "NaN" : fmt::format("{}", value);
}

void SqlArray::Add(std::string_view value) {
  Separate();
  text_ += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') text_ += '\\';
    text_ += c;
  }
  text_ += '"';
}

void SqlArray::AddNull() {
  Separate();
  text_ += "NULL";
}

const std::string& SqlArray::text() {
  if (!is_closed_) text_ += '}';
  is_closed_ = true;
  return text_;
}

SqlArray ArrayOfStrings(std::span<const std::string> values) {
  SqlArray array;
  for (const std::string& value : values) array.Add(std::string_view(value));
  return array;
}

std::vector<double> DoublesOf(const pqxx::field& field) {
  return NumbersOf<double>({field.c_str(), field.size()});
}

std::vector<std::int64_t> IntegersOf(const pqxx::field& field) {
  return NumbersOf<std::int64_t>({field.c_str(), field.size()});
}

std::vector<std::string> StringsOf(const pqxx::field& field) {
  std::vector<std::string> strings;
  pqxx::array_parser parser = field.as_array();
  for (auto item = parser.get_next(); item.first != pqxx::array_parser::done;
       item = parser.get_next()) {
    if (item.first == pqxx::array_parser::string_value) strings.push_back(item.second);
  }
  return strings;
}

double DoubleOf(const pqxx::field& field) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.c_str(), field.c_str() + field.size(), value);
  SCHEDLAB_CHECK(error == std::errc());
  return value;
}

WallTime TimeOf(const pqxx::field& field) {
  return WallTime(std::chrono::microseconds(field.as<std::int64_t>()));
}

Result<Executor> ExecutorOf(std::string_view text) {
  if (text == ToString(Executor::kSim)) return Executor::kSim;
  return Fail(ErrorCode::kInternal,
              fmt::format("the database has executor '{}', which this server does not know", text));
}

}  // namespace schedlab::server
