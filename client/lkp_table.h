#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/alert.h"
#include "core/comparison.h"

namespace schedlab::client {

// What every column of a table has in common: one part of the key line and of the value line.
struct LkpAxis {
  std::string name;
  std::string value;
};

struct LkpCommit {
  std::string id;
  std::string subject;
};

// How many of a revision's runs failed.
struct LkpFailureCount {
  std::int64_t failed = 0;
  std::int64_t runs = 0;
};

struct LkpFailureRow {
  std::string key;
  LkpFailureCount baseline;
  std::vector<LkpFailureCount> candidates;
};

struct LkpRow {
  std::string key;  // "<workload>.<metric>"; one that ends in '%' shows the absolute difference
  SampleSummary baseline;
  std::vector<std::optional<SampleSummary>> candidates;  // absent: blank columns
};

// A ratio becomes percents, whose difference is told in points.
LkpRow LkpRowOf(const Series& series, const SampleSummary& baseline,
                std::vector<std::optional<SampleSummary>> candidates);
LkpRow LkpRowOf(const ComparisonRow& row);

// Commits in the layout that the 0day robot's mails and `lkp compare` print: each candidate adds a
// group of columns to the right, whose change is against the baseline. Every row and failure row
// has as many candidates as the table.
struct LkpTable {
  std::vector<LkpAxis> axes;
  LkpCommit baseline;
  std::vector<LkpCommit> candidates;
  std::vector<LkpFailureRow> failures;  // printed before the rows
  std::vector<LkpRow> rows;
};

std::string RenderLkp(const LkpTable& table);

}  // namespace schedlab::client
