#include "ingest/sched_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/limits.h"
#include "ingest/sched_event.h"
#include "ingest/trace_builder.h"

namespace schedlab::ingest {
namespace {

using Kind = SchedEvent::Kind;

// A CPU's events come in the order of their times: it writes its buffer itself. Only the rounding
// of printed times may hide that; perf rounds to microseconds. What goes further back was
// reordered.
constexpr std::int64_t kMaxStepBackNs = 1'000;

// Which kinds of events a recording has decides how the others are read.
struct Presence {
  bool has_switch = false;
  bool has_waking = false;  // emitted by the waker, where sched_wakeup may be on another CPU
  bool has_wakeup_new = false;
  bool has_fork = false;
};

struct ReadEvent {
  SchedEvent event;
  bool is_wakeup = false;  // sched_wakeup, which counts only where there is no sched_waking
};

std::string SecondsOf(std::int64_t at_ns) {
  constexpr std::int64_t kNsPerSec = 1'000'000'000;
  return fmt::format("{}.{:09}", at_ns / kNsPerSec, at_ns % kNsPerSec);
}

bool IsInterruptEntry(std::string_view event) {
  return event == "irq_handler_entry" || event == "hrtimer_expire_entry" ||
         event == "timer_expire_entry";
}

bool IsInterruptExit(std::string_view event) {
  return event == "irq_handler_exit" || event == "hrtimer_expire_exit" ||
         event == "timer_expire_exit";
}

// The lines of a recording as events. Errors name the line.
class Reader {
 public:
  Status Read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      ++line_number_;
      if (const Status fine = ReadLine(line); !fine) {
        return Fail(fine.error().code,
                    fmt::format("line {}: {}", line_number_, fine.error().message));
      }
    }
    return {};
  }

  const Presence& presence() const { return presence_; }
  const RecordingCounts& counts() const { return counts_; }
  std::int64_t line_count() const { return line_number_; }

  // In the order of their times; those of one time as they stood in the text.
  std::vector<SchedEvent> TakeEvents() {
    std::vector<SchedEvent> events;
    for (ReadEvent& read : events_) {
      if (read.is_wakeup && presence_.has_waking) read.event.kind = Kind::kOther;
      const bool is_first_wakeup = read.event.kind == Kind::kBirth && !presence_.has_wakeup_new;
      if (is_first_wakeup) read.event.kind = Kind::kStart;
      events.push_back(read.event);
    }
    events_.clear();
    std::stable_sort(events.begin(), events.end(),
                     [](const SchedEvent& a, const SchedEvent& b) { return a.at_ns < b.at_ns; });
    return events;
  }

