// The text of a trace:
//
//   schedlab-workload-trace 1
//   span_ns 2000000
//   cpus 2
//   unit_ns 1000
//   task 4711 120 bash
//   r120 w1 r5 b
//   r80 s1000
//
// A task line has the pid, the priority and, to its end, the name; the lines below it are what it
// does: r runs and s sleeps for so many units, w wakes the task with that index, b waits. Where a
// line ends means nothing; the encoder ends one with each wait or sleep.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/limits.h"
#include "core/workload_trace.h"

namespace schedlab {
namespace {

constexpr std::string_view kMagic = "schedlab-workload-trace ";
constexpr std::string_view kVersion = "1";
constexpr std::array<std::int64_t, 4> kUnits = {1'000'000, 1'000, 100, 1};

template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

// The text up to `separator`, which is removed from `rest` with it.
std::string_view CutAt(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view cut = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return cut;
}

bool IsTimed(const TraceStep& step) {
  return step.kind == TraceStep::Kind::kRun || step.kind == TraceStep::Kind::kSleep;
}

bool HasUnit(const WorkloadTrace& trace, std::int64_t unit_ns) {
  return std::all_of(trace.tasks.begin(), trace.tasks.end(), [&](const TraceTask& task) {
    return std::all_of(task.steps.begin(), task.steps.end(), [&](const TraceStep& step) {
      return !IsTimed(step) || step.value % unit_ns == 0;
    });
  });
}

std::int64_t UnitOf(const WorkloadTrace& trace) {
  return *std::find_if(kUnits.begin(), kUnits.end(),
                       [&](std::int64_t unit_ns) { return HasUnit(trace, unit_ns); });
}

// A name in printable ASCII: other bytes, and the percent sign, as %hh.
std::string EncodeName(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool is_plain = c >= ' ' && c <= '~' && c != '%';
    text += is_plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return text;
}

std::optional<std::string> DecodeName(std::string_view text) {
  std::string name;
  while (!text.empty()) {
    if (text.front() != '%') {
      name += text.front();
      text.remove_prefix(1);
      continue;
    }
    if (text.size() < 3) return {};
    unsigned int byte = 0;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + 3, byte, 16);
    if (error != std::errc() || end != text.data() + 3) return {};
    name += static_cast<char>(byte);
    text.remove_prefix(3);
  }
  return name;
}

void AppendSteps(const TraceTask& task, std::int64_t unit_ns, std::string& text) {
  bool is_first = true;
  for (const TraceStep& step : task.steps) {
    if (!is_first) text += ' ';
    is_first = false;
    switch (step.kind) {
      case TraceStep::Kind::kRun:
        fmt::format_to(std::back_inserter(text), "r{}", step.value / unit_ns);
        break;
      case TraceStep::Kind::kWake:
        fmt::format_to(std::back_inserter(text), "w{}", step.value);
        break;
      case TraceStep::Kind::kSleep:
        fmt::format_to(std::back_inserter(text), "s{}\n", step.value / unit_ns);
        is_first = true;
        break;
      case TraceStep::Kind::kWait:
        text += "b\n";
        is_first = true;
        break;
    }
  }
  if (!is_first) text += '\n';
}

// Reads line by line; every error names the line.
class Decoder {
 public:
  explicit Decoder(std::string_view text) : rest_(text) {}

  Result<WorkloadTrace> Run() {
    if (const Status fine = ReadHead(); !fine) return Fail(fine.error());
    while (!rest_.empty()) {
      NextLine();
      const bool is_task = line_.substr(0, 5) == "task ";
      const Status fine = is_task ? ReadTask() : ReadSteps();
      if (!fine) return Fail(fine.error());
    }
    if (const Status valid = Validate(trace_); !valid) return Fail(valid.error());
    return std::move(trace_);
  }

 private:
  void NextLine() {
    line_ = CutAt(rest_, '\n');
    ++line_number_;
  }

  tl::unexpected<Error> Refuse(std::string_view what) const {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("line {} of the trace: {}", line_number_, what));
  }

