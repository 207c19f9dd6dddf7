#include "client/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace schedlab::client {
namespace {

// A duration as --duration reads it.
std::string DurationText(std::int64_t duration_ns) {
  constexpr std::int64_t kNsPerMs = 1'000'000;
  if (duration_ns % kNsPerMs == 0) return fmt::format("{}ms", duration_ns / kNsPerMs);
  return fmt::format("{}ns", duration_ns);
}

}  // namespace

std::string ReproduceCommand(const Run& run, const JobSpec& spec) {
  std::string command = fmt::format("schedlab sim run --topology {} --workload {} --policy {}",
                                    run.topology, run.workload, run.policy);
  if (!run.revision.empty()) command += "@" + run.revision;
  std::istringstream switches(run.variant);
  for (std::string one; std::getline(switches, one, ',');) command += " --set " + one;
  const auto selection =
      std::find_if(spec.workloads.begin(), spec.workloads.end(),
                   [&](const WorkloadSelection& one) { return one.workload == run.workload; });
  if (selection != spec.workloads.end()) {
    for (const auto& [name, value] : selection->parameters) {
      command += fmt::format(" --param {}={}", name, value);
    }
    if (selection->duration_ns > 0) {
      command += " --duration " + DurationText(selection->duration_ns);
    }
  }
  return command + fmt::format(" --seed {}", run.seed);
}

}  // namespace schedlab::client
