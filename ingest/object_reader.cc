#include "ingest/object_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/limits.h"

namespace schedlab::ingest {

void Findings::Refuse(std::string_view path, std::string_view why) {
  if (!status) return;
  status = Fail(ErrorCode::kInvalidArgument,
                path.empty() ? std::string(why) : fmt::format("{}: {}", path, why));
}

ObjectReader::ObjectReader(const JsonTree& tree, std::string path, Findings& findings)
    : tree_(tree), path_(std::move(path)), findings_(findings) {
  if (tree_.kind != JsonTree::Kind::kObject) findings_.Refuse(path_, "must be an object");
}

std::string ObjectReader::PathOf(std::string_view name) const {
  const std::string_view shown = name.substr(0, kMaxNameLength);
  return path_.empty() ? std::string(shown) : fmt::format("{}.{}", path_, shown);
}

const JsonTree* ObjectReader::Find(std::string_view name) {
  const JsonTree* found = nullptr;
  for (const Member& member : tree_.members) {
    if (member.first != name) continue;
    if (found != nullptr) Refuse(name, "stands twice in its object");
    found = &member.second;
  }
  if (found != nullptr) read_.emplace_back(name);
  return found;
}

std::int64_t ObjectReader::Integer(std::string_view name, std::int64_t default_value,
                                   IntegerRange range) {
  const JsonTree* const found = Find(name);
  return found == nullptr ? default_value : ReadInteger(*found, PathOf(name), range, findings_);
}

bool ObjectReader::Boolean(std::string_view name, bool default_value) {
  const JsonTree* const found = Find(name);
  if (found == nullptr) return default_value;
  if (found->kind != JsonTree::Kind::kBoolean) Refuse(name, "must be true or false");
  return found->boolean;
}

std::string ObjectReader::String(std::string_view name, std::string_view default_value) {
  const JsonTree* const found = Find(name);
  return found == nullptr ? std::string(default_value)
                          : ReadString(*found, PathOf(name), findings_);
}

std::vector<std::int32_t> ObjectReader::Integers(std::string_view name, IntegerRange range) {
  const JsonTree* const found = Find(name);
  if (found == nullptr) return {};
  if (found->kind != JsonTree::Kind::kArray || found->items.empty()) {
    Refuse(name, "must be an array of numbers, of at least one");
    return {};
  }
  std::vector<std::int32_t> numbers;
  for (const JsonTree& item : found->items) {
    numbers.push_back(static_cast<std::int32_t>(ReadInteger(item, PathOf(name), range, findings_)));
  }
  std::sort(numbers.begin(), numbers.end());
  if (std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end()) {
    Refuse(name, "has a number twice");
  }
  return numbers;
}

void ObjectReader::Ignore(std::string_view name) {
  if (Find(name) != nullptr) findings_.ignored.push_back(PathOf(name));
}

void ObjectReader::Refuse(std::string_view name, std::string_view why) {
  findings_.Refuse(PathOf(name), why);
}

std::vector<const ObjectReader::Member*> ObjectReader::Others() const {
  std::vector<const Member*> others;
  for (const Member& member : tree_.members) {
    if (!IsRead(member.first)) others.push_back(&member);
  }
  return others;
}

bool ObjectReader::IsRead(std::string_view name) const {
  return std::find(read_.begin(), read_.end(), name) != read_.end();
}

std::int64_t ReadInteger(const JsonTree& tree, std::string_view path, IntegerRange range,
                         Findings& findings) {
  if (tree.kind != JsonTree::Kind::kInteger) {
    findings.Refuse(path, fmt::format("must be a whole number from {} to {}, in digits alone",
                                      range.minimum, range.maximum));
    return range.minimum;
  }
  if (tree.integer >= range.minimum && tree.integer <= range.maximum) return tree.integer;
  findings.Refuse(path, fmt::format("must be from {} to {}, is {}", range.minimum, range.maximum,
                                    tree.integer));
  return range.minimum;
}

std::string ReadString(const JsonTree& tree, std::string_view path, Findings& findings) {
  if (tree.kind != JsonTree::Kind::kString) {
    findings.Refuse(path, "must be a string");
    return {};
  }
  if (tree.text.size() > kMaxNameLength) {
    findings.Refuse(path, fmt::format("has {} bytes; at most {} are allowed", tree.text.size(),
                                      kMaxNameLength));
    return {};
  }
  return tree.text;
}

}  // namespace schedlab::ingest
