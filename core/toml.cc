#include "core/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

// The parser of toml++ 3.3 asserts that a table's name begins like a name before it looks whether
// it does, and tells the compiler so where asserts are off. Without them "[.a]" is a plain error.
// clang-format off
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
// clang-format on

#include "core/catalog.h"
#include "core/check.h"

namespace schedlab {
namespace {

Result<TomlValue> Convert(const toml::node& node, std::string_view file);

Result<TomlValue> ConvertTable(const toml::table& table, std::string_view file) {
  TomlValue::Table converted;
  for (const auto& [key, node] : table) {
    Result<TomlValue> value = Convert(node, file);
    if (!value) return value;
    converted.emplace(std::string(key.str()), std::move(*value));
  }
  return TomlValue{std::move(converted), table.source().begin.line};
}

Result<TomlValue> ConvertArray(const toml::array& array, std::string_view file) {
  TomlValue::Array converted;
  for (const toml::node& node : array) {
    Result<TomlValue> value = Convert(node, file);
    if (!value) return value;
    converted.push_back(std::move(*value));
  }
  return TomlValue{std::move(converted), array.source().begin.line};
}

Result<TomlValue> Convert(const toml::node& node, std::string_view file) {
  const std::int64_t line = node.source().begin.line;
  if (const auto* table = node.as_table()) return ConvertTable(*table, file);
  if (const auto* array = node.as_array()) return ConvertArray(*array, file);
  if (const auto* text = node.as_string()) return TomlValue{text->get(), line};
  if (const auto* integer = node.as_integer()) return TomlValue{integer->get(), line};
  if (const auto* number = node.as_floating_point()) return TomlValue{number->get(), line};
  if (const auto* boolean = node.as_boolean()) return TomlValue{boolean->get(), line};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}:{}: dates and times are written as strings here", file, line));
}

}  // namespace

Result<TomlValue> ParseToml(std::string_view text, std::string_view file) {
  const toml::parse_result parsed = toml::parse(text, file);
  if (!parsed) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}:{}: not TOML: {}", file, parsed.error().source().begin.line,
                            parsed.error().description()));
  }
  return ConvertTable(parsed.table(), file);
}

TomlReader::TomlReader(const TomlValue& root, std::string_view file)
    : TomlReader(root, "", std::make_shared<Context>(Context{std::string(file), {}})) {}

TomlReader::TomlReader(const TomlValue& value, std::string path, std::shared_ptr<Context> context)
    : value_(&value), path_(std::move(path)), context_(std::move(context)) {
  SCHEDLAB_CHECK(std::holds_alternative<TomlValue::Table>(value.value));
}

