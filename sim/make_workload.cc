#include "sim/make_workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "sim/workloads/barrier.h"
#include "sim/workloads/fs_mark.h"
#include "sim/workloads/hackbench.h"
#include "sim/workloads/kbuild.h"
#include "sim/workloads/mmap_pread_seq.h"
#include "sim/workloads/replay.h"
#include "sim/workloads/request_response.h"
#include "sim/workloads/schbench.h"
#include "sim/workloads/spinners.h"
#include "sim/workloads/stress.h"
#include "sim/workloads/task_script.h"
#include "sim/workloads/transactions.h"

namespace schedlab::sim {
namespace {

struct Setting {
  const Parameters& parameters;
  std::uint64_t seed;
  std::int32_t cpu_count;
  const WorkloadDocument& document;
};

struct Generator {
  std::string_view name;
  std::span<const ParameterRule> rules;
  Result<std::unique_ptr<Workload>> (*make)(const Setting& setting);
};

template <class T>
Result<std::unique_ptr<Workload>> Make(const Setting& s) {
  if constexpr (std::is_constructible_v<T, const Parameters&, std::uint64_t, std::int32_t>) {
    return std::make_unique<T>(s.parameters, s.seed, s.cpu_count);
  } else {
    return std::make_unique<T>(s.parameters, s.seed);
  }
}

// A seed would convert to a number of CPUs, so what is made of the latter is named.
Result<std::unique_ptr<Workload>> MakeSpinners(const Setting& s) {
  return std::make_unique<Spinners>(s.parameters, s.cpu_count);
}

Status CheckCpus(const TaskScript& script, std::int32_t cpu_count) {
  for (const ScriptThread& thread : script.threads) {
    for (const ScriptPhase& phase : thread.phases) {
      for (const std::int32_t cpu : phase.cpus) {
        if (cpu < cpu_count) continue;
        return Fail(ErrorCode::kInvalidArgument,
                    fmt::format("thread '{}' of the script is to run on CPU {}; the machine has "
                                "CPUs 0 to {}",
                                thread.name, cpu, cpu_count - 1));
      }
    }
  }
  return {};
}

Result<std::unique_ptr<Workload>> MakeScript(const Setting& s) {
  const TaskScript* const script = std::get_if<TaskScript>(&s.document);
  if (script == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "workload rt_app needs a script");
  }
  const Status on_machine = CheckCpus(*script, s.cpu_count);
  if (!on_machine) return Fail(on_machine.error());
  return std::make_unique<TaskScriptWorkload>(*script, s.parameters);
}

Result<std::unique_ptr<Workload>> MakeReplay(const Setting& s) {
  const WorkloadTrace* const trace = std::get_if<WorkloadTrace>(&s.document);
  if (trace == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "workload replay needs a recorded trace");
  }
  return std::make_unique<Replay>(s.parameters, *trace);
}

// Every workload that there is; one model may serve several, with other rules.
constexpr std::array kGenerators = {
    Generator{"barrier", Barrier::kRules, Make<Barrier>},
    Generator{"dbench", Transactions::kDbenchRules, Make<Transactions>},
    Generator{"fs_mark", FsMark::kRules, Make<FsMark>},
    Generator{"hackbench", Hackbench::kRules, Make<Hackbench>},
    Generator{"kbuild", Kbuild::kRules, Make<Kbuild>},
    Generator{"mmap_pread_seq", MmapPreadSeq::kRules, Make<MmapPreadSeq>},
    Generator{"netperf_rr", RequestResponse::kNetperfRules, Make<RequestResponse>},
    Generator{"pipe", RequestResponse::kPipeRules, Make<RequestResponse>},
    Generator{"replay", Replay::kRules, MakeReplay},
    Generator{"rt_app", TaskScriptWorkload::kRules, MakeScript},
    Generator{"schbench", Schbench::kRules, Make<Schbench>},
    Generator{"spinners", Spinners::kRules, MakeSpinners},
    Generator{"stress", Stress::kRules, Make<Stress>},
    Generator{"sysbench_cpu", Transactions::kSysbenchCpuRules, Make<Transactions>},
    Generator{"sysbench_oltp", Transactions::kSysbenchOltpRules, Make<Transactions>},
    Generator{"tbench", RequestResponse::kTbenchRules, Make<RequestResponse>},
};

const Generator* Find(std::string_view name) {
  for (const Generator& generator : kGenerators) {
    if (generator.name == name) return &generator;
  }
  return nullptr;
}

}  // namespace

std::span<const ParameterRule> ParameterRulesOf(std::string_view workload) {
  const Generator* const generator = Find(workload);
  return generator == nullptr ? std::span<const ParameterRule>() : generator->rules;
}

Result<std::unique_ptr<Workload>> MakeWorkload(const WorkloadSpec& spec, std::uint64_t seed,
                                               std::int32_t cpu_count,
                                               const WorkloadDocument& document) {
  const Generator* const generator = Find(spec.name);
  if (generator == nullptr) {
    std::vector<std::string_view> names;
    for (const Generator& known : kGenerators) names.push_back(known.name);
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("there is no workload '{}'; the simulator has {}", spec.name,
                            fmt::join(names, ", ")));
  }
  const Result<Parameters> parameters = Parameters::Resolve(spec, generator->rules);
  if (!parameters) return Fail(parameters.error());
  return generator->make({*parameters, seed, cpu_count, document});
}

}  // namespace schedlab::sim
