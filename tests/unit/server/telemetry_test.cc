#include "server/telemetry.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace schedlab::server {
namespace {

using std::chrono::milliseconds;

class TelemetryTest : public ::testing::Test {
 protected:
  bool Shows(const std::string& line) const {
    return ("\n" + telemetry_.Serialize()).find("\n" + line + "\n") != std::string::npos;
  }

  Telemetry telemetry_;
};

TEST_F(TelemetryTest, AnAnsweredCallIsCountedByMethodAndCode) {
  telemetry_.CountCall({"schedlab.v1.JobService", "GetJob"}, 5, milliseconds{3});

  EXPECT_TRUE(
      Shows("schedlab_grpc_server_handled_total{grpc_code=\"NOT_FOUND\",grpc_method="
            "\"GetJob\",grpc_service=\"schedlab.v1.JobService\"} 1"));
  EXPECT_TRUE(
      Shows("schedlab_grpc_server_handling_seconds_count{grpc_method=\"GetJob\","
            "grpc_service=\"schedlab.v1.JobService\"} 1"));
}

TEST_F(TelemetryTest, ADeclaredMethodStartsAtZero) {
  telemetry_.DeclareMethod({"schedlab.v1.JobService", "GetJob"});

  EXPECT_TRUE(
      Shows("schedlab_grpc_server_handled_total{grpc_code=\"OK\",grpc_method=\"GetJob\","
            "grpc_service=\"schedlab.v1.JobService\"} 0"));
}

TEST_F(TelemetryTest, KnownLabelSetsStartAtZero) {
  EXPECT_TRUE(Shows("schedlab_reports_total{disposition=\"accepted\"} 0"));
  EXPECT_TRUE(Shows("schedlab_reports_total{disposition=\"orphaned\"} 0"));
  EXPECT_TRUE(Shows("schedlab_workers{state=\"lost\"} 0"));
  EXPECT_TRUE(Shows("schedlab_runs{state=\"queued\"} 0"));
}

TEST_F(TelemetryTest, GaugesShowWhatWasSetLast) {
  telemetry_.SetQueue(7, 3, std::chrono::duration<double>(1.5));
  telemetry_.SetWorkers(WorkerState::kDraining, 2);

  EXPECT_TRUE(Shows("schedlab_runs{state=\"queued\"} 7"));
  EXPECT_TRUE(Shows("schedlab_runs{state=\"leased\"} 3"));
  EXPECT_TRUE(Shows("schedlab_run_oldest_queued_age_seconds 1.5"));
  EXPECT_TRUE(Shows("schedlab_workers{state=\"draining\"} 2"));
}

}  // namespace
}  // namespace schedlab::server
