#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/limits.h"
#include "ingest/rt_app_names.h"

namespace schedlab::ingest {
namespace {

using Kind = ScriptEvent::Kind;

constexpr std::int64_t kNsPerUs = 1'000;
constexpr IntegerRange kMicroseconds{0, kMaxSimulatedNs / kNsPerUs};
constexpr IntegerRange kByteCounts{0, std::int64_t{1} << 40};
// What one access moves, whatever it reads of it.
constexpr std::int64_t kCacheLineBytes = 64;

struct EventName {
  std::string_view prefix;
  Kind kind;
};

// The longer of two names of which one begins with the other comes first.
constexpr std::array kEventNames = {
    EventName{"memrun", Kind::kMemory},    EventName{"mem", Kind::kMemory},
    EventName{"runtime", Kind::kRunFor},   EventName{"run", Kind::kRun},
    EventName{"iorun", Kind::kDevice},     EventName{"sleep", Kind::kSleep},
    EventName{"timer", Kind::kTimer},      EventName{"suspend", Kind::kSuspend},
    EventName{"resume", Kind::kResume},    EventName{"lock", Kind::kLock},
    EventName{"unlock", Kind::kUnlock},    EventName{"wait", Kind::kWait},
    EventName{"signal", Kind::kSignal},    EventName{"broad", Kind::kBroadcast},
    EventName{"sync", Kind::kSync},        EventName{"barrier", Kind::kBarrier},
    EventName{"sem_post", Kind::kSemPost}, EventName{"sem_wait", Kind::kSemWait},
    EventName{"yield", Kind::kYield},      EventName{"fork", Kind::kFork},
};

const EventName* FindEvent(std::string_view key) {
  const auto* const found = std::find_if(
      kEventNames.begin(), kEventNames.end(),
      [key](const EventName& event) { return key.substr(0, event.prefix.size()) == event.prefix; });
  return found == kEventNames.end() ? nullptr : found;
}

// One event of a thread, with what its readers need.
struct EventSource {
  const JsonTree& value;
  const std::string& path;
  ThreadContext& context;

