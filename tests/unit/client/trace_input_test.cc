#include "client/trace_input.h"

#include <gtest/gtest.h>

#include <fstream>

#include "client/sim_input.h"
#include "tests/unit/client/temporary_folder.h"

namespace schedlab::client {
namespace {

constexpr std::string_view kRecording =
    "          <idle>-0     [000]     0.000001: sched_switch:  swapper/0:0 [120] R ==> a:7 [120]\n"
    "               a-7     [000]     0.000005: sched_switch:  a:7 [120] S ==> swapper/0:0 [120]\n";
constexpr std::string_view kTrace =
    "schedlab-workload-trace 1\nspan_ns 4000\ncpus 1\nunit_ns 1000\ntask 7 120 a\nr4\n";

class TraceInputTest : public ::testing::Test {
 protected:
  std::string Write(std::string_view text) const {
    const std::string path = folder_.path() + "/recording";
    std::ofstream(path) << text;
    return path;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(TraceInputTest, ARecordingIsImportedAndCounted) {
  const Result<TraceInput> input = ReadTraceInput(Write(kRecording));

  ASSERT_TRUE(input.has_value()) << input.error().message;
  EXPECT_EQ(EncodeWorkloadTrace(input->trace), kTrace);
  EXPECT_EQ(input->counts.value().event_count, 2);
}

TEST_F(TraceInputTest, AnImportedTraceIsReadAsItIs) {
  const Result<TraceInput> input = ReadTraceInput(Write(kTrace));

  ASSERT_TRUE(input.has_value()) << input.error().message;
  EXPECT_EQ(EncodeWorkloadTrace(input->trace), kTrace);
  EXPECT_FALSE(input->counts.has_value());
}

TEST_F(TraceInputTest, AnErrorNamesTheFileAndTheLine) {
  const std::string path = Write(std::string(kTrace) + "q\n");

  const Result<TraceInput> input = ReadTraceInput(path);

  ASSERT_FALSE(input.has_value());
  EXPECT_EQ(input.error().message.find(path + ": line 7 of the trace"), 0U);
}

TEST_F(TraceInputTest, ASimulationTakesARecordingAsItIs) {
  SimRunOptions options;
  options.topology = "kvm-4x4";
  options.workload = "replay";
  options.policy = "linux-fair";
  options.workload_file = Write(kRecording);

  const Result<SimInput> input =
      ResolveSimInput(ParseCatalog(EmbeddedCatalogFiles()).value(), options);

  ASSERT_TRUE(input.has_value()) << input.error().message;
  EXPECT_EQ(input->scenario.workload.document, kTrace);
  EXPECT_TRUE(std::holds_alternative<WorkloadTrace>(input->document));
}

}  // namespace
}  // namespace schedlab::client
