#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "ingest/json_tree.h"

namespace schedlab::ingest {

// What was found out about a file so far. The first thing that is wrong is kept and reading goes
// on with empty values, so that a reader reads everything and then asks once.
struct Findings {
  Status status;
  std::vector<std::string> ignored;  // paths of members that were accepted without effect

  // Records "<path>: <why>".
  void Refuse(std::string_view path, std::string_view why);
};

struct IntegerRange {
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
};

// Reads the members of one object by name. Every path in a message starts at the root of the file:
// "tasks.thread0.phases.p1.foo".
class ObjectReader {
 public:
  using Member = std::pair<std::string, JsonTree>;

  // Refuses a tree that is no object. Both must outlive the reader.
  ObjectReader(const JsonTree& tree, std::string path, Findings& findings);

  const std::string& path() const { return path_; }
  Findings& findings() { return findings_; }
  std::string PathOf(std::string_view name) const;

  // The member, which counts as read from now on; null where there is none. Two of one name are
  // refused.
  const JsonTree* Find(std::string_view name);
  std::int64_t Integer(std::string_view name, std::int64_t default_value, IntegerRange range);
  bool Boolean(std::string_view name, bool default_value);
  std::string String(std::string_view name, std::string_view default_value);
  // An array of distinct numbers; empty where there is none, or where it was refused.
  std::vector<std::int32_t> Integers(std::string_view name, IntegerRange range);
  // Records the member as ignored, whatever it holds.
  void Ignore(std::string_view name);
  void Refuse(std::string_view name, std::string_view why);

  // The members that nobody has read, in their order.
  std::vector<const Member*> Others() const;

 private:
  bool IsRead(std::string_view name) const;

  const JsonTree& tree_;
  std::string path_;
  Findings& findings_;
  std::vector<std::string> read_;
};

// A number within `range`; anything else is refused, and read as its minimum.
std::int64_t ReadInteger(const JsonTree& tree, std::string_view path, IntegerRange range,
                         Findings& findings);
std::string ReadString(const JsonTree& tree, std::string_view path, Findings& findings);

}  // namespace schedlab::ingest