  RtAppReading& reading() const { return context.reading; }
  Findings& findings() const { return context.reading.findings; }
  std::int64_t DurationNs() const {
    return ReadInteger(value, path, kMicroseconds, findings()) * kNsPerUs;
  }
  // A name that must be there.
  std::string Name() const {
    std::string name = ReadString(value, path, findings());
    if (name.empty()) findings().Refuse(path, "must name something");
    return name;
  }
};

void RefuseOthers(ObjectReader& object) {
  for (const auto* member : object.Others()) object.Refuse(member->first, "is not known");
}

std::string RequiredName(ObjectReader& object, std::string_view key) {
  std::string name = object.String(key, "");
  if (name.empty()) object.Refuse(key, "is missing");
  return name;
}

void ReadTimer(const EventSource& source, ScriptEvent& event) {
  ObjectReader object(source.value, source.path, source.findings());
  const std::string ref = RequiredName(object, "ref");
  event.duration_ns = object.Integer("period", 0, kMicroseconds) * kNsPerUs;
  if (event.duration_ns == 0) object.Refuse("period", "must be at least 1");
  const std::string mode = object.String("mode", "relative");
  if (mode != "relative" && mode != "absolute") {
    object.Refuse("mode", "must be relative or absolute");
  }
  RefuseOthers(object);
  event.is_private = ref.substr(0, 6) == "unique";
  std::vector<ScriptTimer>& timers =
      event.is_private ? source.context.thread.timers : source.reading().script.timers;
  NameTable& names = event.is_private ? source.context.timers : source.reading().timers;
  event.target = names.IndexOf(ref);
  timers.resize(static_cast<std::size_t>(names.count()));
  // The mode is the timer's, not the event's.
  if (mode == "absolute") timers[static_cast<std::size_t>(event.target)].is_absolute = true;
}

void ReadConditionWait(const EventSource& source, ScriptEvent& event) {
  ObjectReader object(source.value, source.path, source.findings());
  event.target = source.reading().conditions.IndexOf(RequiredName(object, "ref"));
  event.mutex = source.reading().mutexes.IndexOf(RequiredName(object, "mutex"));
  RefuseOthers(object);
}

// A name, or an object with the name, where waits have one too.
void ReadConditionSignal(const EventSource& source, ScriptEvent& event) {
  if (source.value.kind != JsonTree::Kind::kObject) {
    event.target = source.reading().conditions.IndexOf(source.Name());
    return;
  }
  ObjectReader object(source.value, source.path, source.findings());
  event.target = source.reading().conditions.IndexOf(RequiredName(object, "ref"));
  object.Ignore("mutex");
  RefuseOthers(object);
}

void ReadSuspend(const EventSource& source, ScriptEvent& event) {
  std::string name = source.context.thread.name;
  if (source.value.kind != JsonTree::Kind::kNull) {
    const std::string given = ReadString(source.value, source.path, source.findings());
    if (!given.empty()) name = given;
  }
  source.reading().suspended.insert(name);
  event.target = source.reading().suspensions.IndexOf(name);
}

void ReadResume(const EventSource& source, ScriptEvent& event) {
  const std::string name = source.Name();
  source.reading().resumes.push_back({source.path, name, source.context.index});
  event.target = source.reading().suspensions.IndexOf(name);
}

void ReadBarrier(const EventSource& source, ScriptEvent& event) {
  const std::string name = source.Name();
  RtAppReading& reading = source.reading();
  event.target = reading.barriers.IndexOf(name);
  std::vector<std::int32_t>& counts = reading.script.barrier_user_counts;
  counts.resize(static_cast<std::size_t>(reading.barriers.count()));
  counts[static_cast<std::size_t>(event.target)] += source.context.thread.instance_count;
  for (const NameUse& use : reading.barrier_uses) {
    if (use.name == name && use.thread == source.context.index) {
      source.findings().Refuse(source.path,
                               fmt::format("barrier '{}' stands twice in its thread, which cannot "
                                           "meet itself; use one name for each meeting",
                                           name));
    }
  }
  reading.barrier_uses.push_back({source.path, name, source.context.index});
}

void ReadFork(const EventSource& source, ScriptEvent& event) {
  const std::string name = source.Name();
  const auto found = source.reading().thread_indices.find(name);
  if (found == source.reading().thread_indices.end()) {
    source.findings().Refuse(source.path, fmt::format("there is no thread '{}'", name));
    return;
  }
  event.target = found->second;
}

void ReadYield(const EventSource& source) {
  if (source.value.kind == JsonTree::Kind::kNull) return;
  ReadString(source.value, source.path, source.findings());
}

// Reads of part of a stride move its line all the same.
std::int64_t TouchedBytes(std::int64_t size, std::int64_t stride) {
  if (stride <= kCacheLineBytes) return size;
  return std::min(size, (size + stride - 1) / stride * kCacheLineBytes);
}

void ReadMemoryRun(const EventSource& source, ScriptEvent& event) {
  ObjectReader object(source.value, source.path, source.findings());
  if (object.Find("size") == nullptr) object.Refuse("size", "is missing");
  const std::int64_t size = object.Integer("size", 0, kByteCounts);
  const std::int64_t count = object.Integer("count", 1, {1, 1'000'000'000});
  const std::int64_t stride = object.Integer("stride", 0, kByteCounts);
  for (const std::string_view key : {"type", "pattern", "ref"}) object.Ignore(key);
  RefuseOthers(object);
  const std::int64_t touched = TouchedBytes(size, stride);
  if (touched > kByteCounts.maximum / count) {
    source.findings().Refuse(source.path,
                             fmt::format("moves more than {} bytes", kByteCounts.maximum));
    return;
  }
  event.byte_count = touched * count;
}

void ReadByteCount(const EventSource& source, ScriptEvent& event) {
  event.byte_count = ReadInteger(source.value, source.path, kByteCounts, source.findings());
}

void ReadDevice(const EventSource& source, ScriptEvent& event) {
  ReadByteCount(source, event);
  if (source.reading().writes_to_null) event.kind = Kind::kNull;
}

void ReadArgument(const EventSource& source, ScriptEvent& event) {
  RtAppReading& reading = source.reading();
  switch (event.kind) {
    case Kind::kRun:
    case Kind::kRunFor:
    case Kind::kSleep:
      event.duration_ns = source.DurationNs();
      return;
    case Kind::kTimer:
      return ReadTimer(source, event);
    case Kind::kSuspend:
      return ReadSuspend(source, event);
    case Kind::kResume:
      return ReadResume(source, event);
    case Kind::kLock:
    case Kind::kUnlock:
      event.target = reading.mutexes.IndexOf(source.Name());
      return;
    case Kind::kWait:
    case Kind::kSync:
      return ReadConditionWait(source, event);
    case Kind::kSignal:
    case Kind::kBroadcast:
      return ReadConditionSignal(source, event);
    case Kind::kBarrier:
      return ReadBarrier(source, event);
    case Kind::kSemPost:
    case Kind::kSemWait:
      event.target = reading.semaphores.IndexOf(source.Name());
      return;
    case Kind::kYield:
      return ReadYield(source);
    case Kind::kFork:
      return ReadFork(source, event);
    case Kind::kMemory:
      return ReadByteCount(source, event);
    case Kind::kNull:
    case Kind::kDevice:
      return ReadDevice(source, event);
  }
}

}  // namespace

bool IsRtAppEvent(std::string_view key) { return FindEvent(key) != nullptr; }

ScriptEvent ReadRtAppEvent(std::string_view key, const JsonTree& value, const std::string& path,
                           ThreadContext& context) {
  const EventName& name = *FindEvent(key);
  ScriptEvent event;
  event.kind = name.kind;
  const EventSource source{value, path, context};
  if (name.prefix == "memrun") {
    ReadMemoryRun(source, event);
  } else {
    ReadArgument(source, event);
  }
  return event;
}

}  // namespace schedlab::ingest
