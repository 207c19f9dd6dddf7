#pragma once

#include <cstdint>
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

// How many of a side's runs failed.
struct LkpFailureCount {
  std::int64_t failed = 0;
  std::int64_t runs = 0;
};

struct LkpFailureRow {
  std::string key;
  LkpFailureCount baseline;
  LkpFailureCount candidate;
};

struct LkpRow {
  std::string key;  // "<workload>.<metric>"; one that ends in '%' shows the absolute difference
  SampleSummary baseline;
  SampleSummary candidate;
};

// A ratio becomes percents, whose difference is told in points.
LkpRow LkpRowOf(const ComparisonRow& row);

// Two commits in the layout that the 0day robot's mails and `lkp compare` print.
struct LkpTable {
  std::vector<LkpAxis> axes;
  LkpCommit baseline;
  LkpCommit candidate;
  std::vector<LkpFailureRow> failures;  // printed before the rows
  std::vector<LkpRow> rows;
};

std::string RenderLkp(const LkpTable& table);

}  // namespace schedlab::client
