#include "sim/output/perfetto.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/output/text_writer.h"

namespace schedlab::sim {
namespace {

// Field numbers of google/perfetto, protos/perfetto/trace/.
enum class TraceField : std::uint32_t { kPacket = 1 };
enum class PacketField : std::uint32_t {
  kFtraceEvents = 1,
  kProcessTree = 2,
  kTimestamp = 8,
  kTrustedPacketSequenceId = 10,
};
enum class TreeField : std::uint32_t { kProcesses = 1, kThreads = 2 };
enum class ProcessField : std::uint32_t { kPid = 1, kParentPid = 2, kCommandLine = 3 };
enum class ThreadField : std::uint32_t { kThreadId = 1, kName = 2, kProcessId = 3 };
enum class BundleField : std::uint32_t { kCpu = 1, kEvent = 2 };
enum class EventField : std::uint32_t {
  kTimestamp = 1,
  kPid = 2,
  kSwitch = 4,
  kWaking = 20,
  kWakeupNew = 114,
  kMigrateTask = 491,
};
enum class SwitchField : std::uint32_t {
  kPreviousName = 1,
  kPreviousPid = 2,
  kPreviousPriority = 3,
  kPreviousState = 4,
  kNextName = 5,
  kNextPid = 6,
  kNextPriority = 7,
};
enum class WakeupField : std::uint32_t {
  kName = 1,
  kPid = 2,
  kPriority = 3,
  kSuccess = 4,
  kTargetCpu = 5,
};
enum class MigrationField : std::uint32_t {
  kName = 1,
  kPid = 2,
  kPriority = 3,
  kFromCpu = 4,
  kToCpu = 5,
};

constexpr std::uint32_t kVarint = 0;
constexpr std::uint32_t kLengthDelimited = 2;
constexpr std::size_t kBundleBytes = 32'768;

// One message in protobuf's wire format.
class Message {
 public:
  template <class Field>
  Message& Number(Field field, std::int64_t value) {
    AddTag(static_cast<std::uint32_t>(field), kVarint);
    AddVarint(static_cast<std::uint64_t>(value));
    return *this;
  }
  template <class Field>
  Message& Bytes(Field field, std::string_view value) {
    AddTag(static_cast<std::uint32_t>(field), kLengthDelimited);
    AddVarint(value.size());
    bytes_.append(value);
    return *this;
  }
  template <class Field>
  Message& Nested(Field field, const Message& message) {
    return Bytes(field, message.bytes_);
  }
  const std::string& bytes() const { return bytes_; }
  void Clear() { bytes_.clear(); }

