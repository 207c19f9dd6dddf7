#include "sim/output/perfetto.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "tests/unit/sim/output/traces.h"

namespace schedlab::sim {
namespace {

// A message as protobuf's wire format alone tells it: numbers and bytes by field, in order.
struct WireMessage {
  std::multimap<std::uint64_t, std::int64_t> numbers;
  std::multimap<std::uint64_t, std::string> bytes;

  std::int64_t number(std::uint64_t field) const { return numbers.find(field)->second; }
  const std::string& text(std::uint64_t field) const { return bytes.find(field)->second; }
};

std::uint64_t ReadVarint(const std::string& data, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(data.at(at++));
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
}

WireMessage Decode(const std::string& data) {
  WireMessage message;
  for (std::size_t at = 0; at < data.size();) {
    const std::uint64_t tag = ReadVarint(data, at);
    const std::uint64_t value = ReadVarint(data, at);
    if ((tag & 7U) == 0) {
      message.numbers.emplace(tag >> 3U, static_cast<std::int64_t>(value));
    } else {
      message.bytes.emplace(tag >> 3U, data.substr(at, value));
      at += value;
    }
  }
  return message;
}

std::vector<WireMessage> Nested(const WireMessage& message, std::uint64_t field) {
  std::vector<WireMessage> nested;
  const auto [begin, end] = message.bytes.equal_range(field);
  for (auto one = begin; one != end; ++one) nested.push_back(Decode(one->second));
  return nested;
}

std::vector<WireMessage> PacketsOf(const SimTrace& trace) {
  return Nested(Decode(Written([&trace](const ByteSink& sink) {
                  WritePerfetto(trace, "schedlab small", sink);
                })),
                1);
}

TEST(PerfettoTest, TheFirstPacketNamesTheProcessAndItsThreads) {
  const std::vector<WireMessage> packets = PacketsOf(SmallTrace());
  const WireMessage tree = Nested(packets.at(0), 2).at(0);
  const WireMessage process = Nested(tree, 1).at(0);
  const std::vector<WireMessage> threads = Nested(tree, 2);

  EXPECT_EQ(packets[0].number(10), 1);
  EXPECT_EQ(process.number(1), 1000);
  EXPECT_EQ(process.text(3), "schedlab small");
  ASSERT_EQ(threads.size(), 3U);
  EXPECT_EQ(threads[1].number(1), 1002);
  EXPECT_EQ(threads[1].text(2), "rq-worker-b");
  EXPECT_EQ(threads[1].number(3), 1000);
}

TEST(PerfettoTest, EachCpuHasABundleOfItsEvents) {
  const std::vector<WireMessage> packets = PacketsOf(SmallTrace());
  const WireMessage first = Nested(packets.at(1), 1).at(0);
  const WireMessage second = Nested(packets.at(2), 1).at(0);

  EXPECT_EQ(packets.size(), 3U);
  EXPECT_EQ(first.number(1), 0);
  EXPECT_EQ(second.number(1), 1);
  EXPECT_EQ(Nested(first, 2).size(), 4U);
  EXPECT_EQ(Nested(second, 2).size(), 3U);
}

TEST(PerfettoTest, AnEventHasTheFieldsOfItsKernelEvent) {
  const std::vector<WireMessage> events = Nested(Nested(PacketsOf(SmallTrace()).at(1), 1).at(0), 2);
  const WireMessage waking = Nested(events.at(1), 20).at(0);
  const WireMessage migration = Nested(events.at(2), 491).at(0);
  const WireMessage sleeping = Nested(events.at(3), 4).at(0);

  EXPECT_EQ(events[1].number(1), 500'000);
  EXPECT_EQ(events[1].number(2), 1001);
  EXPECT_EQ(waking.text(1), "rq-worker-b");
  EXPECT_EQ(waking.number(2), 1002);
  EXPECT_EQ(waking.number(5), 1);
  EXPECT_EQ(migration.number(4), 0);
  EXPECT_EQ(migration.number(5), 1);
  EXPECT_EQ(sleeping.text(1), "rq-worker-a");
  EXPECT_EQ(sleeping.number(4), 1);
  EXPECT_EQ(sleeping.text(5), "swapper/0");
  EXPECT_EQ(sleeping.number(6), 0);
}

TEST(PerfettoTest, ANewTaskIsWokenAsNewAndADeadlineTaskHasANegativePriority) {
  SimTrace trace(1);
  trace.Task(0).name = "deadline";
  trace.Append(
      {.at = At(1), .task = 0, .event = TraceEvent::kCreate, .priority = TracedPriority(-1)});
  trace.Close(At(1));

  const WireMessage event = Nested(Nested(PacketsOf(trace).at(1), 1).at(0), 2).at(0);

  EXPECT_EQ(Nested(event, 114).at(0).number(3), -1);
}

TEST(PerfettoTest, ALongRunIsSplitIntoPacketsOfModerateSize) {
  const TracedRun run =
      RunTraced(ShortHackbench("kvm-4x4", Costs::kReal), ShippedPolicy("linux-fair@v3.11"), 1);

  std::int64_t event_count = 0;
  std::size_t largest = 0;
  const std::vector<WireMessage> packets = PacketsOf(run.trace);
  for (const WireMessage& packet : packets) {
    for (const WireMessage& bundle : Nested(packet, 1)) {
      event_count += static_cast<std::int64_t>(bundle.bytes.count(2));
      largest = std::max(largest, packet.text(1).size());
    }
  }

  EXPECT_EQ(event_count, run.trace.record_count());
  EXPECT_LT(largest, 40'000U);
  EXPECT_GT(packets.size(), 17U);
}

TEST(PerfettoTest, TheTitleOfACutTraceSaysSo) {
  SimTrace trace(1, 1);
  trace.Task(0).name = "one";
  trace.Append({.at = At(2), .task = kIdleTask, .other = 0});
  trace.Append({.at = At(3), .task = 0, .other = kIdleTask});
  trace.Close(At(9));

  const WireMessage process = Nested(Nested(PacketsOf(trace).at(0), 2).at(0), 1).at(0);

  EXPECT_EQ(process.text(3),
            "schedlab small (cut at 0.000002 s: 1 later events are not in this file)");
}

}  // namespace
}  // namespace schedlab::sim
