#pragma once

#include <map>
#include <string>

#include "client/comparison_set.h"

namespace schedlab::client {

enum class ComparisonFormat {
  kTable,
  kLkp,
  kMmtests,
  kMmtestsRatio,
  kKernel,
  kMarkdown,
  kJson,
  kCsv
};

struct ComparisonLayout {
  ComparisonFormat format = ComparisonFormat::kTable;
  Grouping grouping = Grouping::kNone;
  bool has_samples = false;  // every run, not only what runs come to
  bool has_color = false;
  std::map<std::string, std::string> machines;  // what each topology is, in words
};

// The whole answer of `schedlab compare`.
std::string RenderOutput(const ComparisonSet& set, const ComparisonLayout& layout);

}  // namespace schedlab::client
