#include "sim/output/trace_dat.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/unit/sim/output/traces.h"

namespace schedlab::sim {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kPageBytes = 4096;

std::string BytesOf(const SimTrace& trace) {
  return Written([&trace](const ByteSink& sink) { WriteTraceDat(trace, sink); });
}

template <class Integer>
Integer ReadAt(const std::string& bytes, std::size_t offset) {
  Integer value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

// Where the pages of a CPU are, from the list after "flyrecord".
struct Section {
  std::uint64_t offset;
  std::uint64_t size;
};
Section SectionOf(const std::string& bytes, std::size_t cpu) {
  const std::size_t list = bytes.find("flyrecord") + sizeof("flyrecord");
  return {ReadAt<std::uint64_t>(bytes, list + 16 * cpu),
          ReadAt<std::uint64_t>(bytes, list + 16 * cpu + 8)};
}

SimTrace Alternating(std::int64_t switch_count, std::int64_t microseconds_apart) {
  SimTrace trace(1);
  trace.Task(0).name = "one";
  for (std::int64_t i = 0; i < switch_count; ++i) {
    trace.Append({.at = At(i * microseconds_apart),
                  .task = i % 2 == 0 ? kIdleTask : 0,
                  .other = i % 2 == 0 ? 0 : kIdleTask,
                  .reason = i % 2 == 0 ? LeaveReason::kPreempted : LeaveReason::kBlocked});
  }
  trace.Close(At(switch_count * microseconds_apart));
  return trace;
}

// Magic, version, endianness, size of long, page size, then the two headers: as trace-cmd 3.1.6
// writes version 6.
TEST(TraceDatTest, TheFileBeginsAsVersion6) {
  const std::string bytes = BytesOf(SmallTrace());

  EXPECT_EQ(bytes.substr(0, 18), "\x17\x08\x44tracing6\0\0\x08\0\x10\0\0"sv);
  EXPECT_EQ(bytes.substr(18, 12), "header_page\0"sv);
  EXPECT_EQ(ReadAt<std::uint64_t>(bytes, 30), 205U);
  EXPECT_EQ(bytes.substr(38 + 205, 13), "header_event\0"sv);
  EXPECT_EQ(ReadAt<std::uint64_t>(bytes, 38 + 205 + 13), 205U);
}

TEST(TraceDatTest, EachCpuHasItsPagesAfterTheHead) {
  const std::string bytes = BytesOf(SmallTrace());
  const Section first = SectionOf(bytes, 0);
  const Section second = SectionOf(bytes, 1);

  EXPECT_EQ(first.offset % kPageBytes, 0U);
  EXPECT_EQ(first.size, kPageBytes);
  EXPECT_EQ(second.offset, first.offset + first.size);
  EXPECT_EQ(second.size, kPageBytes);
  EXPECT_EQ(bytes.size(), second.offset + second.size);
}

// The first page of the file that trace-cmd has opened: time, bytes, then a switch of 64 bytes.
TEST(TraceDatTest, APageHoldsItsTimeItsSizeAndCompressedHeaders) {
  const std::string bytes = BytesOf(SmallTrace());
  const std::size_t page = SectionOf(bytes, 0).offset;

  EXPECT_EQ(ReadAt<std::uint64_t>(bytes, page), 1'000U);
  EXPECT_EQ(ReadAt<std::uint64_t>(bytes, page + 8), 0xdcU);
  EXPECT_EQ(ReadAt<std::uint32_t>(bytes, page + 16), 0x10U);
  EXPECT_EQ(bytes.substr(page + 20, 8), "\x74\x01\x01\x02\0\0\0\0"sv);
  EXPECT_EQ(bytes.substr(page + 28, 10), "swapper/0\0"sv);
  EXPECT_EQ(bytes.substr(page + 60, 12), "rq-worker-a\0"sv);
  EXPECT_EQ(ReadAt<std::uint32_t>(bytes, page + 84), 499'000U << 5U | 9U);
}

TEST(TraceDatTest, AFullPageIsFollowedByAnother) {
  constexpr std::int64_t kSwitchesPerPage = (4096 - 16) / 68;
  const std::string bytes = BytesOf(Alternating(2 * kSwitchesPerPage + 1, 10));
  const Section section = SectionOf(bytes, 0);

  EXPECT_EQ(section.size, 3 * kPageBytes);
  EXPECT_EQ(ReadAt<std::uint64_t>(bytes, section.offset + kPageBytes),
            static_cast<std::uint64_t>(kSwitchesPerPage) * 10'000U);
  EXPECT_EQ(ReadAt<std::uint64_t>(bytes, section.offset + 8), 60U * 68U);
  EXPECT_EQ(ReadAt<std::uint64_t>(bytes, section.offset + 2 * kPageBytes + 8), 68U);
}

// 27 bits of nanoseconds are 134 ms.
TEST(TraceDatTest, ALongSilenceIsATimeExtension) {
  const std::string bytes = BytesOf(Alternating(2, 1'000'000));
  const std::size_t page = SectionOf(bytes, 0).offset;
  const std::size_t second = page + 16 + 68;
  const auto low = ReadAt<std::uint32_t>(bytes, second);
  const auto high = ReadAt<std::uint32_t>(bytes, second + 4);

  EXPECT_EQ(low & 31U, 30U);
  EXPECT_EQ((std::uint64_t{high} << 27U) + (low >> 5U), 1'000'000'000U);
  EXPECT_EQ(ReadAt<std::uint32_t>(bytes, second + 8), 16U);
}

TEST(TraceDatTest, ARunWithoutEventsIsAFileWithoutPages) {
  SimTrace trace(3);
  trace.Close(At(1));

  const std::string bytes = BytesOf(trace);

  EXPECT_EQ(SectionOf(bytes, 2).size, 0U);
  EXPECT_EQ(bytes.size() % kPageBytes, 0U);
}

}  // namespace
}  // namespace schedlab::sim
