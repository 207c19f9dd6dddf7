#include "sim/output/trace_dat.h"

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/check.h"
#include "sim/output/trace_dat_formats.h"

namespace schedlab::sim {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kPageHeaderBytes = 16;
constexpr std::size_t kCommandBytes = 16;
constexpr std::uint32_t kTimeExtend = 30;
constexpr unsigned kDeltaBits = 27;
constexpr std::uint64_t kDeltaMask = (std::uint64_t{1} << kDeltaBits) - 1;
constexpr std::uint8_t kIrqsOff = 0x01;
constexpr std::uint8_t kInInterrupt = 0x08;
constexpr std::uint8_t kPreemptDepth = 2;

// Little-endian fields, one after the other.
class Fields {
 public:
  template <std::integral Integer>
  Fields& Add(Integer value) {
    for (std::size_t i = 0; i < sizeof(value); ++i) {
      bytes_.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i)));
    }
    return *this;
  }
  Fields& Text(std::string_view text) {
    bytes_.append(text);
    return *this;
  }
  Fields& Terminated(std::string_view text) {
    Text(text).bytes_.push_back('\0');
    return *this;
  }
  Fields& Sized(std::string_view text) { return Add(std::uint64_t{text.size()}).Text(text); }
  Fields& Command(const std::string& name) {
    SCHEDLAB_CHECK(name.size() < kCommandBytes);
    Text(name).bytes_.append(kCommandBytes - name.size(), '\0');
    return *this;
  }
  void PadTo(std::size_t size) { bytes_.resize(size); }
  std::size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::uint16_t IdOf(TraceEvent event) {
  switch (event) {
    case TraceEvent::kSwitch:
      return kDatSwitchId;
    case TraceEvent::kWake:
      return kDatWakingId;
    case TraceEvent::kCreate:
      return kDatWakeupNewId;
    case TraceEvent::kMigrate:
      return kDatMigrateId;
  }
  return 0;
}

std::uint8_t FlagsOf(const TraceRecord& record) {
  const bool is_wakeup = record.event == TraceEvent::kWake || record.event == TraceEvent::kCreate;
  return is_wakeup && record.other == kIdleTask ? kIrqsOff | kInInterrupt : kIrqsOff;
}

// The part of an event that is the same in all: type, flags, depth and who runs there.
Fields EventStart(const TraceRecord& record, std::int32_t running) {
  Fields fields;
  fields.Add(IdOf(record.event)).Add(FlagsOf(record)).Add(kPreemptDepth).Add(ThreadIdOf(running));
  return fields;
}

Fields EventFields(const SimTrace& trace, const TraceRecord& record, std::int32_t running) {
  Fields fields = EventStart(record, running);
  if (record.event == TraceEvent::kSwitch) {
    fields.Command(CommandNameOn(trace, record.task, record.cpu))
        .Add(ThreadIdOf(record.task))
        .Add(record.priority.value())
        .Add(StateBitsOf(record.reason))
        .Command(CommandNameOn(trace, record.other, record.cpu))
        .Add(ThreadIdOf(record.other))
        .Add(record.other_priority.value());
    return fields;
  }
  fields.Command(CommandNameOf(trace, record.task))
      .Add(ThreadIdOf(record.task))
      .Add(record.priority.value());
  if (record.event == TraceEvent::kMigrate) fields.Add(std::int32_t{record.cpu});
  fields.Add(std::int32_t{record.target_cpu});
  return fields;
}

// What EventFields() takes, without making them.
std::size_t EventBytes(TraceEvent event) {
  switch (event) {
    case TraceEvent::kSwitch:
      return 64;
    case TraceEvent::kWake:
    case TraceEvent::kCreate:
      return 36;
    case TraceEvent::kMigrate:
      return 40;
  }
  return 0;
}

// How the events of one CPU fall into pages.
class PageLayout {
 public:
  struct Place {
    bool begins_page = false;
    std::uint64_t delta = 0;  // since the event before, or the beginning of the page
    bool is_extended() const { return delta > kDeltaMask; }
  };

  Place Next(const TraceRecord& record) {
    const auto at = static_cast<std::uint64_t>(Ns(record.at));
    Place place{.begins_page = page_count_ == 0, .delta = at - last_at_};
    if (page_count_ > 0 && used_ + BytesOf(record.event, place) > kPageBytes) {
      place.begins_page = true;
    }
    if (place.begins_page) {
      ++page_count_;
      used_ = kPageHeaderBytes;
      place.delta = 0;
    }
    used_ += BytesOf(record.event, place);
    last_at_ = at;
    return place;
  }
  std::uint64_t page_count() const { return page_count_; }

 private:
  static std::size_t BytesOf(TraceEvent event, const Place& place) {
    return sizeof(std::uint32_t) + EventBytes(event) +
           (place.is_extended() ? 2 * sizeof(std::uint32_t) : 0);
  }

