#pragma once

#include <cstdint>
#include <pqxx/pqxx>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/executor.h"
#include "core/result.h"

namespace schedlab::server {

// An array in PostgreSQL's text form ('{1,2,NULL,"a"}'), which is how a batch of rows becomes one
// parameter for unnest().
class SqlArray {
 public:
  void Add(std::int64_t value);
  void Add(double value);
  void Add(std::string_view value);
  void AddNull();

  const std::string& text();

 private:
  void Separate();

  std::string text_ = "{";
  bool is_closed_ = false;
};

// Of ids, in their order.
template <class Id>
SqlArray ArrayOfIds(std::span<const Id> ids) {
  SqlArray array;
  for (const Id id : ids) array.Add(id.value);
  return array;
}
SqlArray ArrayOfStrings(std::span<const std::string> values);

// Columns that hold arrays without NULLs.
std::vector<double> DoublesOf(const pqxx::field& field);
std::vector<std::int64_t> IntegersOf(const pqxx::field& field);
std::vector<std::string> StringsOf(const pqxx::field& field);

// Exact, unlike field.as<double>(), which depends on the locale.
double DoubleOf(const pqxx::field& field);
// From a column of `(extract(epoch FROM t) * 1000000)::bigint`.
WallTime TimeOf(const pqxx::field& field);
// kInternal: an executor that this server does not know.
Result<Executor> ExecutorOf(std::string_view text);

}  // namespace schedlab::server
