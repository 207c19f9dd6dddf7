#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace schedlab::sim {

// A kernel on a machine under a load, as the catalog ships them, with what is changed of them.
struct Case {
  std::string topology = {};
  std::string shape = {};  // of the CPUs, instead of the topology's own
  std::map<std::string, std::int64_t> costs = {};
  std::optional<std::int64_t> housekeeping_period_ns = {};
  std::string workload = {};
  std::map<std::string, std::int64_t> parameters = {};
  std::int64_t duration_ns = 0;  // 0: as the workload ships
  std::string policy = {};
  std::map<std::string, std::string> switches = {};
};

// What one run measured: its metrics, and the machine-wide sums of its /proc/schedstat under
// "sched_count", "sched_goidle", "ttwu_count", "ttwu_local", and for each level of domains
// "wakeups_remote/MC", "lb_count_idle/MC" and so on.
using Sample = std::map<std::string, double>;

// By seed, from 1. Each case is run once in a process. The caller's test fails if a run cannot be
// made.
const std::vector<Sample>& SamplesOf(const Case& one);

// One value a seed.
struct Estimate {
  std::vector<double> by_seed;

  double mean() const;
  double standard_error() const;  // of the mean; 0 of one seed
};

Estimate ValueOf(const Case& one, const std::string& metric);
// Of the candidate to the baseline, seed by seed.
Estimate RatioOf(const Case& baseline, const Case& candidate, const std::string& metric);
// The same, less 1.
Estimate ChangeOf(const Case& baseline, const Case& candidate, const std::string& metric);
Estimate GrowthOf(const Case& baseline, const Case& candidate, const std::string& metric);
// Of two metrics of the same runs.
Estimate ShareOf(const Case& one, const std::string& part, const std::string& whole);
// Of the means over the seeds, for what is near 0 in some of them.
Estimate RatioOfMeans(const Case& baseline, const Case& candidate, const std::string& metric);

// Seed by seed.
Estimate operator-(const Estimate& from, const Estimate& what);

struct Band {
  double low = 0;
  double high = 0;
};

// A row of docs/fidelity.md is what the long form has to meet. Where two seeds of shorter runs are
// off by more than the row allows, the quick form has a band of its own: it says that the mechanism
// still works, not that the row is met.
struct Bands {
  Band row;
  Band quick;
};

// Expects the mean within [low, high], and prints it under the name of the test.
void ExpectWithin(const Estimate& estimate, double low, double high);
// The same with the band of this process's form.
void ExpectWithin(const Estimate& estimate, const Bands& bands);

}  // namespace schedlab::sim
