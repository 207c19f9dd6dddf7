#include "ingest/rt_app.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/limits.h"
#include "ingest/rt_app_names.h"

namespace schedlab::ingest {
namespace {

constexpr std::int64_t kNsPerUs = 1'000;
constexpr std::int64_t kNsPerSec = 1'000'000'000;
constexpr IntegerRange kMicroseconds{0, kMaxSimulatedNs / kNsPerUs};
constexpr std::int64_t kDefaultBufferBytes = 4'194'304;
constexpr std::int32_t kDefaultRtPriority = 10;
constexpr std::int64_t kMaxPasses = 2'147'483'647;  // rt-app's own
constexpr std::size_t kMaxGroupDepth = 8;

struct PolicyName {
  std::string_view name;
  SchedPolicy policy;
};
constexpr std::array kPolicyNames = {PolicyName{"SCHED_OTHER", SchedPolicy::kNormal},
                                     PolicyName{"SCHED_BATCH", SchedPolicy::kBatch},
                                     PolicyName{"SCHED_IDLE", SchedPolicy::kIdle},
                                     PolicyName{"SCHED_RR", SchedPolicy::kRoundRobin},
                                     PolicyName{"SCHED_FIFO", SchedPolicy::kFifo},
                                     PolicyName{"SCHED_DEADLINE", SchedPolicy::kDeadline}};

SchedPolicy ReadPolicy(ObjectReader& object, std::string_view key, SchedPolicy default_policy) {
  const std::string name = object.String(key, "");
  for (const PolicyName& known : kPolicyNames) {
    if (known.name == name) return known.policy;
  }
  if (!name.empty()) {
    object.Refuse(key, fmt::format("there is no policy '{}'; the policies are SCHED_OTHER, "
                                   "SCHED_BATCH, SCHED_IDLE, SCHED_RR, SCHED_FIFO and "
                                   "SCHED_DEADLINE",
                                   name));
  }
  return default_policy;
}

// -1 is for ever; 0 would be never for a thread and for ever for a phase.
std::int64_t ReadPasses(ObjectReader& object, std::int64_t default_count) {
  const std::int64_t count = object.Integer("loop", default_count, {-1, kMaxPasses});
  if (count == 0) object.Refuse("loop", "must be -1, for ever, or at least 1");
  return count == -1 ? kForEver : count;
}

void ReadDuration(ObjectReader& global, TaskScript& script) {
  const std::int64_t seconds = global.Integer("duration", -1, {-1, kMaxSimulatedNs / kNsPerSec});
  if (seconds == 0) global.Refuse("duration", "must be -1, for ever, or at least 1");
  script.duration_ns = seconds == -1 ? 0 : seconds * kNsPerSec;
}

void RefuseOthers(const ObjectReader& object, Findings& findings) {
  for (const auto* member : object.Others()) {
    findings.Refuse(object.PathOf(member->first), "is not known");
  }
}

void ReadGlobal(const JsonTree& tree, RtAppReading& reading) {
  ObjectReader global(tree, "global", reading.findings);
  TaskScript& script = reading.script;
  ReadDuration(global, script);
  reading.default_policy = ReadPolicy(global, "default_policy", SchedPolicy::kNormal);
  script.inherits_priority = global.Boolean("pi_enabled", false);
  script.adds_slack = global.Boolean("cumulative_slack", false);
  reading.writes_to_null = global.String("io_device", "/dev/null") == "/dev/null";
  script.buffer_bytes =
      global.Integer("mem_buffer_size", kDefaultBufferBytes, {1, std::int64_t{1} << 30});
  for (const std::string_view key : {"calibration", "lock_pages", "logdir", "log_basename",
                                     "log_size", "ftrace", "gnuplot", "frag"}) {
    global.Ignore(key);
  }
  RefuseOthers(global, reading.findings);
}

// Under the names of today, or where a thread still has those of earlier versions, under them.
std::int64_t ReadDeadlineTime(ObjectReader& object, std::string_view key, std::string_view earlier,
                              std::int64_t default_ns) {
  const std::string_view present =
      !earlier.empty() && object.Find(key) == nullptr && object.Find(earlier) != nullptr ? earlier
                                                                                         : key;
  return object.Integer(present, default_ns / kNsPerUs, kMicroseconds) * kNsPerUs;
}

struct DeadlineTimes {
  std::int64_t runtime_ns = 0;
  std::int64_t period_ns = 0;
  std::int64_t deadline_ns = 0;
};

DeadlineTimes ReadDeadlineTimes(ObjectReader& object, bool is_thread, bool has_phases) {
  DeadlineTimes times;
  // In a thread without phases `runtime` is an event.
  times.runtime_ns = ReadDeadlineTime(object, "dl-runtime", has_phases ? "runtime" : "", 0);
  times.period_ns =
      ReadDeadlineTime(object, "dl-period", is_thread ? "period" : "", times.runtime_ns);
  times.deadline_ns =
      ReadDeadlineTime(object, "dl-deadline", is_thread ? "deadline" : "", times.period_ns);
  return times;
}

void ReadPriority(ObjectReader& object, bool has_default, SchedAttributes& attributes) {
  const bool is_real_time = IsRealTime(attributes.policy);
  const bool is_fair = IsFair(attributes.policy);
  if (!has_default && object.Find("priority") == nullptr) return;
  const IntegerRange range = is_real_time ? IntegerRange{1, 99}
                             : is_fair    ? IntegerRange{-20, 19}
                                          : IntegerRange{0, 0};
  const std::int64_t default_priority = is_real_time ? kDefaultRtPriority : 0;
  const auto priority =
      static_cast<std::int32_t>(object.Integer("priority", default_priority, range));
  if (is_real_time) attributes.rt_priority = priority;
  if (is_fair) attributes.nice = priority;
}

// What an object says about scheduling, on top of `current`. A policy resets what it does not say.
SchedAttributes ReadAttributes(ObjectReader& object, const DeadlineTimes& times,
                               const SchedAttributes& current, bool has_policy) {
  SchedAttributes attributes = current;
  attributes.policy = ReadPolicy(object, "policy", current.policy);
  ReadPriority(object, has_policy, attributes);
  if (attributes.policy == SchedPolicy::kDeadline) {
    if (times.runtime_ns == 0 && object.Find("dl-runtime") == nullptr) {
      object.Refuse("dl-runtime", "is missing: SCHED_DEADLINE has no budget without it");
    }
    attributes.runtime_ns = times.runtime_ns;
    attributes.deadline_ns = times.deadline_ns;
    attributes.period_ns = times.period_ns;
  } else {
    attributes.slice_ns = times.runtime_ns;
  }
  if (const Status valid = Validate(attributes); !valid) {
    object.findings().Refuse(object.path(), valid.error().message);
  }
  return attributes;
}

SchedAttributes ReadThreadAttributes(ObjectReader& object, SchedPolicy default_policy,
                                     bool has_phases) {
  const DeadlineTimes times = ReadDeadlineTimes(object, true, has_phases);
  SchedAttributes base;
  base.policy = default_policy;
  return ReadAttributes(object, times, base, true);
}

// Nothing where the phase says nothing about scheduling.
std::optional<SchedAttributes> ReadPhaseAttributes(ObjectReader& object,
                                                   const SchedAttributes& current) {
  const bool has_policy = object.Find("policy") != nullptr;
  bool is_changed = has_policy || object.Find("priority") != nullptr;
  const bool has_times = object.Find("dl-runtime") != nullptr ||
                         object.Find("dl-period") != nullptr ||
                         object.Find("dl-deadline") != nullptr;
  if (!is_changed && !has_times) return std::nullopt;
  DeadlineTimes times{current.runtime_ns, current.period_ns, current.deadline_ns};
  if (current.policy != SchedPolicy::kDeadline) times.runtime_ns = current.slice_ns;
  if (has_times) times = ReadDeadlineTimes(object, false, false);
  return ReadAttributes(object, times, current, has_policy);
}

bool IsGroupPath(std::string_view path) {
  if (path.size() < 2 || path.front() != '/' || path.back() == '/') return false;
  return path.find("//") == std::string_view::npos &&
         static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')) <= kMaxGroupDepth;
}

std::optional<std::int32_t> ReadGroup(ObjectReader& object, RtAppReading& reading) {
  const std::string path = object.String("taskgroup", "");
  if (path.empty()) return std::nullopt;
  if (!IsGroupPath(path)) {
    object.Refuse("taskgroup",
                  fmt::format("must be a path such as /a/b of at most {} names", kMaxGroupDepth));
  }
  return reading.groups.IndexOf(path);
}

// What the simulator has no model of; the values are checked all the same.
void IgnorePlacement(ObjectReader& object) {
  for (const std::string_view key : {"util_min", "util_max"}) {
    object.Integer(key, -1, {-1, 1024});
    object.Ignore(key);
  }
  for (const std::string_view key : {"nodes_membind", "membind_nodes"}) {
    object.Integers(key, {0, kMaxCpus - 1});
    object.Ignore(key);
  }
}

void ReadEvents(ObjectReader& object, ThreadContext& context, ScriptPhase& phase) {
  Findings& findings = context.reading.findings;
  for (const auto* member : object.Others()) {
    const std::string path = object.PathOf(member->first);
    if (IsRtAppEvent(member->first)) {
      phase.events.push_back(ReadRtAppEvent(member->first, member->second, path, context));
    } else {
      findings.Refuse(path, "is not known");
    }
  }
  if (phase.events.empty()) findings.Refuse(object.path(), "has no event");
}

// What the phases before have left set.
struct Standing {
  SchedAttributes attributes;
  bool has_group = false;
};

void CheckGroup(const ObjectReader& object, const Standing& standing, Findings& findings) {
  if (!standing.has_group || IsFair(standing.attributes.policy)) return;
  findings.Refuse(object.PathOf("taskgroup"),
                  "only threads of SCHED_OTHER, SCHED_BATCH and SCHED_IDLE can be in one");
}

ScriptPhase ReadPhase(ObjectReader& object, std::string name, ThreadContext& context,
                      Standing& standing) {
  ScriptPhase phase;
  phase.name = std::move(name);
  phase.pass_count = ReadPasses(object, 1);
  phase.cpus = object.Integers("cpus", {0, kMaxCpus - 1});
  phase.attributes = ReadPhaseAttributes(object, standing.attributes);
  if (phase.attributes) standing.attributes = *phase.attributes;
  phase.group = ReadGroup(object, context.reading);
  standing.has_group = standing.has_group || phase.group.has_value();
  CheckGroup(object, standing, context.reading.findings);
  IgnorePlacement(object);
  ReadEvents(object, context, phase);
  return phase;
}

void ReadPhases(const JsonTree& tree, const std::string& path, ThreadContext& context,
                Standing standing, const std::vector<std::int32_t>& thread_cpus) {
  Findings& findings = context.reading.findings;
  const ObjectReader phases(tree, path, findings);
  std::set<std::string> names;
  for (const auto* member : phases.Others()) {
    ObjectReader object(member->second, phases.PathOf(member->first), findings);
    if (!names.insert(member->first).second) findings.Refuse(object.path(), "stands twice");
    ScriptPhase phase = ReadPhase(object, member->first, context, standing);
    if (phase.cpus.empty()) phase.cpus = thread_cpus;
    context.thread.phases.push_back(std::move(phase));
  }
  if (context.thread.phases.empty()) findings.Refuse(path, "has no phase");
}

// A thread without phases: what stands in it is the one phase, whose loop is the thread's.
void ReadOnlyPhase(ObjectReader& object, ThreadContext& context, std::vector<std::int32_t> cpus) {
  ScriptPhase phase;
  phase.cpus = std::move(cpus);
  ReadEvents(object, context, phase);
  context.thread.phases.push_back(std::move(phase));
}

void ReadThread(const JsonTree& tree, const std::string& path, RtAppReading& reading,
                std::size_t index) {
  ObjectReader object(tree, path, reading.findings);
  ScriptThread& thread = reading.script.threads[index];
  ThreadContext context{reading, index, thread};
  thread.instance_count =
      static_cast<std::int32_t>(object.Integer("instance", 1, {0, kMaxScriptThreads}));
  thread.delay_ns = object.Integer("delay", 0, kMicroseconds) * kNsPerUs;
  thread.pass_count = ReadPasses(object, -1);
  std::vector<std::int32_t> cpus = object.Integers("cpus", {0, kMaxCpus - 1});
  const JsonTree* const phases = object.Find("phases");
  thread.attributes = ReadThreadAttributes(object, reading.default_policy, phases != nullptr);
  thread.group = ReadGroup(object, reading);
  const Standing standing{thread.attributes, thread.group.has_value()};
  CheckGroup(object, standing, reading.findings);
  IgnorePlacement(object);
  if (phases == nullptr) {
    ReadOnlyPhase(object, context, std::move(cpus));
    return;
  }
  ReadPhases(*phases, object.PathOf("phases"), context, standing, cpus);
  RefuseOthers(object, reading.findings);
}

void ReadThreads(const JsonTree& tree, RtAppReading& reading) {
  const ObjectReader tasks(tree, "tasks", reading.findings);
  const std::vector<const ObjectReader::Member*> members = tasks.Others();
  // All names first: a thread may fork one that stands below it.
  for (const auto* member : members) {
    const auto index = static_cast<std::int32_t>(reading.script.threads.size());
    const bool is_new = reading.thread_indices.emplace(member->first, index).second;
    if (!is_new) reading.findings.Refuse(tasks.PathOf(member->first), "stands twice");
    if (member->first.empty() || member->first.size() > kMaxNameLength) {
      reading.findings.Refuse(
          "tasks", fmt::format("the name of a thread has 1 to {} bytes", kMaxNameLength));
    }
    reading.script.threads.emplace_back().name = member->first;
  }
  if (members.empty()) reading.findings.Refuse("tasks", "has no thread");
  for (std::size_t i = 0; i < members.size(); ++i) {
    ReadThread(members[i]->second, tasks.PathOf(members[i]->first), reading, i);
  }
}

void ReadRoot(const JsonTree& tree, RtAppReading& reading) {
  ObjectReader root(tree, "", reading.findings);
  if (!reading.findings.status) return;
  const JsonTree kEmpty{.kind = JsonTree::Kind::kObject};
  const JsonTree* const global = root.Find("global");
  ReadGlobal(global != nullptr ? *global : kEmpty, reading);
  root.Ignore("resources");
  const JsonTree* const tasks = root.Find("tasks");
  if (tasks == nullptr) {
    root.Refuse("tasks", "is missing");
  } else {
    ReadThreads(*tasks, reading);
  }
  RefuseOthers(root, reading.findings);
}

void SetCounts(RtAppReading& reading) {
  TaskScript& script = reading.script;
  script.suspension_count = reading.suspensions.count();
  script.mutex_count = reading.mutexes.count();
  script.condition_count = reading.conditions.count();
  script.semaphore_count = reading.semaphores.count();
  script.groups = reading.groups.names();
  script.names = {.suspensions = reading.suspensions.names(),
                  .mutexes = reading.mutexes.names(),
                  .conditions = reading.conditions.names(),
                  .barriers = reading.barriers.names(),
                  .semaphores = reading.semaphores.names()};
}

}  // namespace

Result<RtAppFile> ParseRtApp(std::string_view text) {
  if (text.size() > kMaxDocumentBytes) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("it has {} bytes; at most {} are allowed",
                                                         text.size(), kMaxDocumentBytes));
  }
  const Result<JsonTree> tree = ParseJsonTree(text);
  if (!tree) return Fail(tree.error());
  RtAppReading reading;
  ReadRoot(*tree, reading);
  if (reading.findings.status) CheckRtApp(reading);
  if (!reading.findings.status) return Fail(reading.findings.status.error());
  SetCounts(reading);
  return RtAppFile{std::move(reading.script), std::move(reading.findings.ignored)};
}

}  // namespace schedlab::ingest