 private:
  void AddTag(std::uint32_t field, std::uint32_t wire_type) { AddVarint(field << 3U | wire_type); }
  void AddVarint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_.push_back(static_cast<char>(value | 0x80U));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

Message SwitchMessage(const SimTrace& trace, const TraceRecord& record) {
  Message message;
  message.Bytes(SwitchField::kPreviousName, CommandNameOn(trace, record.task, record.cpu))
      .Number(SwitchField::kPreviousPid, ThreadIdOf(record.task))
      .Number(SwitchField::kPreviousPriority, record.priority.value())
      .Number(SwitchField::kPreviousState, StateBitsOf(record.reason))
      .Bytes(SwitchField::kNextName, CommandNameOn(trace, record.other, record.cpu))
      .Number(SwitchField::kNextPid, ThreadIdOf(record.other))
      .Number(SwitchField::kNextPriority, record.other_priority.value());
  return message;
}

Message WakeupMessage(const SimTrace& trace, const TraceRecord& record) {
  Message message;
  message.Bytes(WakeupField::kName, CommandNameOf(trace, record.task))
      .Number(WakeupField::kPid, ThreadIdOf(record.task))
      .Number(WakeupField::kPriority, record.priority.value())
      .Number(WakeupField::kSuccess, 1)
      .Number(WakeupField::kTargetCpu, record.target_cpu);
  return message;
}

Message MigrationMessage(const SimTrace& trace, const TraceRecord& record) {
  Message message;
  message.Bytes(MigrationField::kName, CommandNameOf(trace, record.task))
      .Number(MigrationField::kPid, ThreadIdOf(record.task))
      .Number(MigrationField::kPriority, record.priority.value())
      .Number(MigrationField::kFromCpu, record.cpu)
      .Number(MigrationField::kToCpu, record.target_cpu);
  return message;
}

Message EventMessage(const SimTrace& trace, const TraceRecord& record, std::int32_t running) {
  Message message;
  message.Number(EventField::kTimestamp, Ns(record.at))
      .Number(EventField::kPid, ThreadIdOf(running));
  switch (record.event) {
    case TraceEvent::kSwitch:
      message.Nested(EventField::kSwitch, SwitchMessage(trace, record));
      break;
    case TraceEvent::kWake:
      message.Nested(EventField::kWaking, WakeupMessage(trace, record));
      break;
    case TraceEvent::kCreate:
      message.Nested(EventField::kWakeupNew, WakeupMessage(trace, record));
      break;
    case TraceEvent::kMigrate:
      message.Nested(EventField::kMigrateTask, MigrationMessage(trace, record));
      break;
  }
  return message;
}

void WritePacket(Message& packet, const ByteSink& sink) {
  packet.Number(PacketField::kTrustedPacketSequenceId, 1);
  Message trace;
  trace.Nested(TraceField::kPacket, packet);
  sink(trace.bytes());
}

Message ProcessTree(const SimTrace& trace, std::string_view title) {
  Message process;
  process.Number(ProcessField::kPid, kTracedProcessId)
      .Number(ProcessField::kParentPid, 0)
      .Bytes(ProcessField::kCommandLine, title);
  Message tree;
  tree.Nested(TreeField::kProcesses, process);
  for (std::size_t i = 0; i < trace.tasks().size(); ++i) {
    Message thread;
    thread.Number(ThreadField::kThreadId, ThreadIdOf(static_cast<std::int32_t>(i)))
        .Bytes(ThreadField::kName, CommandNameOf(trace, static_cast<std::int32_t>(i)))
        .Number(ThreadField::kProcessId, kTracedProcessId);
    tree.Nested(TreeField::kThreads, thread);
  }
  return tree;
}

std::string TitleOf(const SimTrace& trace, std::string_view title) {
  if (trace.dropped_count() == 0) return std::string(title);
  return fmt::format("{} (cut at {} s: {} later events are not in this file)", title,
                     SecondsText(trace.end()), trace.dropped_count());
}

// The events of each CPU that are not yet written, as the fields of a bundle.
class Bundles {
 public:
  Bundles(const SimTrace& trace, const ByteSink& sink)
      : sink_(sink), pending_(static_cast<std::size_t>(trace.cpu_count())) {}

  void Add(CpuNumber cpu, const Message& event) {
    Message& bundle = pending_[static_cast<std::size_t>(cpu)];
    if (bundle.bytes().empty()) bundle.Number(BundleField::kCpu, cpu);
    bundle.Nested(BundleField::kEvent, event);
    if (bundle.bytes().size() >= kBundleBytes) Write(bundle);
  }
  void Finish() {
    for (Message& bundle : pending_) {
      if (!bundle.bytes().empty()) Write(bundle);
    }
  }

 private:
  void Write(Message& bundle) {
    Message packet;
    packet.Nested(PacketField::kFtraceEvents, bundle);
    WritePacket(packet, sink_);
    bundle.Clear();
  }

  const ByteSink& sink_;
  std::vector<Message> pending_;
};

}  // namespace

void WritePerfetto(const SimTrace& trace, std::string_view title, const ByteSink& sink) {
  Message names;
  names.Number(PacketField::kTimestamp, 0)
      .Nested(PacketField::kProcessTree, ProcessTree(trace, TitleOf(trace, title)));
  WritePacket(names, sink);
  Bundles bundles(trace, sink);
  RunningTasks running(trace);
  trace.ForEach([&](const TraceRecord& record) {
    bundles.Add(record.cpu, EventMessage(trace, record, running.On(record.cpu)));
    running.Follow(record);
  });
  bundles.Finish();
}

}  // namespace schedlab::sim