 private:
  Status ReadLine(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    if (line[first] == '#') {
      ReadComment(line);
      return {};
    }
    const std::optional<SchedLineHead> head = ParseSchedLineHead(line);
    if (!head && NamesSchedEvent(line)) {
      return Fail(ErrorCode::kInvalidArgument,
                  "an event of the scheduler whose task, CPU or time cannot be read");
    }
    if (!head || head->event.substr(0, 16) == "PERF_RECORD_LOST") {
      ReadOther(line, head ? head->cpu : -1);
      return {};
    }
    if (head->cpu >= kMaxCpus) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("CPU {}; at most {} are possible", head->cpu, kMaxCpus));
    }
    ++counts_.event_count;
    return ReadEventLine(*head);
  }

  void ReadComment(std::string_view line) {
    const BufferRemark remark = ParseBufferRemark(line);
    counts_.overwritten_count += remark.overwritten_count;
    if (remark.started_cpu >= 0) AddLoss(remark.started_cpu);
  }

  void ReadOther(std::string_view line, std::int32_t head_cpu) {
    const std::optional<LostEvents> lost = ParseLostLine(line);
    if (!lost) {
      ++counts_.unread_line_count;
      return;
    }
    counts_.lost_count += lost->count;
    ++counts_.loss_count;
    const std::int32_t cpu = lost->cpu >= 0 ? lost->cpu : head_cpu;
    if (cpu >= 0 && cpu < kMaxCpus) AddLoss(cpu);
  }

  // At the time of the line before: after what is known, and before what comes.
  void AddLoss(std::int32_t cpu) {
    events_.push_back({.event = {.kind = Kind::kLoss, .at_ns = last_at_ns_, .cpu = cpu}});
  }

  Status ReadEventLine(const SchedLineHead& head) {
    ReadEvent read{.event = {.at_ns = head.at_ns,
                             .cpu = head.cpu,
                             .pid = head.pid,
                             .is_in_interrupt = head.is_in_interrupt}};
    if (const Status fine = CheckOrder(head); !fine) return fine;
    if (const Status fine = ReadBody(head, read); !fine) return fine;
    last_at_ns_ = std::max(last_at_ns_, head.at_ns);
    events_.push_back(read);
    return {};
  }

  Status CheckOrder(const SchedLineHead& head) {
    std::int64_t& latest_ns = latest_by_cpu_.try_emplace(head.cpu, head.at_ns).first->second;
    if (head.at_ns + kMaxStepBackNs < latest_ns) {
      return Fail(
          ErrorCode::kInvalidArgument,
          fmt::format("the time goes backwards on CPU {}: {} s, after {} s above; the lines "
                      "are not in the order in which they were recorded",
                      head.cpu, SecondsOf(head.at_ns), SecondsOf(latest_ns)));
    }
    latest_ns = std::max(latest_ns, head.at_ns);
    return {};
  }

  Status ReadBody(const SchedLineHead& head, ReadEvent& read) {
    if (head.event == "sched_switch") return ReadSwitch(head.body, read.event);
    if (head.event == "sched_waking" || head.event == "sched_wakeup") {
      read.is_wakeup = head.event == "sched_wakeup";
      presence_.has_waking = presence_.has_waking || !read.is_wakeup;
      return ReadTask(ParseWakeBody(head.body), Kind::kWake, read.event);
    }
    if (head.event == "sched_wakeup_new") {
      presence_.has_wakeup_new = true;
      return ReadTask(ParseWakeBody(head.body), Kind::kStart, read.event);
    }
    if (head.event == "sched_process_fork") {
      presence_.has_fork = true;
      return ReadTask(ParseForkBody(head.body), Kind::kBirth, read.event);
    }
    if (IsInterruptEntry(head.event)) read.event.kind = Kind::kInterruptEntry;
    if (IsInterruptExit(head.event)) read.event.kind = Kind::kInterruptExit;
    return {};
  }

  Status ReadSwitch(std::string_view body, SchedEvent& event) {
    const Result<SwitchBody> read = ParseSwitchBody(body);
    if (!read) return Fail(read.error());
    presence_.has_switch = true;
    event.kind = Kind::kSwitch;
    event.pid = read->previous.pid;
    event.subject = read->previous;
    event.next = read->next;
    event.is_previous_runnable = read->is_previous_runnable;
    return {};
  }

  static Status ReadTask(const Result<TaskMention>& task, Kind kind, SchedEvent& event) {
    if (!task) return Fail(task.error());
    event.kind = kind;
    event.subject = *task;
    return {};
  }

  std::int64_t line_number_ = 0;
  std::int64_t last_at_ns_ = 0;
  std::map<std::int32_t, std::int64_t> latest_by_cpu_;
  std::vector<ReadEvent> events_;
  Presence presence_;
  RecordingCounts counts_;
};

tl::unexpected<Error> NoSwitches(const Reader& reader) {
  const std::int64_t event_count = reader.counts().event_count;
  if (event_count == 0) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("none of the {} lines is an event as perf script, ftrace or trace-cmd "
                            "report print it, with the task, the CPU in brackets and the time",
                            reader.line_count()));
  }
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("none of the {} events is a sched_switch", event_count));
}

RecordingCounts Sum(const RecordingCounts& read, const RecordingCounts& built) {
  RecordingCounts counts = read;
  counts.void_wakeup_count = built.void_wakeup_count;
  counts.unexplained_wakeup_count = built.unexplained_wakeup_count;
  counts.interrupt_wakeup_count = built.interrupt_wakeup_count;
  counts.contradiction_count = built.contradiction_count;
  return counts;
}

}  // namespace

Result<ImportedRecording> ImportRecording(std::string_view text) {
  if (text.size() > kMaxRecordingBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the recording has {} bytes; at most {} are possible", text.size(),
                            kMaxRecordingBytes));
  }
  Reader reader;
  if (const Status fine = reader.Read(text); !fine) return Fail(fine.error());
  if (!reader.presence().has_switch) return NoSwitches(reader);
  const std::vector<SchedEvent> events = reader.TakeEvents();
  const auto first = std::find_if(events.begin(), events.end(), [](const SchedEvent& event) {
    return event.kind != Kind::kLoss;
  });
  const std::int64_t begin_ns = first->at_ns;
  if (events.back().at_ns - begin_ns > kMaxSimulatedNs) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the recording spans {} ns; at most {} are possible",
                            events.back().at_ns - begin_ns, kMaxSimulatedNs));
  }
  TraceBuilder builder(begin_ns, reader.presence().has_fork || reader.presence().has_wakeup_new);
  for (SchedEvent event : events) {
    event.at_ns = std::max(event.at_ns, begin_ns);
    builder.Add(event);
  }
  ImportedRecording imported{.trace = builder.Finish(), .counts = {}};
  imported.counts = Sum(reader.counts(), builder.counts());
  if (const Status valid = Validate(imported.trace); !valid) return Fail(valid.error());
  return imported;
}

Result<WorkloadTrace> ReadWorkloadTrace(std::string_view text) {
  if (IsEncodedWorkloadTrace(text)) return DecodeWorkloadTrace(text);
  Result<ImportedRecording> imported = ImportRecording(text);
  if (!imported) return Fail(imported.error());
  return std::move(imported->trace);
}

}  // namespace schedlab::ingest
