#include <gtest/gtest.h>

#include <limits>

#include "core/limits.h"
#include "proto/rpc/alerts.h"
#include "proto/rpc/comparison.h"
#include "proto/rpc/jobs.h"
#include "proto/rpc/specs.h"
#include "proto/rpc/time.h"
#include "proto/rpc/worker_sync.h"
#include "tests/support/sample_values.h"

namespace schedlab::rpc {
namespace {

using namespace schedlab::testing;  // NOLINT(google-build-using-namespace): builders only

// Why `wire` is refused; "" where it is not, or where the code is another.
template <class Wire>
std::string RefusalOf(const Wire& wire) {
  const auto decoded = Decode(wire);
  if (decoded || decoded.error().code != ErrorCode::kInvalidArgument) return "";
  return decoded.error().message;
}

v1::SynchronizeRequest WireRequest() {
  return Encode(
      SynchronizeRequest{.worker = SampleWorker(),
                         .running = {},
                         .finished = {{.attempt = {.run = RunId{1}, .attempt = 1, .token = "t"},
                                       .outcome = SampleRunResult()}},
                         .max_wait = {}});
}

TEST(RefusalTest, NamesTheFieldAndItsLimits) {
  v1::JobSpec wire = Encode(SampleJobSpec());
  wire.set_repetitions(0);

  EXPECT_EQ(RefusalOf(wire), "job.repetitions must be from 1 to 1000, is 0");
}

TEST(RefusalTest, NamesAFieldOfAnElement) {
  v1::JobSpec wire = Encode(SampleJobSpec());
  wire.add_policies();

  EXPECT_EQ(RefusalOf(wire), "job.policies[1].policy must not be empty");
}

TEST(RefusalTest, NamesThePathOfANestedField) {
  v1::RunSpec wire = Encode(SampleRunSpec());
  wire.mutable_scenario()->mutable_workload()->clear_name();

  EXPECT_EQ(RefusalOf(wire), "run.scenario.workload.name must not be empty");
}

TEST(RefusalTest, NobodyChangesAnAlertInTheNameOfSchedlab) {
  const v1::ChangeAlertStateRequest wire = Encode(AlertStateChange{.request_id = "request",
                                                                   .alert = AlertId{7},
                                                                   .to = AlertState::kDismissed,
                                                                   .who = "schedlab",
                                                                   .why = "noise"});

  EXPECT_EQ(RefusalOf(wire), "who must be a person or a program of your own");
}

TEST(RefusalTest, AChangeOfAnAlertHasAReason) {
  const v1::ChangeAlertStateRequest wire = Encode(AlertStateChange{.request_id = "request",
                                                                   .alert = AlertId{7},
                                                                   .to = AlertState::kDismissed,
                                                                   .who = "ann",
                                                                   .why = ""});

  EXPECT_EQ(RefusalOf(wire), "why must not be empty");
}

TEST(RefusalTest, KeepsTheFirstOfTwoErrors) {
  v1::JobSpec wire = Encode(SampleJobSpec());
  wire.clear_project();
  wire.set_repetitions(-1);

  EXPECT_EQ(RefusalOf(wire), "job.project must not be empty");
}

TEST(RefusalTest, NamesTheSpecOfAJobOnce) {
  v1::Job wire = Encode(SampleJob());
  wire.mutable_spec()->set_repetitions(0);

  EXPECT_EQ(RefusalOf(wire), "job.repetitions must be from 1 to 1000, is 0");
}

TEST(RefusalTest, RefusesAnUnspecifiedExecutor) {
  v1::JobSpec wire = Encode(SampleJobSpec());
  wire.set_executor(v1::EXECUTOR_UNSPECIFIED);

  EXPECT_EQ(RefusalOf(wire), "job.executor must be one of EXECUTOR_SIM, is 0");
}

TEST(RefusalTest, RefusesAnEnumValueOfALaterVersion) {
  v1::SynchronizeRequest wire = WireRequest();
  wire.add_executors(static_cast<v1::Executor>(77));

  EXPECT_EQ(RefusalOf(wire), "executors[1] must be one of EXECUTOR_SIM, is 77");
}

TEST(RefusalTest, RefusesANameThatIsTooLong) {
  v1::JobSpec wire = Encode(SampleJobSpec());
  wire.set_project(std::string(kMaxNameLength + 1, 'x'));

  EXPECT_EQ(RefusalOf(wire), "job.project must be at most 200 bytes long, is 201");
}

TEST(RefusalTest, RefusesAStringThatTheDatabaseCannotHold) {
  v1::JobSpec wire = Encode(SampleJobSpec());
  wire.set_salt(std::string("a\0b", 3));

  EXPECT_EQ(RefusalOf(wire), "job.salt must not contain a NUL byte");
}

TEST(RefusalTest, RefusesADocumentThatIsTooLong) {
  v1::JobSpec wire = Encode(SampleJobSpec());
  wire.mutable_workloads(0)->set_document(std::string(kMaxDocumentBytes + 1, 'x'));

  EXPECT_EQ(RefusalOf(wire),
            "job.workloads[0].document must be at most 262144 bytes long, is 262145");
}

TEST(RefusalTest, RefusesTooManyElements) {
  v1::JobSpec wire = Encode(SampleJobSpec());
  for (std::int32_t i = 0; i < kMaxSelectionsPerJob; ++i) wire.add_topologies("x");

  EXPECT_EQ(RefusalOf(wire), "job.topologies must have at most 1000 elements, has 1002");
}

TEST(RefusalTest, RefusesADurationBeyondTheLimit) {
  v1::JobSpec wire = Encode(SampleJobSpec());
  wire.mutable_workloads(0)->set_duration_ns(kMaxSimulatedNs + 1);

  EXPECT_EQ(RefusalOf(wire),
            "job.workloads[0].duration_ns must be from 0 to 3600000000000, is 3600000000001");
}

TEST(RefusalTest, RefusesATopologyWhoseIndicesDoNotFit) {
  v1::Topology wire = Encode(SampleTopology());
  wire.mutable_cpus(0)->set_node(9);

  EXPECT_NE(RefusalOf(wire), "");
}

TEST(RefusalTest, RefusesAnUnknownCost) {
  v1::Topology wire = Encode(SampleTopology());
  (*wire.mutable_costs())["teleport_ns"] = 1;

  EXPECT_EQ(RefusalOf(wire), "costs has an unknown cost 'teleport_ns'");
}

TEST(RefusalTest, RefusesANegativeSeed) {
  v1::RunSpec wire = Encode(SampleRunSpec());
  wire.set_seed(-1);

  EXPECT_EQ(RefusalOf(wire), "run.seed must be at least 0, is -1");
}

TEST(RefusalTest, RefusesADigestThatIsNotSixteenLowerCaseHexDigits) {
  v1::RunResult wire = Encode(SampleRunResult());
  wire.set_digest("0123456789ABCDEF");

  EXPECT_EQ(RefusalOf(wire),
            "result.digest must be 16 lower-case hex digits, is '0123456789ABCDEF'");
}

TEST(RefusalTest, RefusesAMetricThatIsNotANumber) {
  v1::RunResult wire = Encode(SampleRunResult());
  (*wire.mutable_metrics())["elapsed_seconds"] = std::numeric_limits<double>::quiet_NaN();

  EXPECT_EQ(RefusalOf(wire), "result.metrics[elapsed_seconds] must be a finite number");
}

TEST(RefusalTest, RefusesAReportWithoutAnOutcome) {
  v1::SynchronizeRequest wire = WireRequest();
  wire.mutable_finished(0)->clear_result();

  EXPECT_EQ(RefusalOf(wire), "finished[0].outcome must be a result or a failure");
}

TEST(RefusalTest, RefusesAReportWithoutAToken) {
  v1::SynchronizeRequest wire = WireRequest();
  wire.mutable_finished(0)->mutable_attempt()->clear_lease_token();

  EXPECT_EQ(RefusalOf(wire), "finished[0].attempt.lease_token must not be empty");
}

TEST(RefusalTest, RefusesMoreSlotsThanAWorkerMayHave) {
  v1::SynchronizeRequest wire = WireRequest();
  wire.set_slot_count(kMaxSlotsPerWorker + 1);

  EXPECT_EQ(RefusalOf(wire), "slot_count must be from 0 to 1024, is 1025");
}

TEST(RefusalTest, RefusesHalfAnInterval) {
  v1::ComparisonRow wire = Encode(SampleComparisonRow());
  wire.clear_interval_low();

  EXPECT_EQ(RefusalOf(wire), "interval_low must be set together with interval_high");
}

TEST(RefusalTest, RefusesADurationOfTwoSigns) {
  google::protobuf::Duration wire;
  wire.set_seconds(1);
  wire.set_nanos(-1);

  EXPECT_EQ(RefusalOf(wire), "must be a duration of at most 10000 years, is 1 s and -1 ns");
}

TEST(RefusalTest, RefusesATimeBeyondTheYear9999) {
  google::protobuf::Timestamp wire;
  wire.set_seconds(253'402'300'800);

  EXPECT_EQ(RefusalOf(wire), "must be a time in the years 1 to 9999, is 253402300800 s and 0 ns");
}

}  // namespace
}  // namespace schedlab::rpc