std::string TomlReader::PathOf(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void TomlReader::RefuseAt(std::int64_t line, std::string_view key, std::string_view why) {
  if (!context_->status) return;
  context_->status =
      Fail(ErrorCode::kInvalidArgument,
           fmt::format("{}:{}: key '{}': {}", context_->file, line, PathOf(key), why));
}

void TomlReader::Refuse(std::string_view key, std::string_view why) {
  const TomlValue* found = Find(key);
  RefuseAt(found == nullptr ? value_->line : found->line, key, why);
}

void TomlReader::RefuseMember(std::string_view key, std::string_view member, std::string_view why) {
  const TomlValue* const found = Find(key);
  const auto* const table =
      found == nullptr ? nullptr : std::get_if<TomlValue::Table>(&found->value);
  const auto at =
      table == nullptr ? TomlValue::Table::const_iterator() : table->find(std::string(member));
  if (table == nullptr || at == table->end()) return Refuse(key, why);
  RefuseAt(at->second.line, fmt::format("{}.{}", key, member), why);
}

Status TomlReader::status() const { return context_->status; }

const TomlValue* TomlReader::Find(std::string_view key) {
  asked_.emplace_back(key);
  const auto& table = std::get<TomlValue::Table>(value_->value);
  const auto found = table.find(std::string(key));
  return found == table.end() ? nullptr : &found->second;
}

const TomlValue* TomlReader::Require(std::string_view key) {
  const TomlValue* found = Find(key);
  if (found == nullptr) RefuseAt(value_->line, key, "is missing");
  return found;
}

bool TomlReader::Has(std::string_view key) const {
  return std::get<TomlValue::Table>(value_->value).count(std::string(key)) > 0;
}

template <class T>
T TomlReader::Read(const TomlValue* found, std::string_view key, std::string_view kind,
                   T default_value) {
  if (found == nullptr) return default_value;
  if (const T* value = std::get_if<T>(&found->value)) return *value;
  RefuseAt(found->line, key, fmt::format("must be {}", kind));
  return default_value;
}

std::string TomlReader::String(std::string_view key) {
  return Read<std::string>(Require(key), key, "a string", "");
}

std::string TomlReader::String(std::string_view key, std::string_view default_value) {
  return Read<std::string>(Find(key), key, "a string", std::string(default_value));
}

std::int64_t TomlReader::Integer(std::string_view key) {
  return Read<std::int64_t>(Require(key), key, "an integer", 0);
}

std::int64_t TomlReader::Integer(std::string_view key, std::int64_t default_value) {
  return Read<std::int64_t>(Find(key), key, "an integer", default_value);
}

double TomlReader::Number(std::string_view key) {
  const TomlValue* found = Require(key);
  if (found != nullptr && std::holds_alternative<std::int64_t>(found->value)) {
    return static_cast<double>(std::get<std::int64_t>(found->value));
  }
  return Read<double>(found, key, "a number", 0);
}

bool TomlReader::Boolean(std::string_view key) {
  return Read<bool>(Require(key), key, "true or false", false);
}

bool TomlReader::Boolean(std::string_view key, bool default_value) {
  return Read<bool>(Find(key), key, "true or false", default_value);
}

std::vector<std::string> TomlReader::Strings(std::string_view key) {
  std::vector<std::string> strings;
  for (const TomlValue& item : Read<TomlValue::Array>(Find(key), key, "a list of strings", {})) {
    strings.push_back(Read<std::string>(&item, key, "a list of strings", ""));
  }
  return strings;
}

template <class T>
std::map<std::string, T> TomlReader::ReadMap(std::string_view key, std::string_view kind) {
  std::map<std::string, T> result;
  for (const auto& [name, item] : Read<TomlValue::Table>(Find(key), key, "a table", {})) {
    result.emplace(name, Read<T>(&item, fmt::format("{}.{}", key, name), kind, T()));
  }
  return result;
}

std::map<std::string, std::string> TomlReader::StringMap(std::string_view key) {
  return ReadMap<std::string>(key, "a string");
}

std::map<std::string, std::int64_t> TomlReader::IntegerMap(std::string_view key) {
  return ReadMap<std::int64_t>(key, "an integer");
}

std::vector<std::vector<std::int64_t>> TomlReader::IntegerRows(std::string_view key) {
  constexpr std::string_view kKind = "a list of lists of integers";
  std::vector<std::vector<std::int64_t>> rows;
  for (const TomlValue& row : Read<TomlValue::Array>(Find(key), key, kKind, {})) {
    std::vector<std::int64_t> numbers;
    for (const TomlValue& item : Read<TomlValue::Array>(&row, key, kKind, {})) {
      numbers.push_back(Read<std::int64_t>(&item, key, kKind, 0));
    }
    rows.push_back(std::move(numbers));
  }
  return rows;
}

std::vector<TomlReader> TomlReader::Tables(std::string_view key) {
  std::vector<TomlReader> readers;
  const TomlValue* found = Find(key);
  if (found == nullptr) return readers;
  const auto* array = std::get_if<TomlValue::Array>(&found->value);
  if (array == nullptr) {
    RefuseAt(found->line, key, fmt::format("must be tables: [[{}]]", PathOf(key)));
    return readers;
  }
  for (const TomlValue& item : *array) {
    if (!std::holds_alternative<TomlValue::Table>(item.value)) {
      RefuseAt(item.line, key, fmt::format("must be tables: [[{}]]", PathOf(key)));
      return {};
    }
    readers.push_back(TomlReader(item, PathOf(key), context_));
  }
  return readers;
}

void TomlReader::RefuseUnknownKeys() {
  for (const auto& [key, value] : std::get<TomlValue::Table>(value_->value)) {
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    RefuseAt(value.line, key, fmt::format("is not known here{}", DidYouMean(key, asked_)));
  }
}

}  // namespace schedlab
