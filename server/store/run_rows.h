#pragma once

#include <cstdint>
#include <pqxx/pqxx>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "core/result.h"
#include "core/run.h"
#include "server/store/sql_values.h"

namespace schedlab::server {

// Requires: a word of runs.outcome, "queued" or "leased".
RunState RunStateOf(std::string_view text);

struct PositionedRun {
  std::int64_t position = 0;
  Run run;
};

struct RunRange {
  JobId job;
  std::int64_t after = -1;  // position
  std::size_t limit = 0;
};

// The runs of a job in the order of expansion.
std::vector<PositionedRun> ReadRuns(pqxx::work& transaction, const RunRange& range);

// The specs of `runs`, parallel to them. Requires: they exist.
Result<std::vector<RunSpec>> ReadSpecs(pqxx::work& transaction, std::span<const RunId> runs);

// The end of a run. The token is empty unless a report ended it.
struct EndedRun {
  RunId run;
  RunState outcome = RunState::kFailed;
  std::int32_t attempt = 0;  // 0 = that of its row in the live queue
  std::string token = {};
  std::string worker_name = {};
  std::string failure = {};
};

// Takes the runs out of the live queue, writes their ends, and counts them in their jobs. Requires:
// this transaction holds the locks of their rows in live_runs; no run is given twice.
void EndRuns(pqxx::work& transaction, std::span<const EndedRun> ended);

// Locks the live runs of a job, in order of their ids.
std::vector<RunId> LockLiveRunsOf(pqxx::work& transaction, JobId job);

// Returns leased runs to the queue. Requires: as EndRuns().
void RequeueRuns(pqxx::work& transaction, std::span<const RunId> runs);

}  // namespace schedlab::server