  Status ReadHead() {
    NextLine();
    if (!IsEncodedWorkloadTrace(line_)) {
      return Refuse(fmt::format("it does not begin with \"{}{}\"", kMagic, kVersion));
    }
    line_.remove_prefix(kMagic.size());
    if (line_ != kVersion) {
      return Refuse(fmt::format("version {} of the format is not known; this program reads {}",
                                line_.substr(0, 20), kVersion));
    }
    std::int64_t cpu_count = 0;
    if (Status fine = ReadValue("span_ns", kMaxSimulatedNs, trace_.span_ns); !fine) {
      return fine;
    }
    if (Status fine = ReadValue("cpus", kMaxCpus, cpu_count); !fine) return fine;
    trace_.cpu_count = static_cast<std::int32_t>(cpu_count);
    if (Status fine = ReadValue("unit_ns", kUnits.front(), unit_ns_); !fine) return fine;
    return unit_ns_ > 0 ? Status() : Refuse("unit_ns is 0");
  }

  Status ReadValue(std::string_view name, std::int64_t maximum, std::int64_t& value) {
    NextLine();
    std::string_view rest = line_;
    const std::string_view found = CutAt(rest, ' ');
    const auto number = ParseNumber<std::int64_t>(rest);
    if (found != name || !number || *number < 0 || *number > maximum) {
      return Refuse(fmt::format("expected \"{}\" and a number from 0 to {}", name, maximum));
    }
    value = *number;
    return {};
  }

  Status ReadTask() {
    std::string_view rest = line_.substr(5);
    const auto pid = ParseNumber<std::int32_t>(CutAt(rest, ' '));
    const auto priority = ParseNumber<std::int32_t>(CutAt(rest, ' '));
    std::optional<std::string> name = DecodeName(rest);
    if (!pid || !priority || !name) return Refuse("a task is \"task PID PRIORITY NAME\"");
    if (static_cast<std::int64_t>(trace_.tasks.size()) == kMaxTraceTasks) {
      return Refuse(fmt::format("there are more than {} tasks", kMaxTraceTasks));
    }
    trace_.tasks.push_back({std::move(*name), *pid, *priority, {}});
    return {};
  }

  Status ReadSteps() {
    if (trace_.tasks.empty()) return Refuse("steps before the first task");
    std::string_view rest = line_;
    while (!rest.empty()) {
      const std::string_view word = CutAt(rest, ' ');
      const std::optional<TraceStep> step = ParseStep(word);
      if (!step) {
        return Refuse(fmt::format("'{}' is no step: r, s or w and a number, or b",
                                  EncodeName(word.substr(0, 30))));
      }
      if (++step_count_ > kMaxTraceSteps) {
        return Refuse(fmt::format("there are more than {} steps", kMaxTraceSteps));
      }
      trace_.tasks.back().steps.push_back(*step);
    }
    return {};
  }

  std::optional<TraceStep> ParseStep(std::string_view word) const {
    if (word == "b") return TraceStep::Wait();
    if (word.empty()) return {};
    const auto value = ParseNumber<std::int64_t>(word.substr(1));
    if (!value || *value < 0) return {};
    if (word.front() == 'w') return TraceStep::Wake(*value);
    if (*value > kMaxSimulatedNs / unit_ns_) return {};
    if (word.front() == 'r') return TraceStep::Run(*value * unit_ns_);
    if (word.front() == 's') return TraceStep::Sleep(*value * unit_ns_);
    return {};
  }

  std::string_view rest_;
  std::string_view line_;
  std::int64_t line_number_ = 0;
  std::int64_t unit_ns_ = 1;
  std::int64_t step_count_ = 0;
  WorkloadTrace trace_;
};

}  // namespace

std::string EncodeWorkloadTrace(const WorkloadTrace& trace) {
  const std::int64_t unit_ns = UnitOf(trace);
  std::string text = fmt::format("{}{}\nspan_ns {}\ncpus {}\nunit_ns {}\n", kMagic, kVersion,
                                 trace.span_ns, trace.cpu_count, unit_ns);
  for (const TraceTask& task : trace.tasks) {
    fmt::format_to(std::back_inserter(text), "task {} {} {}\n", task.pid, task.priority,
                   EncodeName(task.name));
    AppendSteps(task, unit_ns, text);
  }
  return text;
}

bool IsEncodedWorkloadTrace(std::string_view text) {
  return text.substr(0, kMagic.size()) == kMagic;
}

Result<WorkloadTrace> DecodeWorkloadTrace(std::string_view text) { return Decoder(text).Run(); }

}  // namespace schedlab
