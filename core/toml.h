#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"

namespace schedlab {

// A parsed TOML value and the line on which it begins. Dates are refused: ours are strings.
struct TomlValue {
  using Array = std::vector<TomlValue>;
  using Table = std::map<std::string, TomlValue>;

  std::variant<std::string, std::int64_t, double, bool, Array, Table> value;
  std::int64_t line = 0;
};

// kInvalidArgument: not TOML; the message is "<file>:<line>: ...".
Result<TomlValue> ParseToml(std::string_view text, std::string_view file);

// Reads the keys of one table. The first thing that is wrong is kept and every later read returns
// an empty value, so that a caller reads everything and then asks once. Messages are
// "<file>:<line>: key '<path>': ...". Copies and tables read from it share the error.
class TomlReader {
 public:
  // Requires: `root` holds a table. It must outlive the reader.
  TomlReader(const TomlValue& root, std::string_view file);

  bool Has(std::string_view key) const;
  std::string String(std::string_view key);
  std::string String(std::string_view key, std::string_view default_value);
  std::int64_t Integer(std::string_view key);
  std::int64_t Integer(std::string_view key, std::int64_t default_value);
  double Number(std::string_view key);
  bool Boolean(std::string_view key);
  bool Boolean(std::string_view key, bool default_value);
  std::vector<std::string> Strings(std::string_view key);                    // empty where absent
  std::map<std::string, std::string> StringMap(std::string_view key);        // empty where absent
  std::map<std::string, std::int64_t> IntegerMap(std::string_view key);      // empty where absent
  std::vector<std::vector<std::int64_t>> IntegerRows(std::string_view key);  // empty where absent
  std::vector<TomlReader> Tables(std::string_view key);                      // [[key]]

  // Records that `key` holds something that is not acceptable.
  void Refuse(std::string_view key, std::string_view why);
  // The same of `member` of the table that `key` holds; of `key` where it has no such member.
  void RefuseMember(std::string_view key, std::string_view member, std::string_view why);
  // Records every key of this table that was not read, with the nearest one that could be.
  void RefuseUnknownKeys();
  // The first error of this reader and of those made from it.
  Status status() const;

 private:
  struct Context {
    std::string file;
    Status status;
  };

  TomlReader(const TomlValue& value, std::string path, std::shared_ptr<Context> context);
  const TomlValue* Find(std::string_view key);
  const TomlValue* Require(std::string_view key);
  template <class T>
  T Read(const TomlValue* found, std::string_view key, std::string_view kind, T default_value);
  template <class T>
  std::map<std::string, T> ReadMap(std::string_view key, std::string_view kind);
  void RefuseAt(std::int64_t line, std::string_view key, std::string_view why);
  std::string PathOf(std::string_view key) const;

  const TomlValue* value_;
  std::string path_;
  std::vector<std::string> asked_;
  // Shared, because the tables of one document report to one first error.
  std::shared_ptr<Context> context_;
};

}  // namespace schedlab
