#include "server/job_content.h"

#include "core/spec_json.h"

namespace schedlab::server {

std::string ContentDigest(const JobSpec& spec, const ExpandedJob& job) {
  std::string text = "content\n" + ToJson(spec) + '\n' + job.engine_version;
  for (const std::string& metric : job.judged_metrics) text += "\nmetric " + metric;
  // A key covers the policy with its switches, the scenario, the engine and the seed.
  for (const PlannedRun& run : job.runs) text += "\nrun " + run.key;
  return Sha256Hex(text);
}

}  // namespace schedlab::server