  std::uint64_t page_count_ = 0;
  std::size_t used_ = 0;
  std::uint64_t last_at_ = 0;
};

// One ring buffer page that is being filled.
class Page {
 public:
  void Begin(SimTime at) {
    at_ = at;
    data_ = Fields();
  }
  void Add(const PageLayout::Place& place, const Fields& event) {
    if (place.is_extended()) {
      data_.Add(Header(kTimeExtend, place.delta));
      data_.Add(static_cast<std::uint32_t>(place.delta >> kDeltaBits));
    }
    const std::uint64_t delta = place.is_extended() ? 0 : place.delta;
    data_.Add(Header(static_cast<std::uint32_t>(event.size() / 4), delta)).Text(event.bytes());
  }
  void Write(const ByteSink& sink) const {
    Fields page;
    page.Add(Ns(at_)).Add(std::uint64_t{data_.size()}).Text(data_.bytes()).PadTo(kPageBytes);
    sink(page.bytes());
  }

 private:
  static std::uint32_t Header(std::uint32_t type_length, std::uint64_t delta) {
    return type_length | static_cast<std::uint32_t>(delta & kDeltaMask) << 5U;
  }

  SimTime at_;
  Fields data_;
};

// The records of each CPU, and who ran there before each.
struct CpuRecord {
  const TraceRecord* record;
  std::int32_t running;
};

std::vector<std::vector<CpuRecord>> SplitByCpu(const SimTrace& trace) {
  std::vector<std::vector<CpuRecord>> by_cpu(static_cast<std::size_t>(trace.cpu_count()));
  RunningTasks running(trace);
  trace.ForEach([&](const TraceRecord& record) {
    by_cpu[static_cast<std::size_t>(record.cpu)].push_back({&record, running.On(record.cpu)});
    running.Follow(record);
  });
  return by_cpu;
}

std::uint64_t PageCount(const std::vector<CpuRecord>& records) {
  PageLayout layout;
  for (const CpuRecord& one : records) layout.Next(*one.record);
  return layout.page_count();
}

void WritePages(const SimTrace& trace, const std::vector<CpuRecord>& records,
                const ByteSink& sink) {
  PageLayout layout;
  Page page;
  for (const CpuRecord& one : records) {
    const PageLayout::Place place = layout.Next(*one.record);
    if (place.begins_page) {
      if (layout.page_count() > 1) page.Write(sink);
      page.Begin(one.record->at);
    }
    page.Add(place, EventFields(trace, *one.record, one.running));
  }
  if (!records.empty()) page.Write(sink);
}

std::string CommandNames(const SimTrace& trace) {
  std::string text;
  for (std::size_t i = 0; i < trace.tasks().size(); ++i) {
    const auto task = static_cast<std::int32_t>(i);
    text += fmt::format("{} {}\n", ThreadIdOf(task), CommandNameOf(trace, task));
  }
  return text;
}

// Everything before the list of where each CPU's pages are.
Fields FileHead(const SimTrace& trace) {
  constexpr std::uint8_t kLittleEndian = 0;
  constexpr std::uint8_t kLongBytes = 8;
  Fields head;
  head.Text("\x17\x08\x44tracing").Terminated("6").Add(kLittleEndian).Add(kLongBytes);
  head.Add(static_cast<std::uint32_t>(kPageBytes));
  head.Terminated("header_page").Sized(kDatPageFormat);
  head.Terminated("header_event").Sized(kDatEventHeader);
  head.Add(std::uint32_t{0});  // no formats of ftrace itself
  head.Add(std::uint32_t{1}).Terminated("sched");
  head.Add(static_cast<std::uint32_t>(kDatEventFormats.size()));
  for (const DatEventFormat& format : kDatEventFormats) head.Sized(format.text);
  head.Add(std::uint32_t{0});  // no addresses of symbols
  head.Add(std::uint32_t{0});  // no printk formats
  head.Sized(CommandNames(trace));
  head.Add(trace.cpu_count()).Terminated("flyrecord");
  return head;
}

}  // namespace

void WriteTraceDat(const SimTrace& trace, const ByteSink& sink) {
  const std::vector<std::vector<CpuRecord>> by_cpu = SplitByCpu(trace);
  Fields head = FileHead(trace);
  const std::size_t head_bytes = head.size() + by_cpu.size() * 2 * sizeof(std::uint64_t);
  const std::size_t first_page = (head_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  std::uint64_t offset = first_page;
  for (const std::vector<CpuRecord>& records : by_cpu) {
    const std::uint64_t bytes = PageCount(records) * kPageBytes;
    head.Add(offset).Add(bytes);
    offset += bytes;
  }
  head.PadTo(first_page);
  sink(head.bytes());
  for (const std::vector<CpuRecord>& records : by_cpu) WritePages(trace, records, sink);
}

}  // namespace schedlab::sim
