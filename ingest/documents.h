#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/scenario.h"
#include "core/workload_document.h"

namespace schedlab::ingest {

struct ParsedDocument {
  WorkloadDocument document;         // std::monostate for a workload without one
  std::vector<std::string> ignored;  // what was accepted without effect, by its place in the text
};

// What the workload's document says, in the format that the workload's name stands for.
// kInvalidArgument says where the document is wrong; it calls it `file`, or where that is empty by
// its workload.
Result<ParsedDocument> ParseDocument(const WorkloadSpec& workload, std::string_view file = {});

}  // namespace schedlab::ingest
