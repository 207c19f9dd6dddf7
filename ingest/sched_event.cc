#include "ingest/sched_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "core/limits.h"

namespace schedlab::ingest {
namespace {

constexpr std::string_view kArrow = " ==> ";
constexpr std::int64_t kMaxSeconds = 4'000'000'000;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::size_t kMaxFlagsLength = 12;
constexpr std::int64_t kMaxCount = 1'000'000'000'000;  // of lost events, in one place

tl::unexpected<Error> Refuse(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

template <class Number>
std::optional<Number> ParseNumber(std::string_view text, int base = 10) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  return value;
}

// The word at the start of `text`, which is removed from it with the space around it.
std::string_view CutWord(std::string_view& text) {
  text = Trimmed(text);
  const std::size_t end = text.find_first_of(" \t");
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : Trimmed(text.substr(end));
  return word;
}

// "1368.853940:", with 1 to 9 digits behind the point.
std::optional<std::int64_t> ParseTime(std::string_view word) {
  if (word.empty() || word.back() != ':') return {};
  word.remove_suffix(1);
  const std::size_t point = word.find('.');
  if (point == std::string_view::npos) return {};
  const std::string_view digits = word.substr(point + 1);
  const auto seconds = ParseNumber<std::int64_t>(word.substr(0, point));
  auto fraction = ParseNumber<std::int64_t>(digits);
  const bool is_fine = seconds && *seconds >= 0 && *seconds <= kMaxSeconds && fraction &&
                       *fraction >= 0 && digits.size() <= 9;
  if (!is_fine) return {};
  for (std::size_t i = digits.size(); i < 9; ++i) *fraction *= 10;
  return *seconds * kNsPerSecond + *fraction;
}

// Who was executing: "comm pid" or "comm pid/tid" from perf, "comm-pid" from ftrace, there also
// followed by the thread group in parentheses.
bool ParseCurrent(std::string_view text, SchedLineHead& head) {
  text = Trimmed(text);
  if (!text.empty() && text.back() == ')') {
    const std::size_t open = text.rfind('(');
    if (open == std::string_view::npos) return false;
    text = Trimmed(text.substr(0, open));
  }
  const std::size_t space = text.find_last_of(" \t");
  std::string_view last = space == std::string_view::npos ? text : text.substr(space + 1);
  if (const std::size_t slash = last.rfind('/'); slash != std::string_view::npos) {
    const std::string_view thread = last.substr(slash + 1);
    if (ParseNumber<std::int32_t>(last.substr(0, slash)) && ParseNumber<std::int32_t>(thread)) {
      last = thread;
    }
  }
  auto pid = ParseNumber<std::int32_t>(last);
  head.style = SchedTextStyle::kPerf;
  if (!pid || space == std::string_view::npos) {
    const std::size_t dash = text.rfind('-');
    if (dash == std::string_view::npos) return false;
    pid = ParseNumber<std::int32_t>(text.substr(dash + 1));
    head.style = SchedTextStyle::kFtrace;
  }
  if (!pid || *pid < 0) return false;
  head.pid = *pid;
  return true;
}

// The third of ftrace's flag characters: h, H, z and Z are interrupts of some kind; s is a soft
// interrupt, in which for instance a sender delivers its own packet.
bool FlagsSayInterrupt(std::string_view flags) {
  return flags.size() > 2 && std::string_view("hHzZ").find(flags[2]) != std::string_view::npos;
}

// What follows "[cpu]": flags in some formats, the time, perhaps a sample period, "group:event:".
bool ParseEvent(std::string_view text, SchedLineHead& head) {
  std::string_view word = CutWord(text);
  std::optional<std::int64_t> at = ParseTime(word);
  if (!at && word.size() <= kMaxFlagsLength) {
    head.is_in_interrupt = FlagsSayInterrupt(word);
    word = CutWord(text);
    at = ParseTime(word);
  }
  if (!at) return false;
  head.at_ns = *at;
  word = CutWord(text);
  if (ParseNumber<std::int64_t>(word)) word = CutWord(text);
  if (!word.empty() && word.back() == ':') word.remove_suffix(1);
  if (const std::size_t group = word.find(':'); group != std::string_view::npos) {
    word.remove_prefix(group + 1);
  }
  head.event = word;
  head.body = text;
  return true;
}

struct MentionKeys {
  std::string_view name;
  std::string_view pid;
  std::string_view priority;
};

// "comm=NAME pid=N prio=N ...": a name may hold anything, so its end is the last place at which
// the rest can be read.
std::optional<TaskMention> ParseKeyedMention(std::string_view text, const MentionKeys& keys) {
  text = Trimmed(text);
  if (text.substr(0, keys.name.size()) != keys.name) return {};
  const std::string pid_key = fmt::format(" {}", keys.pid);
  const std::size_t at = text.rfind(pid_key);
  if (at == std::string_view::npos || at < keys.name.size()) return {};
  TaskMention mention;
  mention.name = text.substr(keys.name.size(), at - keys.name.size());
  std::string_view rest = text.substr(at + pid_key.size());
  const auto pid = ParseNumber<std::int32_t>(CutWord(rest));
  if (!pid || *pid < 0) return {};
  mention.pid = *pid;
  if (rest.substr(0, keys.priority.size()) == keys.priority) {
    rest.remove_prefix(keys.priority.size());
    mention.priority = ParseNumber<std::int32_t>(CutWord(rest));
  }
  return mention;
}

// "NAME:PID [PRIORITY]" at the start of `text`, from which the rest is left over.
std::optional<TaskMention> CutPluginMention(std::string_view& text) {
  for (std::size_t open = text.rfind(" ["); open != std::string_view::npos && open > 0;
       open = text.rfind(" [", open - 1)) {
    const std::size_t close = text.find(']', open);
    const std::size_t colon = text.rfind(':', open);
    if (close == std::string_view::npos || colon == std::string_view::npos) continue;
    const auto pid = ParseNumber<std::int32_t>(text.substr(colon + 1, open - colon - 1));
    const auto priority = ParseNumber<std::int32_t>(text.substr(open + 2, close - open - 2));
    if (!pid || *pid < 0 || !priority) continue;
    const TaskMention mention{*pid, *priority, Trimmed(text.substr(0, colon))};
    text = Trimmed(text.substr(close + 1));
    return mention;
  }
  return {};
}

std::optional<SwitchBody> ParsePluginSwitch(std::string_view left, std::string_view right) {
  SwitchBody body;
  const auto previous = CutPluginMention(left);
  const auto next = CutPluginMention(right);
  if (!previous || !next || left.empty()) return {};
  body.previous = *previous;
  body.next = *next;
  body.is_previous_runnable = IsRunnableState(left);
  return body;
}

std::optional<SwitchBody> ParseKeyedSwitch(std::string_view left, std::string_view right) {
  constexpr std::string_view kState = " prev_state=";
  const std::size_t state = left.rfind(kState);
  if (state == std::string_view::npos) return {};
  const auto previous =
      ParseKeyedMention(left.substr(0, state), {"prev_comm=", "prev_pid=", "prev_prio="});
  const auto next = ParseKeyedMention(right, {"next_comm=", "next_pid=", "next_prio="});
  const std::string_view letters = Trimmed(left.substr(state + kState.size()));
  if (!previous || !next || letters.empty()) return {};
  return SwitchBody{*previous, *next, IsRunnableState(letters)};
}

// The count that stands in `text` between `before` and `after`, where it can be one.
std::optional<std::int64_t> NumberBetween(std::string_view text, std::string_view before,
                                          std::string_view after) {
  const std::size_t start = text.find(before);
  if (start == std::string_view::npos) return {};
  const std::string_view rest = text.substr(start + before.size());
  const std::size_t end = after.empty() ? rest.find_first_not_of("0123456789") : rest.find(after);
  const auto count = ParseNumber<std::int64_t>(Trimmed(rest.substr(0, end)));
  return count && *count >= 0 && *count <= kMaxCount ? count : std::nullopt;
}

}  // namespace

std::optional<SchedLineHead> ParseSchedLineHead(std::string_view line) {
  for (std::size_t open = line.find('['); open != std::string_view::npos;
       open = line.find('[', open + 1)) {
    const std::size_t close = line.find(']', open);
    if (close == std::string_view::npos) return {};
    const auto cpu = ParseNumber<std::int32_t>(line.substr(open + 1, close - open - 1));
    SchedLineHead head;
    if (!cpu || *cpu < 0) continue;
    if (!ParseEvent(line.substr(close + 1), head)) continue;
    if (!ParseCurrent(line.substr(0, open), head)) continue;
    head.cpu = *cpu;
    return head;
  }
  return {};
}

Result<SwitchBody> ParseSwitchBody(std::string_view body) {
  for (std::size_t at = body.find(kArrow); at != std::string_view::npos;
       at = body.find(kArrow, at + 1)) {
    const std::string_view left = body.substr(0, at);
    const std::string_view right = body.substr(at + kArrow.size());
    if (const auto keyed = ParseKeyedSwitch(left, right)) return *keyed;
    if (const auto plugin = ParsePluginSwitch(left, right)) return *plugin;
  }
  return Refuse("sched_switch without the two tasks and the state that it has");
}

Result<TaskMention> ParseWakeBody(std::string_view body) {
  if (const auto keyed = ParseKeyedMention(body, {"comm=", "pid=", "prio="})) return *keyed;
  if (const auto plugin = CutPluginMention(body)) return *plugin;
  return Refuse("a wakeup without the task that it is of");
}

Result<TaskMention> ParseForkBody(std::string_view body) {
  const std::size_t child = body.rfind(" child_comm=");
  if (child != std::string_view::npos) {
    const auto mention = ParseKeyedMention(body.substr(child), {"child_comm=", "child_pid=", "-"});
    if (mention) return *mention;
  }
  return Refuse("sched_process_fork without the child that it has");
}

bool IsRunnableState(std::string_view state) {
  state = Trimmed(state);
  const bool is_hexadecimal = state.substr(0, 2) == "0x";
  const auto number = is_hexadecimal ? ParseNumber<std::int64_t>(state.substr(2), 16)
                                     : ParseNumber<std::int64_t>(state);
  // The low byte has all the bits of states that block; above it stand marks such as "preempted",
  // whose place differs between kernels.
  if (number) return (*number & 0xff) == 0;
  return !state.empty() && state.front() == 'R';
}

std::optional<LostEvents> ParseLostLine(std::string_view line) {
  LostEvents lost;
  const auto cpu = NumberBetween(line, "CPU:", "");
  if (cpu && *cpu < kMaxCpus) lost.cpu = static_cast<std::int32_t>(*cpu);
  if (const auto count = NumberBetween(line, "[LOST ", " EVENTS]")) {
    lost.count = *count;
    return lost;
  }
  if (line.find("EVENTS DROPPED]") != std::string_view::npos) {
    lost.count = NumberBetween(line, "[", " EVENTS DROPPED]").value_or(0);
    return lost;
  }
  if (line.find("PERF_RECORD_LOST") != std::string_view::npos) {
    lost.count = NumberBetween(line, " lost ", "").value_or(0);
    return lost;
  }
  return {};
}

bool NamesSchedEvent(std::string_view line) {
  constexpr std::array<std::string_view, 4> kNames = {
      "sched_switch:", "sched_waking:", "sched_wakeup:", "sched_wakeup_new:"};
  return std::any_of(kNames.begin(), kNames.end(), [line](std::string_view name) {
    const std::size_t at = line.find(name);
    if (at == std::string_view::npos || at == 0) return false;
    return line[at - 1] == ' ' || line[at - 1] == ':';
  });
}

BufferRemark ParseBufferRemark(std::string_view comment) {
  BufferRemark remark;
  const auto kept = NumberBetween(comment, "entries-in-buffer/entries-written: ", "/");
  const std::size_t slash = comment.rfind('/');
  if (kept && slash != std::string_view::npos) {
    const auto written = NumberBetween(comment.substr(slash), "/", "");
    if (written) remark.overwritten_count = std::max<std::int64_t>(*written - *kept, 0);
  }
  const auto cpu = NumberBetween(comment, "##### CPU ", " buffer started");
  if (cpu && *cpu < kMaxCpus) remark.started_cpu = static_cast<std::int32_t>(*cpu);
  return remark;
}

}  // namespace schedlab::ingest
